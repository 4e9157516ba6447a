// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cerebras_readers.h"
#include "networks/network_readers.h"
#include "syntax/words.h"
#include "unmodeled_features.h"

#include <algorithm>
#include <array>

namespace batchpeak::config {

using model::Projection;

namespace {

constexpr std::string_view key = "lora_params";

// Each list holds the classes that contain a module, ending with its own class. get_lora_config_for_module()
// compares target_modules with these names: GPT2LMHeadModel in ModelZoo 2.10.0,
// models/nlp/gpt2/gpt2_model.py, with the layers of TransformerDecoder.py, AttentionLayer.py,
// MultiQueryAttentionLayer.py and FeedForwardNetwork.py in layers.
constexpr std::string_view attentionClasses =
    "GPT2LMHeadModel TransformerDecoder ModuleList TransformerDecoderLayer MultiheadAttention Linear";
constexpr std::string_view groupedAttentionClasses =
    "GPT2LMHeadModel TransformerDecoder ModuleList TransformerDecoderLayer MultiQueryAttention Linear";
constexpr std::string_view feedForwardClasses =
    "GPT2LMHeadModel TransformerDecoder ModuleList TransformerDecoderLayer FeedForwardNetwork "
    "SingleFeedForwardLayer Linear";
constexpr std::string_view outputClasses = "GPT2LMHeadModel Linear";
constexpr std::string_view embeddingClasses = "GPT2LMHeadModel EmbeddingLayer Embedding";

/// Whether all words are among the classes; without words, every module is meant.
bool areMeant(const std::vector<std::string>& words, std::string_view classes)
{
    return std::ranges::all_of(words, [classes](const std::string& word) { return isAmong(word, classes); });
}

std::vector<model::AdapterTarget> targetsOf(const ConfigSection& group, const model::DecoderSpec& spec)
{
    using enum Projection;
    const std::vector<std::string> words = group.words("target_modules").value_or(std::vector<std::string>());
    if (areMeant(words, embeddingClasses))
        refuseNetwork(group, "target_modules", "adapters beside its embedding");
    std::vector<model::AdapterTarget> targets;
    const auto add = [&](std::string_view classes, std::initializer_list<Projection> projections) {
        if (!areMeant(words, classes))
            return;
        for (Projection projection : projections)
            targets.push_back({.projection = projection});
    };
    const bool sharesKeys = spec.keyValueHeads != spec.heads;
    add(sharesKeys ? groupedAttentionClasses : attentionClasses, {Query, Key, Value, AttentionOutput});
    if (model::isGated(spec.activation))
        add(feedForwardClasses, {Gate, Up, Down});
    else
        add(feedForwardClasses, {Up, Down});
    add(outputClasses, {Output});
    return targets;
}

/// Returns the groups of a list, or a single group.
std::vector<ConfigSection> groupsOf(const ConfigSection& holder)
{
    if (holder.value(key)->kind == NodeKind::Sequence)
        return holder.sections(key);
    return {*holder.section(key)};
}

/// \throws NotRun if trials do not support such adapters
model::Tuning readTuning(const ConfigSection& holder, const model::DecoderSpec& spec)
{
    if (model::hasExperts(spec))
        refuseNetwork(holder, key, "adapters beside its experts");
    const std::vector<ConfigSection> groups = groupsOf(holder);
    model::Tuning tuning{.adapter = model::AdapterKind::Lora};
    for (const ConfigSection& group : groups) {
        const bool isFirst = tuning.targets.empty();
        // LoraConfig in common/utils/model/lora.py of ModelZoo 2.10.0; an r of 0 means that there is no
        // adapter.
        const std::int64_t rank = requiredSize(group, "r");
        const double alpha = group.number("alpha").value_or(1.0);
        const double dropout = dropoutRateOr(group, "dropout", 0.0);
        if (!isFirst && (rank != tuning.rank || alpha != tuning.alpha || dropout != tuning.dropout))
            refuseNetwork(group, "r", "adapters of several kinds");
        tuning.rank = rank;
        tuning.alpha = alpha;
        tuning.dropout = dropout;
        for (const model::AdapterTarget& target : targetsOf(group, spec)) {
            if (std::ranges::find(tuning.targets, target) == tuning.targets.end())
                tuning.targets.push_back(target);
        }
    }
    // make_model_lora() raises if it converts no module.
    if (tuning.targets.empty())
        holder.fail(key, "names no module of the network in target_modules; write some, such as Linear");
    const bool hasOutput = std::ranges::find(tuning.targets, Projection::Output,
                                             &model::AdapterTarget::projection) != tuning.targets.end();
    // The layer with the adapter would get a copy of the matrix.
    if (hasOutput && spec.tiedEmbeddings)
        refuseNetwork(holder, key, "an adapter beside an output that is the embedding");
    return tuning;
}

} // namespace

void readCerebrasAdapters(const ConfigSection& holder, ConfigContents& contents)
{
    const auto* unsupported = std::get_if<UnsupportedModel>(&contents.model);
    if (!holder.isOn(key) || (unsupported && !unsupported->isElsewhere))
        return;
    contents.model = networkOrError([&]() -> model::ModelSpec {
        const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
        const auto* decoder = spec ? std::get_if<model::DecoderSpec>(&spec->architecture) : nullptr;
        if (!decoder)
            refuseAdapter(holder.positionOf(key), "lora");
        contents.tuning = readTuning(holder, *decoder);
        return *spec;
    });
}

} // namespace batchpeak::config
