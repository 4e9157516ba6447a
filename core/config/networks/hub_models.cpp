// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hub_models.h"

#include "hub_tables.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace batchpeak::config {

namespace {

bool isSameWord(std::string_view first, std::string_view second)
{
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::ranges::equal(first, second, {}, lower, lower);
}

/// "Llama-3.2-1B" of "meta-llama/Llama-3.2-1B".
std::string_view nameOf(std::string_view id)
{
    return id.substr(id.rfind('/') + 1);
}

/// A relative folder with two parts looks the same.
bool isId(std::string_view id)
{
    return !id.empty() && std::ranges::count(id, '/') <= 1 && !id.starts_with('/') && !id.starts_with("./") &&
           !id.starts_with("../") && !id.starts_with("~/");
}

const HubModel* findWhere(auto matches)
{
    const auto& models = hubModels();
    const auto found = std::ranges::find_if(
        models, [&matches](const HubModel& model) { return std::ranges::any_of(model.ids, matches); });
    return found == models.end() ? nullptr : &*found;
}

} // namespace

std::string withKeys(std::string_view common, std::string_view own)
{
    return "{" + std::string(common) + ", " + std::string(own) + "}";
}

const std::vector<HubModel>& hubModels()
{
    static const std::vector<HubModel> models = [] {
        std::vector<HubModel> all;
        for (const auto table : {gptHubModels, llamaHubModels, mistralHubModels, qwenHubModels, bertHubModels,
                                 t5HubModels, vitHubModels})
            std::ranges::move(table(), std::back_inserter(all));
        return all;
    }();
    return models;
}

std::optional<HubMatch> findHubModel(std::string_view id)
{
    if (!isId(id))
        return std::nullopt;
    if (const auto* model = findWhere([id](std::string_view known) { return isSameWord(known, id); }))
        return HubMatch{.model = model};
    if (const auto* model =
            findWhere([id](std::string_view known) { return isSameWord(nameOf(known), nameOf(id)); }))
        return HubMatch{.model = model, .isByName = true};
    return std::nullopt;
}

} // namespace batchpeak::config
