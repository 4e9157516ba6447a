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

/// Adds them as rows<trial::LoadRequest>() does.
void addRows(const std::vector<NamedRequest>& requests);

/// On a simulated GPU the processor does all work, so that networks stay tiny.
bool isSimulated();

/// A micro-batch from which on ever larger ones are tried until one does not fit.
std::int64_t largeSize();

/// One network, with decoders widened until products and not launches fill the time of a step.
trial::LoadRequest gpuRequest(const model::Architecture& architecture, model::Phase phase,
                              model::Precision precision);

/// Every network of tinyNetworks(), in training and evaluation, in every precision, and in training also with
/// checkpoints and with the loss in chunks.
std::vector<NamedRequest> everyGpuRequest();

/// Every network of tinyNetworks() in training, in one precision.
std::vector<NamedRequest> everyTraining(model::Precision precision);

} // namespace batchpeak::test
