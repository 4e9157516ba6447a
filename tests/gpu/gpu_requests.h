// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/trial_request.h"

#include <string>
#include <vector>

namespace batchpeak::test {

struct NamedRequest
{
    /// Names of network, phase and precision, such as "GPT, train, bf16".
    std::string name;
    trial::LoadRequest load;
};

/// Adds the requests as rows<trial::LoadRequest>() does.
void addRows(const std::vector<NamedRequest>& requests);

/// Whether the GPU is simulated. Networks then stay tiny, because the CPU does all the work.
bool isSimulated();

/// Returns the micro-batch size from which tests increase the size until it does not fit.
std::int64_t largeSize();

/// Returns a request for one network. Decoders are so wide that products, not launches, dominate the time of
/// a step.
trial::LoadRequest gpuRequest(const model::Architecture& architecture, model::Phase phase,
                              model::Precision precision);

/// Returns every network of tinyNetworks(), in training and evaluation, in every precision, and in training
/// also with checkpoints and with the loss in chunks.
std::vector<NamedRequest> everyGpuRequest();

/// Returns every network of tinyNetworks() in training, in one precision.
std::vector<NamedRequest> everyTraining(model::Precision precision);

} // namespace batchpeak::test
