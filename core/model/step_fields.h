// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "run_kind.h"

#include <cstdint>

namespace batchpeak::model {

/// Name of a member of StepOptions in the trial protocol and in Batchpeak's own configs, and where it is
/// written.
struct StepField
{
    enum class Written {
        Always,
        /// Only if it differs from the default, so that a checkpoint of an older program, which did not have
        /// the option, still belongs to the same training.
        IfChanged,
        Never
    };

    const char* name;
    Written inProtocol = Written::Always;
    Written inConfig = Written::IfChanged;
    /// Range of a count.
    std::int64_t min = 0;
    std::int64_t max = maxTokens;
    /// Meaning of the smallest count, as the end of a sentence.
    const char* minStandsFor = "";
};

/// Passes every member with its field to a visitor, in the order of a config:
///
///     visit(StepField{.name = "loss_parts", .min = 1}, &StepOptions::lossParts);
template<typename Visit>
void visitStepFields(const Visit& visit)
{
    using enum StepField::Written;
    using Options = StepOptions;
    const auto add = [&visit](const StepField& field, auto member) { visit(field, member); };
    add({.name = "adamw_step", .inProtocol = IfChanged}, &Options::adamWStep);
    add({.name = "momentum", .inProtocol = IfChanged}, &Options::keepsMomentum);
    add({.name = "fp32_embedding_moments", .inProtocol = IfChanged}, &Options::wideEmbeddingMoments);
    add({.name = "activation_checkpointing", .inConfig = Always}, &Options::activationCheckpointing);
    add({.name = "loss_chunk_rows",
         .inConfig = Always,
         .max = maxLossRows,
         .minStandsFor = "the whole loss at once"},
        &Options::lossChunkRows);
    add({.name = "loss_chunks_recomputed", .inProtocol = IfChanged}, &Options::recomputesLossChunks);
    add({.name = "loss_parts", .min = 1, .minStandsFor = "the whole loss at once"}, &Options::lossParts);
    add({.name = "max_gradient_norm", .inConfig = Always}, &Options::maxGradientNorm);
    add({.name = "attention", .inConfig = Always}, &Options::attention);
    add({.name = "tf32_convolutions"}, &Options::convolvesInTf32);
    add({.name = "channels_last"}, &Options::channelsLast);
    add({.name = "cudnn_benchmark"}, &Options::timesConvolutions);
    add({.name = "optimizer_on_host"}, &Options::optimizerOnHost);
    add({.name = "updates_in_backward"}, &Options::updatesInBackward);
    add({.name = "sharding"}, &Options::sharding);
    add({.name = "packed_text_length", .minStandsFor = "one text in each sample"},
        &Options::packedTextLength);
    // In a config, the number of devices follows from other keys; the other two are for the user's Python
    // only.
    add({.name = "shards", .inConfig = Never, .min = 1, .max = maxDevices}, &Options::shards);
    add({.name = "sharding_library", .inProtocol = IfChanged}, &Options::shardingLibrary);
    add({.name = "compilation", .inProtocol = IfChanged, .inConfig = Never}, &Options::compilation);
    add({.name = "preference", .inProtocol = IfChanged, .inConfig = Never}, &Options::preference);
}

} // namespace batchpeak::model
