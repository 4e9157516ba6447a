// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace batchpeak::config {

/// Returns the places at which two YAML texts differ according to yaml-cpp, a reader that shares nothing with
/// ours: paths of keys and indices with aliases followed, such as "train_input.micro_batch_size". A key that
/// only one text has is a single path, which stands for everything below it. Returns nothing if yaml-cpp
/// cannot read the first text.
///
/// \throws YAML::Exception if it cannot read the second text
std::optional<std::vector<std::string>> changedPaths(const std::string& before, const std::string& after);

} // namespace batchpeak::config
