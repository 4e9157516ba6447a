// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>

/// Tensors by name, in the form of a dictionary that torch.save writes and torch.load reads.
using NamedTensors = std::map<std::string, at::Tensor>;

/// \throws std::runtime_error  a full sentence, if the file cannot be read or holds something else
NamedTensors readTensors(const std::string& path);

/// \throws std::runtime_error  a full sentence, if the file cannot be written
void writeTensors(const std::string& path, const NamedTensors& tensors);
