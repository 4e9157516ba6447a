// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/trial_record.h"

#include <QString>

namespace batchpeak::store {

/// What is kept of a trial that nobody looks for by itself: why it was run, its parts, what the device told
/// meanwhile. An object of JSON, which leaves out what is as usual.
QString detailsOf(const trial::TrialRecord& trial);

/// \param details  of detailsOf(); empty of an older program, which changes nothing
void takeDetails(trial::TrialRecord& trial, const QString& details);

} // namespace batchpeak::store
