// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "syntax/config_section.h"

#include <optional>
#include <string_view>

namespace batchpeak::config {

/// The learning rate at the end of a path of keys ("optimizer.params.lr"), where it is one number above 0.
///
/// Nothing is thrown, since trials do without it: a schedule, a word such as DeepSpeed's "auto", or a key
/// that stands twice leaves it out.
std::optional<double> readLearningRate(const ConfigSection& section, std::string_view path);

/// The same of a number that was read already.
std::optional<double> learningRateOf(std::optional<double> number);

} // namespace batchpeak::config
