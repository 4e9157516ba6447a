// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>

/// Tensors by name, as torch.save writes a dictionary of them and torch.load reads it.
using NamedTensors = std::map<std::string, at::Tensor>;

/// \throws std::runtime_error  a full sentence, where the file cannot be read or holds something else
NamedTensors readTensors(const std::string& path);

/// \throws std::runtime_error  a full sentence, where the file cannot be written
void writeTensors(const std::string& path, const NamedTensors& tensors);
