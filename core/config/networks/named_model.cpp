// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "named_model.h"

#include "hub_models.h"
#include "hugging_face_model.h"

#include <utility>

namespace batchpeak::config {

namespace {

UnsupportedModel unknownName(const std::string& id, TextPosition position)
{
    return {.sentence = "The network is named \"" + id +
                        "\", which is not among the well-known ones; give its config.json as the model "
                        "(--model FILE).",
            .position = position,
            .isElsewhere = true};
}

} // namespace

std::variant<model::ModelSpec, UnsupportedModel> namedModel(const std::string& id, TextPosition position,
                                                            std::vector<Warning>& warnings)
{
    const auto match = findHubModel(id);
    if (!match)
        return unknownName(id, position);
    if (match->isByName) {
        warnings.push_back(
            {"The network \"" + id + "\" is taken for " + std::string(match->model->ids.front()) +
                 ", which has the same name; if it is another, give its config.json as the model "
                 "(--model FILE).",
             position});
    }
    const YamlDocument document{match->model->config};
    std::vector<Warning> ofNetwork;
    auto network = readHuggingFaceModel(*ConfigSection::root(document, Dialect::Json), ofNetwork);
    for (Warning& warning : ofNetwork)
        warnings.push_back({std::move(warning.sentence), position});
    return network;
}

} // namespace batchpeak::config
