// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network_source.h"

#include "format.h"
#include "syntax/words.h"

#include <string_view>

namespace batchpeak::config {

std::string listedPlaces(const std::vector<std::string>& places)
{
    if (places.size() < 2)
        return places.empty() ? std::string() : places.front();
    std::vector<std::string_view> first(places.begin(), places.end() - 1);
    return listed(first) + " or " + places.back();
}

NetworkName baseOfAdapter(const std::string& adapterConfig)
{
    constexpr std::string_view baseKey = "base_model_name_or_path";
    const ConfigText text(adapterConfig);
    const auto root = text.root(Dialect::Json);
    const auto base = root ? root->text(baseKey) : std::nullopt;
    if (!base || base->empty()) {
        throw errorAt(root ? root->positionOf(baseKey) : TextPosition{},
                      "The adapter names no network that it was made for ({}); write one.", baseKey);
    }
    return {.name = *base, .revision = root->text("revision").value_or("")};
}

} // namespace batchpeak::config
