// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "script_network.h"

#include "failure.h"
#include "script_file.h"

#include <ATen/core/Reduction.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>

#include <exception>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace batchpeak::network {

namespace {

std::string shapeText(const at::Tensor& tensor)
{
    std::ostringstream text;
    text << tensor.sizes();
    return text.str();
}

std::string declarationText(const Batch& batch)
{
    std::string text;
    for (const at::Tensor& input : batch.inputs) {
        text += text.empty() ? "" : ", ";
        text += (input.is_floating_point() ? "float32 " : "int64 ") + shapeText(input);
    }
    return text;
}

} // namespace

ScriptNetwork::ScriptNetwork(model::ScriptSpec spec, const FlatParameters& parameters,
                             const NetworkOptions& options)
    : Network(options),
      m_spec(std::move(spec)),
      m_module(loadScript(m_spec.file, options.device, options.trains, options.parameterType)),
      m_specialized(m_module)
{
    if (options.trains && parameters.elements() == 0) {
        throw std::invalid_argument("The TorchScript file " + m_spec.file +
                                    " holds no parameter that is trained, as a frozen module does; save it "
                                    "before torch.jit.freeze, or explore its evaluation with --phase eval.");
    }
    adopt(parameters);
}

std::vector<std::int64_t> ScriptNetwork::bufferBytes(const model::ScriptSpec& spec,
                                                     const NetworkOptions& options)
{
    return scriptBufferBytes(spec.file, options.parameterType);
}

// The tensors of the flat buffer take the places of the module's own: it is those that a failed backward is
// mended on.
void ScriptNetwork::adopt(const FlatParameters& parameters)
{
    const at::NoGradGuard noGradients;
    std::unordered_map<const void*, at::Tensor> flatOf;
    for (const auto& parameter : m_module.named_parameters()) {
        if (!parameters.contains(parameter.name))
            continue;
        const at::Tensor& flat = parameters.at(parameter.name);
        flat.copy_(parameter.value);
        flatOf.emplace(parameter.value.unsafeGetTensorImpl(), flat);
    }
    for (const auto& child : m_module.named_modules()) {
        torch::jit::Module owner = child.value;
        for (const auto& parameter : owner.named_parameters(/*recurse=*/false)) {
            const auto flat = flatOf.find(parameter.value.unsafeGetTensorImpl());
            if (flat != flatOf.end())
                owner.setattr(parameter.name, flat->second);
        }
    }
}

Batch ScriptNetwork::makeBatch(std::int64_t samples, std::int64_t /*sequenceLength*/) const
{
    m_specialized = m_module.clone(/*inplace=*/true);
    const at::TensorOptions device(options().device);
    Batch batch;
    for (const model::ScriptInput& input : m_spec.inputs) {
        std::vector<std::int64_t> shape{samples};
        shape.insert(shape.end(), input.shape.begin(), input.shape.end());
        batch.inputs.push_back(input.type == model::ScriptInputType::Int64
                                   ? at::randint(input.upperBound, shape, device.dtype(at::kLong))
                                   : at::randn(shape, device.dtype(options().parameterType)));
    }
    if (m_spec.output == model::ScriptOutput::Loss) {
        batch.targets = at::empty({samples, 0}, device.dtype(at::kLong));
        batch.countedTargets = samples;
    } else {
        batch.targets =
            at::randint(m_spec.classes, {samples, m_spec.targetsPerSample}, device.dtype(at::kLong));
        batch.countedTargets = batch.targets.numel();
    }
    return batch;
}

at::Tensor ScriptNetwork::loss(const Batch& batch, double normalizer) const
{
    const at::Tensor result = output(batch);
    const at::Tensor sum = m_spec.output == model::ScriptOutput::Loss
                               ? meanLoss(result).mul(static_cast<double>(batch.countedTargets))
                               : summedCrossEntropy(result, batch.targets.flatten());
    return sum.div(normalizer);
}

void ScriptNetwork::refuse(const std::string& sentence) const
{
    throw UnsupportedStep("The TorchScript module " + m_spec.file + ' ' + sentence);
}

at::Tensor ScriptNetwork::output(const Batch& batch) const
{
    askBetweenLayers(batch.inputs.front());
    const std::vector<c10::IValue> inputs(batch.inputs.begin(), batch.inputs.end());
    c10::IValue result;
    try {
        result = m_specialized.forward(inputs);
    } catch (const std::exception& error) {
        const Failure failure = classifyFailureText(messageOf(error));
        if (failure.outcome == trial::Outcome::OutOfMemory || failure.sticky)
            throw;
        refuse("does not take inputs of " + declarationText(batch) + ": " + ownWords(failure.text) +
               " Correct the inputs in the config, whose shapes are those of one sample.");
    }
    if (!result.isTensor()) {
        refuse("returns a value of type " + result.tagKind() +
               ", but a tensor is needed: its loss or its logits. Save a module whose forward "
               "returns that alone.");
    }
    askBetweenLayers(result.toTensor());
    return result.toTensor();
}

at::Tensor ScriptNetwork::meanLoss(const at::Tensor& output) const
{
    if (output.numel() != 1) {
        refuse("returns a tensor of shape " + shapeText(output) +
               ", but a loss is one number. Declare its output as logits, or save a module that "
               "returns the mean.");
    }
    return output.sum().to(at::kFloat);
}

at::Tensor ScriptNetwork::summedCrossEntropy(const at::Tensor& output, const at::Tensor& targets) const
{
    if (output.dim() == 0 || output.size(-1) != m_spec.classes ||
        output.numel() != targets.numel() * m_spec.classes) {
        refuse("returns a tensor of shape " + shapeText(output) + ", which are not logits of " +
               std::to_string(m_spec.classes) + " classes for " + std::to_string(m_spec.targetsPerSample) +
               " targets a sample. Correct classes or targets_per_sample in the config.");
    }
    return at::cross_entropy_loss(output.reshape({-1, m_spec.classes}).to(at::kFloat), targets, /*weight=*/{},
                                  at::Reduction::Sum);
}

} // namespace batchpeak::network
