// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "parity_step.h"

#include "model/parameter_table.h"
#include "network/networks/network_factory.h"
#include "network/optimizers/flat_parameters.h"

#include <ATen/ops/full.h>
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

void setParameters(const NamedTensors& given, network::FlatParameters& parameters)
{
    for (const model::Parameter& parameter : parameters.table()) {
        const std::string name = std::string(parameterPrefix) + parameter.name;
        const at::Tensor& value = find(given, name);
        if (value.sizes() != at::IntArrayRef(parameter.shape) || value.scalar_type() != at::kFloat) {
            throw std::invalid_argument("The tensor " + name + " is " + value.toString() + " of shape " +
                                        shapeText(value.sizes()) + ", but the network wants float of shape " +
                                        shapeText(parameter.shape) + ".");
        }
        parameters.set(parameter.name, value);
    }
    for (const auto& [name, value] : given) {
        if (name.starts_with(parameterPrefix) && !parameters.rowOf(name.substr(parameterPrefix.size())))
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
            .trainsAdapters = model::hasAdapters(request.tuning),
            .lossChunkRows = request.step.lossChunkRows};
}

/// Returns the numbers of parameters as PEFT counts them, and the bytes of quantized ones.
NamedTensors sizesOf(const network::FlatParameters& parameters)
{
    const model::ParameterCounts counts = model::parameterCounts(parameters.table());
    const model::Tuning& tuning = parameters.tuning();
    std::int64_t bytes = 0;
    for (const model::Parameter& parameter : parameters.table()) {
        if (!parameters.quantized(parameter.name))
            continue;
        const std::vector<std::int64_t> tensors = network::QuantizedMatrix::tensorBytes(
            parameter.shape, model::separateRows(parameter), tuning.frozenWeights, tuning.doubleQuantization,
            at::kFloat);
        bytes += std::reduce(tensors.begin(), tensors.end());
    }
    const auto number = [](std::int64_t value) { return at::full({}, value, at::kLong); };
    return {{"count.trained", number(counts.trained)},
            {"count.all", number(counts.all())},
            {"bytes.quantized", number(bytes)}};
}

} // namespace

NamedTensors parityStep(const trial::LoadRequest& request, const NamedTensors& given,
                        const std::vector<std::int64_t>& microBatches)
{
    network::FlatParameters parameters(model::parameterTable(request.model, request.tuning),
                                       model::Phase::Train, at::kCPU, {.tuning = request.tuning});
    setParameters(given, parameters);
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
    NamedTensors result = sizesOf(parameters);
    result.emplace("loss", sum);
    for (const auto& [name, parameter] : parameters.trained())
        result.emplace("gradients." + name, parameter.grad());
    return result;
}
