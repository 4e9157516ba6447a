// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model_spec.h"

#include <cstdint>
#include <optional>

namespace batchpeak::model {

/// Tokens of the longest sequence that is run of it here: of a decoder the positions that it was made for, of
/// whatever kind, since most trainers refuse more; else as longestSequence() has it.
std::optional<std::int64_t> longestRun(const ModelSpec& spec);

} // namespace batchpeak::model
