// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tensor_file.h"

#include <vector>

namespace batchpeak::network {

class LoadedNetwork;

/// All that a training changes, sharing its memory: parameters by the names of their table, optimizer state
/// as torch.optim names it ("optimizer.exp_avg.NAME"), and statistics of batch normalisation.
std::vector<NamedTensor> trainingTensors(LoadedNetwork& loaded);

} // namespace batchpeak::network
