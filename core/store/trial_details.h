// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/trial_record.h"

#include <QString>

namespace batchpeak::store {

/// Returns the part of a trial that is never queried by itself: why it was run, its parts, what the device
/// reported meanwhile. It is a JSON object without members that have their default value.
QString detailsOf(const trial::TrialRecord& trial);

/// Sets that part of a trial.
/// \param details  from detailsOf(); empty if an older program wrote it, which changes nothing
void takeDetails(trial::TrialRecord& trial, const QString& details);

} // namespace batchpeak::store
