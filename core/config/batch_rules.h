// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "batch_plan.h"

#include <cstdint>
#include <optional>
#include <string>

namespace batchpeak::config {

/// What a person is told of a batch and a size that divides it or does not, in the same words wherever it is
/// said. Which rule counts is for others.

/// "1 sample", "10 samples"
std::string samplesText(std::int64_t count);

/// "10 samples of batch_size are no multiple of micro-batches of 4 on 2 devices": whether the strict rule is
/// kept, as a clause that a sentence can be made of.
std::string divisionText(const BatchPlan& plan, std::int64_t microBatchSize);

/// The strict rule of Cerebras' releases up to 2.1: batch_size / num_csx has to be a multiple of
/// micro_batch_size (validate_streaming_and_micro_batch_size in ModelZoo 2.1.1,
/// common/pytorch/input_utils.py).
///
/// \return why a size breaks it and what to do, as a full sentence; nothing where it is kept
std::optional<std::string> strictRuleProblem(const BatchPlan& plan, std::int64_t microBatchSize);

/// What becomes of a size that does not divide the samples of one device, by Cerebras' later rule: the
/// micro-batches are as many, and differ by at most one sample.
///
/// \return a full sentence; nothing where all micro-batches have that size
std::optional<std::string> evenSpreadText(const BatchPlan& plan, std::int64_t microBatchSize);

} // namespace batchpeak::config
