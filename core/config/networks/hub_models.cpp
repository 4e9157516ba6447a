// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hub_models.h"

#include "hub_models_text.h"
#include "syntax/words.h"

#include <algorithm>
#include <map>

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

/// The rows of hub_models.txt, whose first lines say how one is written.
std::vector<HubModel> parsed(std::string_view text)
{
    constexpr std::string_view commonWord = "common ";
    std::map<std::string_view, std::string_view> commonKeys;
    std::vector<HubModel> models;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        begin = end + 1;
        if (line.starts_with(commonWord)) {
            const std::string_view row = line.substr(commonWord.size());
            const std::size_t blank = row.find(' ');
            commonKeys[row.substr(0, blank)] = row.substr(blank + 1);
        } else if (const std::size_t equals = line.find(" = ");
                   !line.starts_with('#') && equals != std::string_view::npos) {
            const std::string_view keys = line.substr(equals + 3);
            const std::size_t comma = keys.find(',');
            const auto ids = splitWords(line.substr(0, equals));
            models.push_back({.ids = {ids.begin(), ids.end()},
                              .config = "{" + std::string(commonKeys.at(keys.substr(0, comma))) +
                                        std::string(keys.substr(comma)) + "}"});
        }
    }
    return models;
}

} // namespace

const std::vector<HubModel>& hubModels()
{
    static const std::vector<HubModel> models = parsed(hubModelsText);
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
