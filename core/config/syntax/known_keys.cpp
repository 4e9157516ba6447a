// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "known_keys.h"

#include <algorithm>

namespace batchpeak::config {

void refuseOtherKeys(const ConfigSection& section, const std::vector<std::string>& known)
{
    for (std::string_view key : section.keys()) {
        if (key == "<<" || std::ranges::find(known, key) != known.end())
            continue;
        std::string words;
        for (const std::string& word : known)
            words += (words.empty() ? "" : ", ") + word;
        throw ConfigError("The key " + section.pathOf(key) +
                              " has no meaning there; correct or remove it. The keys are " + words + ".",
                          section.positionOf(key));
    }
}

} // namespace batchpeak::config
