// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tuning_choice.h"

#include "model/parameter_table.h"
#include "text/translated.h"

#include <set>
#include <variant>

namespace batchpeak::engine {

namespace {

[[noreturn]] void refuse(const QString& sentence)
{
    throw config::ConfigError(sentence.toStdString());
}

/// Returns adapters beside every linear layer of the network except the projection onto the vocabulary, as
/// PEFT's "all-linear" does (PEFT 0.18, tuners_utils.py) and as QLoRA found necessary (arXiv 2305.14314,
/// section 4). Rank and alpha are the defaults of LoraConfig.
model::Tuning defaultAdapters(const config::ConfigContents& contents)
{
    model::Tuning tuning{.fakeQuantization = contents.tuning.fakeQuantization};
    const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
    if (!spec)
        return tuning;
    std::set<model::Projection> projections;
    for (const model::Parameter& parameter : model::parameterTable(*spec)) {
        for (const model::ProjectionRows& rows : parameter.projections)
            projections.insert(rows.projection);
    }
    projections.erase(model::Projection::Output);
    for (const model::Projection projection : projections)
        tuning.targets.push_back({.projection = projection, .layers = {}});
    return tuning;
}

model::Tuning withAdapter(const config::ConfigContents& contents, model::AdapterKind adapter)
{
    if (adapter == model::AdapterKind::None) {
        model::Tuning whole{.fakeQuantization = contents.tuning.fakeQuantization};
        whole.fakeQuantization.adaptedLayers = false;
        return whole;
    }
    model::Tuning adapted = model::hasAdapters(contents.tuning) ? contents.tuning : defaultAdapters(contents);
    adapted.adapter = adapter;
    return adapted;
}

} // namespace

model::Tuning chooseTuning(const config::ConfigContents& contents, const ExplorationOptions& options)
{
    model::Tuning tuning = contents.tuning;
    if (options.adapter && *options.adapter != tuning.adapter)
        tuning = withAdapter(contents, *options.adapter);
    if (options.adapterRank && !model::hasAdapters(tuning))
        refuse(Translated::tr("Without an adapter, --adapter-rank has no effect. Add --adapter lora, or "
                              "remove --adapter-rank."));
    tuning.rank = options.adapterRank.value_or(tuning.rank);
    if (options.frozenWeights && model::trainsAll(tuning))
        refuse(Translated::tr("The whole network is trained, so no weights are frozen. Add --adapter lora, "
                              "or remove --frozen-weights."));
    tuning.frozenWeights = options.frozenWeights.value_or(tuning.frozenWeights);
    return tuning;
}

} // namespace batchpeak::engine
