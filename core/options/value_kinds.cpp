// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "value_kinds.h"

#include "syntax/words.h"

#include <algorithm>

namespace batchpeak::engine {

namespace {

constexpr std::string_view numbers = "N NORM PERCENT RATE ROWS SHARE SIZE STEPS TIME";

bool isWord(std::string_view part)
{
    return std::ranges::none_of(part, [](char letter) { return letter >= 'A' && letter <= 'Z'; });
}

} // namespace

ValueKinds valueKindsOf(std::string_view values)
{
    ValueKinds kinds;
    while (!values.empty()) {
        const std::string_view part = values.substr(0, values.find('|'));
        values.remove_prefix(std::min(part.size() + 1, values.size()));
        if (isWord(part)) {
            kinds.words.emplace_back(part);
            continue;
        }
        kinds.takesOthers = true;
        kinds.takesNumbers = kinds.takesNumbers || config::isAmong(part, numbers);
        kinds.takesFiles = kinds.takesFiles || part.starts_with("FILE") || part == "PATH";
        kinds.takesFolders = kinds.takesFolders || part == "DIR" || part == "PATH";
        kinds.takesCommands = kinds.takesCommands || part == "COMMAND";
    }
    return kinds;
}

} // namespace batchpeak::engine
