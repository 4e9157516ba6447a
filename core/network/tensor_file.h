// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "optimizers/flat_parameters.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace batchpeak::network {

/// Writes tensors to a safetensors file: on the CPU from where they lie, from a GPU in pieces, so that no
/// second copy of them all is made. The file gets its name when it is whole and on the disk; what stood there
/// before stays until then.
///
/// \return bytes of the file
/// \throws CheckpointError
std::int64_t writeTensorFile(const std::string& path, const std::vector<NamedTensor>& tensors,
                             const std::map<std::string, std::string>& metadata);

/// Reads the tensors of a safetensors file to where they are to lie. The file must hold these and no others,
/// of the same shapes and types: that is checked before any of them changes.
///
/// \throws CheckpointError
void readTensorFile(const std::string& path, const std::vector<NamedTensor>& tensors);

} // namespace batchpeak::network
