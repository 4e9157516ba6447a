// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "script_network.h"

#include "collation.h"
#include "data/sample_random.h"
#include "failure.h"

#include <ATen/core/Reduction.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <c10/util/accumulate.h>
#include <torch/csrc/jit/serialization/import.h>

#include <exception>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace batchpeak::network {

namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& sentence)
{
    throw std::invalid_argument("The TorchScript file " + file + ' ' + sentence);
}

void checkIsFile(const std::string& file)
{
    std::error_code error;
    if (!std::filesystem::exists(file, error))
        refuse(file,
               "does not exist; correct the path in the config, which is relative to the config's folder.");
    if (!std::filesystem::is_regular_file(file, error))
        refuse(file, "is no regular file; name the file that torch.jit.save has written.");
}

bool isMemory(const c10::Error& error)
{
    return dynamic_cast<const c10::OutOfMemoryError*>(&error) ||
           classifyFailureText(error.what_without_backtrace()).outcome == trial::Outcome::OutOfMemory;
}

// The texts are from caffe2/serialize/inline_container.cc and
// torch/csrc/jit/serialization/import.cpp in torch 2.11.
std::string adviceOn(const std::string& reason)
{
    if (reason.find("zip archive") != std::string::npos ||
        reason.find("PytorchStreamReader") != std::string::npos)
        return "is no file of torch.jit.save, or it is damaged; save the module anew";
    if (reason.find("version") != std::string::npos)
        return "was written by a newer torch; save it with torch 2.11 or an older one";
    return "cannot be loaded; save the module anew with torch 2.11";
}

// Returns the part of TorchScript's message that states the problem, as a sentence: its last line, after a
// trace through the module's code.
std::string ownWords(const std::string& message)
{
    constexpr std::string_view kind = "RuntimeError: ";
    std::string words = message.substr(0, message.find_last_not_of(" \n") + 1);
    words.erase(0, words.rfind('\n') + 1);
    if (words.starts_with(kind))
        words.erase(0, kind.size());
    if (!words.ends_with('.'))
        words += '.';
    return words;
}

bool decays(const at::Tensor& parameter)
{
    return parameter.dim() >= 2;
}

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

bool isInteger(const model::ScriptInput& input)
{
    return input.type == model::ScriptInputType::Int64;
}

std::vector<std::int64_t> wholeShape(const model::ScriptInput& input, std::int64_t samples)
{
    std::vector<std::int64_t> shape{samples};
    shape.insert(shape.end(), input.shape.begin(), input.shape.end());
    return shape;
}

} // namespace

torch::jit::Module loadScript(const std::string& file, c10::Device device, bool trains, at::ScalarType type)
{
    checkIsFile(file);
    try {
        // Debug files for tracebacks would take memory of the device while the module lives, and are not
        // shown.
        torch::jit::Module module = torch::jit::load(file, device, /*load_debug_files=*/false);
        module.train(trains);
        if (type != at::kFloat)
            module.to(type);
        return module;
    } catch (const c10::Error& error) {
        if (isMemory(error))
            throw;
        const std::string reason = error.what_without_backtrace();
        refuse(file, adviceOn(reason) + ". In its own words: " + ownWords(reason));
    }
}

std::vector<model::Parameter> scriptParameters(const std::string& file)
{
    std::vector<model::Parameter> table;
    std::unordered_set<const void*> seen;
    for (const auto& parameter : loadScript(file, c10::kMeta, true).named_parameters()) {
        const at::Tensor& value = parameter.value;
        if (!value.requires_grad() || !seen.insert(value.unsafeGetTensorImpl()).second)
            continue;
        if (value.scalar_type() != at::kFloat) {
            refuse(file,
                   "holds the parameter " + parameter.name + " as " + c10::toString(value.scalar_type()) +
                       ", but parameters are trained as float32 here; save the module after .float(), and "
                       "choose bf16 as the precision of the run.");
        }
        table.push_back({.name = parameter.name, .shape = value.sizes().vec(), .decays = decays(value)});
    }
    return table;
}

ScriptNetwork::ScriptNetwork(model::ScriptSpec spec, const FlatParameters& parameters,
                             const NetworkOptions& options)
    : Network(options),
      m_spec(std::move(spec)),
      m_module(loadScript(m_spec.file, options.device, options.trains, options.parameterType))
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
    std::vector<std::int64_t> bytes;
    std::unordered_set<const void*> seen;
    const torch::jit::Module module = loadScript(spec.file, c10::kMeta, true, options.parameterType);
    for (const auto& buffer : module.named_buffers()) {
        if (seen.insert(buffer.value.unsafeGetTensorImpl()).second)
            bytes.push_back(static_cast<std::int64_t>(buffer.value.nbytes()));
    }
    for (const auto& parameter : module.named_parameters()) {
        const bool isFrozen = !parameter.value.requires_grad();
        if (isFrozen && seen.insert(parameter.value.unsafeGetTensorImpl()).second)
            bytes.push_back(static_cast<std::int64_t>(parameter.value.nbytes()));
    }
    return bytes;
}

// Replaces the module's own tensors by those of the flat buffer, because those are restored after a failed
// backward pass.
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
    m_specialized.clear();
    const at::TensorOptions device(options().device);
    Batch batch;
    for (const model::ScriptInput& input : m_spec.inputs) {
        const std::vector<std::int64_t> shape = wholeShape(input, samples);
        batch.inputs.push_back(isInteger(input)
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

Batch ScriptNetwork::batchOf(std::span<const SampleRow> rows) const
{
    const auto samples = static_cast<std::int64_t>(rows.size());
    HostIntegers integers(options().device, samples, integersPerSample());
    for (std::int64_t i = 0; i < samples; ++i)
        writeIntegers(rows[static_cast<std::size_t>(i)], i, integers);
    const std::vector<at::Tensor> tensors = integers.tensors();

    Batch batch{.targets = tensors.back(), .countedTargets = countedTargets(rows)};
    for (std::size_t i = 0; i < m_spec.inputs.size(); ++i) {
        const model::ScriptInput& input = m_spec.inputs[i];
        batch.inputs.push_back(
            isInteger(input)
                ? tensors[i].view(wholeShape(input, samples))
                : normalNoise(rows, input.shape,
                              at::TensorOptions(options().device).dtype(options().parameterType)));
    }
    return batch.to(options().device);
}

// Returns the number of integers for each input, 0 for inputs of floats, and for the targets.
std::vector<std::int64_t> ScriptNetwork::integersPerSample() const
{
    std::vector<std::int64_t> widths;
    for (const model::ScriptInput& input : m_spec.inputs)
        widths.push_back(isInteger(input) ? c10::multiply_integers(input.shape) : 0);
    widths.push_back(m_spec.output == model::ScriptOutput::Loss ? 0 : m_spec.targetsPerSample);
    return widths;
}

void ScriptNetwork::writeIntegers(const SampleRow& row, std::int64_t index, HostIntegers& integers) const
{
    data::SampleRandom random(row.key);
    for (std::size_t i = 0; i < m_spec.inputs.size(); ++i) {
        for (std::int64_t& value : integers.row(i, index))
            value = random.below(m_spec.inputs[i].upperBound);
    }
    for (std::int64_t& target : integers.row(m_spec.inputs.size(), index))
        target = random.below(m_spec.classes);
}

std::int64_t ScriptNetwork::countedTargets(std::span<const SampleRow> rows) const
{
    const auto samples = static_cast<std::int64_t>(rows.size());
    return m_spec.output == model::ScriptOutput::Loss ? samples : samples * m_spec.targetsPerSample;
}

std::vector<at::Tensor> ScriptNetwork::statistics() const
{
    std::vector<at::Tensor> all;
    for (const auto& buffer : m_module.buffers())
        all.push_back(buffer);
    return all;
}

at::Tensor ScriptNetwork::loss(const Batch& batch, double normalizer) const
{
    const at::Tensor result = output(batch);
    const at::Tensor sum = m_spec.output == model::ScriptOutput::Loss
                               ? meanLoss(result).mul(static_cast<double>(batch.countedTargets))
                               : summedCrossEntropy(result, batch.targets.flatten());
    return sum.div(normalizer);
}

// Whole batches have at most two sizes, which differ by one sample, in training and in evaluation: if there
// are functions for more sizes, they belong to sizes that are no longer tried.
torch::jit::Module& ScriptNetwork::specialized(std::int64_t samples) const
{
    constexpr std::size_t maxKept = 4;
    const std::pair key(samples, options().trains);
    const auto known = m_specialized.find(key);
    if (known != m_specialized.end())
        return known->second;
    if (m_specialized.size() == maxKept)
        m_specialized.clear();
    torch::jit::Module copy = m_module.clone(/*inplace=*/true);
    copy.train(options().trains);
    return m_specialized.emplace(key, std::move(copy)).first->second;
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
        result = specialized(batch.inputs.front().size(0)).forward(inputs);
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
