// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"
#include "network.h"
#include "optimizers/flat_parameters.h"

#include <c10/core/Device.h>
#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace batchpeak::network {

class HostIntegers;

/// What a TorchScript file holds, and its module on a device.
///
/// Parameters that are trained are told from those that are not by requires_grad, as the file has it; a
/// parameter that stands in several modules counts once, under its first name.

/// \param trains  otherwise the module is in evaluation
/// \param type  of parameters and buffers that are no integers; float32 leaves them as the file has them
/// \throws std::invalid_argument  a full sentence, where the file is absent, no TorchScript, or of a libtorch
///         that this one cannot read; whatever libtorch throws where the device has not enough memory
torch::jit::Module loadScript(const std::string& file, c10::Device device, bool trains,
                              at::ScalarType type = at::kFloat);

/// The trained parameters, read from the file without holding them.
///
/// \throws as loadScript, and std::invalid_argument where one is not of float32
std::vector<model::Parameter> scriptParameters(const std::string& file);

/// A TorchScript module as a network: its trained parameters live in the flat buffer like any other's, its
/// inputs are made as they were declared.
///
/// The graph executor stays as libtorch sets it, which is what a training in Python runs the file with: it
/// watches the first passes of each function, compiles it for the shapes it has seen, and runs it so from
/// then on; warm-up covers that. As it specializes for few shapes only, each micro-batch size gets functions
/// of its own, so that the tenth size of an exploration runs as the only size of a training would.
///
/// A module is one layer to us: it is not checkpointed, and a cancel waits for its forward pass.
class ScriptNetwork : public Network
{
public:
    /// \param parameters  of scriptParameters(spec.file)
    /// \throws std::invalid_argument  a full sentence, where the file cannot be used
    ScriptNetwork(model::ScriptSpec spec, const FlatParameters& parameters, const NetworkOptions& options);

    Batch makeBatch(std::int64_t samples, std::int64_t sequenceLength) const override;
    std::int64_t tokensPerRow() const override { return 0; }
    std::int64_t vocabularySize() const override { return 0; }
    Batch batchOf(std::span<const SampleRow> rows) const override;
    std::int64_t countedTargets(std::span<const SampleRow> rows) const override;
    /// \throws UnsupportedStep  with the module's own words, where it does not take the declared inputs
    at::Tensor loss(const Batch& batch, double normalizer) const override;
    /// All buffers that the module holds now: it may change any of them in place. One that it replaces by
    /// another tensor is out of reach.
    std::vector<at::Tensor> statistics() const override;

    /// Each tensor that the module holds beside its trained parameters: buffers and frozen parameters.
    static std::vector<std::int64_t> bufferBytes(const model::ScriptSpec& spec,
                                                 const NetworkOptions& options);

private:
    torch::jit::Module& specialized(std::int64_t samples) const;
    std::vector<std::int64_t> integersPerSample() const;
    void writeIntegers(const SampleRow& row, std::int64_t index, HostIntegers& integers) const;
    void adopt(const FlatParameters& parameters);
    [[noreturn]] void refuse(const std::string& sentence) const;
    at::Tensor output(const Batch& batch) const;
    at::Tensor meanLoss(const at::Tensor& output) const;
    at::Tensor summedCrossEntropy(const at::Tensor& output, const at::Tensor& targets) const;

    model::ScriptSpec m_spec;
    torch::jit::Module m_module;
    /// m_module's attributes with functions of their own, by micro-batch size and whether they train.
    mutable std::map<std::pair<std::int64_t, bool>, torch::jit::Module> m_specialized;
};

} // namespace batchpeak::network
