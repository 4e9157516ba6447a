// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"

#include <cstdint>

namespace batchpeak::test {

/// Returns a small GPT-2 config on one device.
inline config::ConfigContents smallConfig(std::int64_t batchSize = 64)
{
    config::ConfigContents contents;
    contents.formatName = "Cerebras params";
    contents.rules = {.spreadsUnevenBatches = true, .refusesBatchNormalization = true};
    contents.model = model::ModelSpec{.family = "gpt2",
                                      .architecture = model::DecoderSpec{.vocabularySize = 64,
                                                                         .hiddenSize = 8,
                                                                         .layers = 1,
                                                                         .heads = 2,
                                                                         .keyValueHeads = 2,
                                                                         .feedForwardSize = 16,
                                                                         .maxPositions = 32}};
    contents.train =
        config::BatchPlan{.globalBatchSize = batchSize, .devices = 1, .setting = config::Explore{}};
    contents.sequenceLength = 16;
    return contents;
}

} // namespace batchpeak::test
