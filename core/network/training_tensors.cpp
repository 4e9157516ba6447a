// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_tensors.h"

#include "loaded_network.h"

#include <string>

namespace batchpeak::network {

namespace {

void addOptimizerState(LoadedNetwork& loaded, std::vector<NamedTensor>& tensors)
{
    const OptimizerStep* const optimizer = loaded.optimizer();
    if (!optimizer)
        return;
    for (const NamedTensor& state : optimizer->state()) {
        const std::string name = "optimizer." + state.name;
        // The count of steps is one number for all parameters.
        if (state.tensor.dim() == 0) {
            tensors.push_back({.name = name, .tensor = state.tensor});
            continue;
        }
        for (NamedTensor& stretch : loaded.parameters().stretchesOf(state.tensor))
            tensors.push_back({.name = name + '.' + stretch.name, .tensor = std::move(stretch.tensor)});
    }
}

} // namespace

std::vector<NamedTensor> trainingTensors(LoadedNetwork& loaded)
{
    std::vector<NamedTensor> tensors = loaded.parameters().named();
    addOptimizerState(loaded, tensors);
    const std::vector<at::Tensor> statistics = loaded.network().statistics();
    for (std::size_t i = 0; i < statistics.size(); ++i)
        tensors.push_back({.name = "statistics." + std::to_string(i), .tensor = statistics[i]});
    return tensors;
}

} // namespace batchpeak::network
