// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"

#include <c10/core/Device.h>
#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <string>
#include <vector>

namespace batchpeak::network {

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

/// Each tensor that the module holds beside its trained parameters: buffers and frozen parameters [bytes].
std::vector<std::int64_t> scriptBufferBytes(const std::string& file, at::ScalarType type = at::kFloat);

/// What a message of TorchScript says itself, as a sentence: its last line, which follows a trace through the
/// module's code.
std::string ownWords(const std::string& message);

} // namespace batchpeak::network
