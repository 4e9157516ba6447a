// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hub_models.h"

#include "hub_models_text.h"
#include "network_overrides.h"
#include "network_readers.h"
#include "run_reader.h"
#include "syntax/words.h"
#include "unmodeled_features.h"

#include <algorithm>
#include <map>
#include <utility>

namespace batchpeak::config {

using model::FrozenWeights;

namespace {

bool isSameWord(std::string_view first, std::string_view second)
{
    return lowerCase(std::string(first)) == lowerCase(std::string(second));
}

/// Returns the name in an id: "Llama-3.2-1B" of "meta-llama/Llama-3.2-1B".
std::string_view nameOf(std::string_view id)
{
    return id.substr(id.rfind('/') + 1);
}

/// Whether a text looks like an id; a relative folder with two parts looks the same.
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

/// Parses the rows of hub_models.txt, whose first lines describe their syntax.
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

namespace {

/// Suffixes of the names of copies that describe their weights: they are quantized, have another type, or
/// were trained further. The networks are the same.
constexpr WordMap<FrozenWeights, 15> endings{{{"-gptq", FrozenWeights::Nf4},
                                              {"-gptq-4bit", FrozenWeights::Nf4},
                                              {"-gptq-int4", FrozenWeights::Nf4},
                                              {"-gptq-int8", FrozenWeights::Int8},
                                              {"-awq", FrozenWeights::Nf4},
                                              {"-awq-int4", FrozenWeights::Nf4},
                                              {"-unsloth-bnb-4bit", FrozenWeights::Nf4},
                                              {"-bnb-4bit", FrozenWeights::Nf4},
                                              {"-bnb-8bit", FrozenWeights::Int8},
                                              {"-4bit", FrozenWeights::Nf4},
                                              {"-8bit", FrozenWeights::Int8},
                                              {"-fp16", FrozenWeights::Same},
                                              {"-bf16", FrozenWeights::Same},
                                              {"-sft", FrozenWeights::Same},
                                              {"-dpo", FrozenWeights::Same}}};

const HubModel* findByName(std::string_view name)
{
    return findWhere([name](std::string_view known) { return isSameWord(nameOf(known), name); });
}

std::optional<HubMatch> findCopy(const std::string& name)
{
    for (const auto& [ending, weights] : endings) {
        if (!lowerCase(name).ends_with(ending))
            continue;
        if (const auto* model = findByName(std::string_view(name).substr(0, name.size() - ending.size())))
            return HubMatch{.model = model, .isByName = true, .weights = weights};
    }
    return std::nullopt;
}

} // namespace

std::optional<HubMatch> findHubModel(std::string_view id)
{
    if (!isId(id))
        return std::nullopt;
    if (const auto* model = findWhere([id](std::string_view known) { return isSameWord(known, id); }))
        return HubMatch{.model = model};
    if (const auto* model = findByName(nameOf(id)))
        return HubMatch{.model = model, .isByName = true};
    return findCopy(std::string(nameOf(id)));
}

Network namedModel(const std::string& id, TextPosition position, std::vector<Warning>& warnings,
                   const std::optional<ConfigSection>& overrides)
{
    const auto match = findHubModel(id);
    if (!match) {
        return networkElsewhere(position,
                                "The network is named \"{}\", which is not among the well-known ones; give "
                                "its config.json with --model.",
                                id)
            .because(reason::unknownId)
            .why;
    }
    if (match->isByName) {
        warn(warnings, position,
             "The network \"{}\" is taken for {} by its name; if it is another, give its config.json with "
             "--model.",
             id, match->model->ids.front());
    }
    const YamlDocument document{overrides ? withOverrides(match->model->config, *overrides)
                                          : match->model->config};
    std::vector<Warning> ofNetwork;
    try {
        Network network = networkOrError(
            [&] { return readHuggingFaceModel(*ConfigSection::root(document, Dialect::Json), ofNetwork); });
        if (auto* unsupported = std::get_if<UnsupportedModel>(&network))
            unsupported->position = position;
        for (Warning& warning : ofNetwork) {
            warning.position = position;
            warnings.push_back(std::move(warning));
        }
        return network;
    } catch (const ConfigError& error) {
        throw ConfigError(error.what(), position);
    }
}

model::ModelSpec namedNetwork(const std::string& id, TextPosition position, std::vector<Warning>& warnings,
                              const std::optional<ConfigSection>& overrides)
{
    const Network network = namedModel(id, position, warnings, overrides);
    if (const auto* unsupported = std::get_if<UnsupportedModel>(&network))
        throw NotRun(*unsupported);
    return std::get<model::ModelSpec>(network);
}

} // namespace batchpeak::config
