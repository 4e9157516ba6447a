// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace batchpeak::config {

/// The places at which two YAML texts differ for yaml-cpp, a reader that has nothing in common with ours:
/// paths of keys and indices, aliases followed, such as "train_input.micro_batch_size". A key that only one
/// of them has is one path, with all below it. Nothing where yaml-cpp cannot read the first.
///
/// \throws YAML::Exception where it cannot read the second
std::optional<std::vector<std::string>> changedPaths(const std::string& before, const std::string& after);

} // namespace batchpeak::config
