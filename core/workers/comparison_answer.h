// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/comparison.h"
#include "trial/trial_result.h"

#include <QString>

namespace batchpeak::engine {

/// Returns the reason that a result does not answer a comparison: it names sizes that were not requested,
/// claims to have ended well but lacks some sizes, or has different visits than requested. Empty if it does
/// answer it.
///
/// Errors that a line shows on its own are already rejected by the trial protocol.
QString problemWith(const trial::TrialResult& result, const trial::CompareRequest& request);

} // namespace batchpeak::engine
