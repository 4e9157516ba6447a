// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/trial_request.h"

#include <string>
#include <vector>

namespace batchpeak::test {

struct NamedRequest
{
    /// "GPT, train, bf16"
    std::string name;
    trial::LoadRequest load;
};

/// Adds the requests as rows<trial::LoadRequest>() does.
void addRows(const std::vector<NamedRequest>& requests);

/// Whether the GPU is simulated: the processor then does all work, so that networks stay tiny.
bool isSimulated();

/// Returns a micro-batch size from which on larger ones are tried until one does not fit.
std::int64_t largeSize();

/// Returns a request for one network; decoders are widened until products and not launches dominate the time
/// of a step.
trial::LoadRequest gpuRequest(const model::Architecture& architecture, model::Phase phase,
                              model::Precision precision);

/// Returns every network of tinyNetworks(), in training and evaluation, in every precision, and in training
/// also with checkpoints and with the loss in chunks.
std::vector<NamedRequest> everyGpuRequest();

/// Returns every network of tinyNetworks() in training, in one precision.
std::vector<NamedRequest> everyTraining(model::Precision precision);

} // namespace batchpeak::test
