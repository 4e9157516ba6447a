// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/trial_request.h"

#include <cstdint>

namespace batchpeak::network {

/// What StepRunner would hold before its first step, without allocating anything [bytes].
///
/// \throws std::invalid_argument  a full sentence, where the network is impossible
std::int64_t requiredBaselineBytes(const trial::LoadRequest& request);

} // namespace batchpeak::network
