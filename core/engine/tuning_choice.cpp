// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tuning_choice.h"

#include <QCoreApplication>

namespace batchpeak::engine {

namespace {

struct Translated
{
    Q_DECLARE_TR_FUNCTIONS(batchpeak::engine::TuningChoice)
};

[[noreturn]] void refuse(const QString& sentence)
{
    throw config::ConfigError(sentence.toStdString());
}

/// Beside every linear layer but the projection onto the vocabulary, as PEFT's "all-linear" has it (PEFT
/// 0.18, tuners_utils.py) and QLoRA found it to be needed (arXiv 2305.14314, section 4); rank and alpha are
/// LoraConfig's own.
model::Tuning usualAdapters()
{
    using enum model::Projection;
    model::Tuning tuning;
    for (const model::Projection projection : {Query, Key, Value, AttentionOutput, CrossQuery, CrossKey,
                                               CrossValue, CrossOutput, Gate, Up, Down, Dense})
        tuning.targets.push_back({.projection = projection});
    return tuning;
}

model::Tuning withAdapter(const model::Tuning& tuning, model::AdapterKind adapter)
{
    if (adapter == model::AdapterKind::None)
        return {};
    model::Tuning adapted = model::hasAdapters(tuning) ? tuning : usualAdapters();
    adapted.adapter = adapter;
    return adapted;
}

} // namespace

model::Tuning chooseTuning(const config::ConfigContents& contents, const ExplorationOptions& options)
{
    model::Tuning tuning = contents.tuning;
    if (options.adapter && *options.adapter != tuning.adapter)
        tuning = withAdapter(tuning, *options.adapter);
    if (options.adapterRank && !model::hasAdapters(tuning))
        refuse(Translated::tr("There is no adapter that could have a rank; add --adapter lora, or leave out "
                              "--adapter-rank."));
    tuning.rank = options.adapterRank.value_or(tuning.rank);
    if (options.frozenWeights && model::trainsAll(tuning))
        refuse(Translated::tr(
            "All of the network is trained, so nothing of it is frozen; add --adapter lora, or "
            "leave out --frozen-weights."));
    tuning.frozenWeights = options.frozenWeights.value_or(tuning.frozenWeights);
    return tuning;
}

} // namespace batchpeak::engine
