// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tensor_file.h"
#include "trial/trial_request.h"

#include <cstdint>
#include <vector>

/// Loss and gradients of one of our networks for weights and a batch that somebody else made.
///
/// The weights are given as "parameters.NAME" for every name of the network's parameter table, in full where
/// they are quantized then; the batch as "inputs.0", "inputs.1" and so on, and "targets". What comes back is
/// "loss", "gradients.NAME" for every parameter that is trained, and what the table counts: "count.trained",
/// "count.all", and "bytes.quantized" of quantized matrices.
///
/// \param microBatches  samples of each micro-batch in turn; their losses are weighted so that the sum is
///                      the whole batch's
/// \throws std::invalid_argument  a full sentence, where a tensor is missing, is no parameter, or has
///         another shape or type than the network wants
NamedTensors parityStep(const batchpeak::trial::LoadRequest& request, const NamedTensors& given,
                        const std::vector<std::int64_t>& microBatches);
