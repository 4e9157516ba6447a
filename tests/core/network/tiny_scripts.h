// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>

#include <string>

namespace batchpeak::network {

/// TorchScript modules as torch.jit.script and torch.jit.save write them, created without Python.

/// Saves a module of two layers on vectors of 12 numbers. One weight has two names in the module; it also has
/// a buffer that counts training steps, and a frozen scale.
///
/// \param forward  "def forward(self, x): ..." over self.up, self.down, self.bias, self.steps and self.scale
inline void saveScript(const std::string& file, const std::string& forward, std::int64_t classes)
{
    at::manual_seed(3);
    torch::jit::Module module("Tiny");
    const auto parameter = [](const at::Tensor& value) {
        return at::Tensor(value).mul_(0.1).requires_grad_(true);
    };
    const at::Tensor up = parameter(at::randn({16, 12}));
    module.register_parameter("up", up, false);
    module.register_parameter("up_again", up, false);
    module.register_parameter("down", parameter(at::randn({classes, 16})), false);
    module.register_parameter("bias", parameter(at::zeros({classes})), false);
    module.register_parameter("scale", at::ones({16}), false);
    module.register_buffer("steps", at::zeros({1}));
    module.register_attribute("training", c10::BoolType::get(), true);
    module.define(forward);
    module.save(file);
}

inline const std::string logitsForward = R"(
def forward(self, x):
    if self.training:
        self.steps.add_(1.0)
    hidden = torch.relu(torch.matmul(x, self.up.t())) * self.scale
    return torch.matmul(hidden, self.down.t()) + self.bias
)";

inline const std::string lossForward = R"(
def forward(self, x):
    hidden = torch.relu(torch.matmul(x, self.up_again.t())) * self.scale
    return (torch.matmul(hidden, self.down.t()) + self.bias - 1.0).pow(2).mean()
)";

inline model::ScriptSpec scriptSpec(const std::string& file, std::int64_t classes = 0)
{
    return {.file = file,
            .inputs = {{.shape = {12}}},
            .output = classes > 0 ? model::ScriptOutput::Logits : model::ScriptOutput::Loss,
            .classes = classes};
}

} // namespace batchpeak::network
