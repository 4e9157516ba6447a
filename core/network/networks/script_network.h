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

/// The contents of a TorchScript file, and its module on a device.
///
/// Parameters with requires_grad in the file are trained, the others are not. A parameter that several
/// modules share counts once, under its first name.

/// Loads the module of a file.
///
/// \param trains  whether the module is in training mode; otherwise it is in evaluation mode
/// \param type  dtype of floating-point parameters and buffers; float32 leaves them as they are in the file
/// \throws std::invalid_argument  if the file is absent, is no TorchScript, or is of a libtorch that this one
///         cannot read, with a full sentence as message; whatever libtorch throws if the device has not
///         enough memory
torch::jit::Module loadScript(const std::string& file, c10::Device device, bool trains,
                              at::ScalarType type = at::kFloat);

/// Returns the trained parameters, read from the file without keeping them.
///
/// \throws std::invalid_argument  if one is not float32; and whatever loadScript() throws
std::vector<model::Parameter> scriptParameters(const std::string& file);

/// A TorchScript module as a network. Its trained parameters live in the flat buffer like those of any other
/// network, and its inputs are made as they were declared.
///
/// The graph executor keeps libtorch's default settings, with which a training in Python runs the file: it
/// watches the first passes of each function, compiles it for the shapes that it has seen, and runs it so
/// from then on; warm-up covers that. Because it specializes for only a few shapes, each micro-batch size
/// gets functions of its own, so that the tenth size of an exploration runs like the only size of a training.
///
/// We treat a module as one layer: it is not checkpointed, and a cancel waits for its forward pass.
class ScriptNetwork : public Network
{
public:
    /// \param parameters  parameters of scriptParameters(spec.file)
    /// \throws std::invalid_argument  if the file cannot be used; the message is a full sentence
    ScriptNetwork(model::ScriptSpec spec, const FlatParameters& parameters, const NetworkOptions& options);

    Batch makeBatch(std::int64_t samples, std::int64_t sequenceLength) const override;
    std::int64_t tokensPerRow() const override { return 0; }
    std::int64_t vocabularySize() const override { return 0; }
    Batch batchOf(std::span<const SampleRow> rows) const override;
    std::int64_t countedTargets(std::span<const SampleRow> rows) const override;
    /// \throws UnsupportedStep  if the module does not take the declared inputs, with the module's own
    ///         message
    at::Tensor loss(const Batch& batch, double normalizer) const override;
    /// Returns all buffers that the module holds now: it may change any of them in place. A buffer that it
    /// replaces with another tensor cannot be restored.
    std::vector<at::Tensor> statistics() const override;

    /// Returns the bytes of each tensor that the module holds beside its trained parameters: buffers and
    /// frozen parameters.
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
    /// Copies of the module that share m_module's attributes and have functions of their own, by micro-batch
    /// size and by whether they train.
    mutable std::map<std::pair<std::int64_t, bool>, torch::jit::Module> m_specialized;
};

} // namespace batchpeak::network
