// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace batchpeak::config {

/// Returns the places that differ in two YAML texts as yaml-cpp, which shares no code with our reader, reads
/// them: paths of keys and indices with aliases followed, such as "train_input.micro_batch_size". If only one
/// text has a key, the path of the key stands for everything below it. Returns no value if yaml-cpp cannot
/// read the first text.
///
/// \throws YAML::Exception if it cannot read the second text
std::optional<std::vector<std::string>> changedPaths(const std::string& before, const std::string& after);

} // namespace batchpeak::config
