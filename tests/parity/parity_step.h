// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tensor_file.h"
#include "trial/trial_request.h"

#include <cstdint>
#include <vector>

/// Computes loss and gradients of one of our networks for weights and a batch from another program.
///
/// The weights are given as "parameters.NAME" for every name of the network's parameter table, in full
/// precision if they are quantized afterward; the batch as "inputs.0", "inputs.1" and so on, and "targets".
/// The result holds "loss", "gradients.NAME" for every trained parameter, and the counts of the table:
/// "count.trained", "count.all", and "bytes.quantized" of quantized matrices.
///
/// \param microBatches  samples of each micro-batch in order; their losses are weighted so that the sum is
///        the whole batch's
/// \throws std::invalid_argument  a full sentence, if a tensor is missing, is not a parameter, or has another
///         shape or dtype than the network needs
NamedTensors parityStep(const batchpeak::trial::LoadRequest& request, const NamedTensors& given,
                        const std::vector<std::int64_t>& microBatches);
