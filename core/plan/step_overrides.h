// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "options/exploration_options.h"

#include <optional>
#include <string_view>
#include <tuple>

namespace batchpeak::engine {

/// An option of the command line that replaces what the config says about a step.
template<typename Value>
struct StepOverride
{
    std::string_view option;
    std::optional<Value> ExplorationOptions::*asked;
    Value model::StepOptions::*step;
    /// Place in the config; null if no format reports it.
    std::optional<config::SourceLocation> config::SourceLocations::*place = nullptr;
    /// What trials use instead of the config's value, in the words of Fidelity::replaced; empty if more than
    /// this value decides.
    const char* replaced = "";
    bool isOfTrainingAlone = false;

    bool isOf(std::string_view name) const { return option == name; }
};

/// Calls \p visit with every StepOverride.
template<typename Visit>
void visitStepOverrides(const Visit& visit)
{
    using Options = ExplorationOptions;
    using Step = model::StepOptions;
    using Places = config::SourceLocations;
    constexpr std::tuple all{StepOverride<bool>{.option = "--activation-checkpointing",
                                                .asked = &Options::activationCheckpointing,
                                                .step = &Step::activationCheckpointing,
                                                .place = &Places::activationCheckpointing,
                                                .replaced = "another activation checkpointing",
                                                .isOfTrainingAlone = true},
                             StepOverride<double>{.option = "--max-gradient-norm",
                                                  .asked = &Options::maxGradientNorm,
                                                  .step = &Step::maxGradientNorm,
                                                  .place = &Places::gradientNorm,
                                                  .replaced = "another gradient clipping",
                                                  .isOfTrainingAlone = true},
                             StepOverride<std::int64_t>{.option = "--loss-chunk",
                                                        .asked = &Options::lossChunkRows,
                                                        .step = &Step::lossChunkRows,
                                                        .place = &Places::lossChunks,
                                                        .replaced = "other chunks of the loss"},
                             StepOverride<model::Attention>{.option = "--attention",
                                                            .asked = &Options::attention,
                                                            .step = &Step::attention,
                                                            .place = &Places::attention,
                                                            .replaced = "another attention kernel"},
                             StepOverride<bool>{.option = "--channels-last",
                                                .asked = &Options::channelsLast,
                                                .step = &Step::channelsLast,
                                                .replaced = "another layout of images"},
                             StepOverride<bool>{.option = "--cudnn-benchmark",
                                                .asked = &Options::timesConvolutions,
                                                .step = &Step::timesConvolutions,
                                                .replaced = "another choice of convolutions"},
                             StepOverride<std::int64_t>{.option = "--packed-text-length",
                                                        .asked = &Options::packedTextLength,
                                                        .step = &Step::packedTextLength}};
    std::apply([&visit](const auto&... rows) { (visit(rows), ...); }, all);
}

} // namespace batchpeak::engine
