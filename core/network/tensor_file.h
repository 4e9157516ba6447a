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
/// second copy of all of them is made. The file gets its name when it is complete and on the disk; a file of
/// that name stays until then.
///
/// \return size of the file in bytes
/// \throws CheckpointError
std::int64_t writeTensorFile(const std::string& path, const std::vector<NamedTensor>& tensors,
                             const std::map<std::string, std::string>& metadata);

/// Reads the tensors of a safetensors file into the given tensors. The file must hold these and no others,
/// with the same shapes and dtypes. That is checked before any of them changes.
///
/// \throws CheckpointError
void readTensorFile(const std::string& path, const std::vector<NamedTensor>& tensors);

} // namespace batchpeak::network
