// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "parity_step.h"

#include "model/parameter_table.h"
#include "network/flat_parameters.h"
#include "network/network_factory.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>

#include <numeric>
#include <sstream>
#include <stdexcept>

using namespace batchpeak;

namespace {

constexpr std::string_view parameterPrefix = "parameters.";

template<typename Shape>
std::string shapeText(const Shape& shape)
{
    std::ostringstream text;
    text << at::IntArrayRef(shape);
    return text.str();
}

const at::Tensor& find(const NamedTensors& given, const std::string& name)
{
    const auto found = given.find(name);
    if (found == given.end())
        throw std::invalid_argument("The tensor " + name + " is missing.");
    return found->second;
}

void copyParameters(const std::vector<model::Parameter>& table, const NamedTensors& given,
                    const network::FlatParameters& parameters)
{
    const at::NoGradGuard noGradients;
    for (const model::Parameter& parameter : table) {
        const std::string name = std::string(parameterPrefix) + parameter.name;
        const at::Tensor& value = find(given, name);
        if (value.sizes() != at::IntArrayRef(parameter.shape) || value.scalar_type() != at::kFloat) {
            throw std::invalid_argument("The tensor " + name + " is " + value.toString() + " of shape " +
                                        shapeText(value.sizes()) + ", but the network wants float of shape " +
                                        shapeText(parameter.shape) + ".");
        }
        parameters.at(parameter.name).copy_(value);
    }
    for (const auto& [name, value] : given) {
        if (name.starts_with(parameterPrefix) && !parameters.contains(name.substr(parameterPrefix.size())))
            throw std::invalid_argument("The tensor " + name + " is no parameter of the network.");
    }
}

std::vector<at::Tensor> inputsOf(const NamedTensors& given)
{
    std::vector<at::Tensor> inputs{find(given, "inputs.0")};
    for (auto next = given.find("inputs.1"); next != given.end();
         next = given.find("inputs." + std::to_string(inputs.size())))
        inputs.push_back(next->second);
    return inputs;
}

network::Batch batchOf(const NamedTensors& given)
{
    network::Batch batch{.inputs = inputsOf(given), .targets = find(given, "targets")};
    batch.countedTargets = batch.targets.ne(network::ignoredTarget).sum().item<std::int64_t>();
    return batch;
}

network::NetworkOptions networkOptions(const trial::LoadRequest& request)
{
    return {.device = at::kCPU,
            .sequenceLength = request.sequenceLength,
            .targetLength = request.targetLength.value_or(0),
            .trains = true,
            .checkpoints = request.step.activationCheckpointing,
            .lossChunkRows = request.step.lossChunkRows};
}

} // namespace

NamedTensors parityStep(const trial::LoadRequest& request, const NamedTensors& given,
                        const std::vector<std::int64_t>& microBatches)
{
    const std::vector<model::Parameter> table = model::parameterTable(request.model);
    network::FlatParameters parameters(table, model::Phase::Train, at::kCPU);
    copyParameters(table, given, parameters);
    const auto network = network::makeNetwork(request.model, parameters, networkOptions(request));

    const network::Batch whole = batchOf(given);
    const std::int64_t samples = whole.targets.size(0);
    if (std::reduce(microBatches.begin(), microBatches.end()) != samples) {
        throw std::invalid_argument("The micro-batches do not add up to the " + std::to_string(samples) +
                                    " samples of the batch.");
    }
    at::Tensor sum = at::zeros({});
    std::int64_t begin = 0;
    for (const std::int64_t size : microBatches) {
        const at::Tensor loss =
            network->loss(whole.slice(begin, size), static_cast<double>(whole.countedTargets));
        loss.backward();
        sum.add_(loss.detach());
        begin += size;
    }

    parameters.completeGradients();
    NamedTensors result{{"loss", sum}};
    for (const model::Parameter& parameter : table)
        result.emplace("gradients." + parameter.name, parameters.at(parameter.name).grad());
    return result;
}
