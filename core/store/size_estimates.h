// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "exploration_records.h"

#include <QString>

#include <vector>

namespace batchpeak::store {

/// Estimates as one text: an array of JSON with an array of four numbers for each.
QString textOf(const std::vector<EstimateRecord>& estimates);

/// \param text  of textOf(); empty of an older program, which told none
std::vector<EstimateRecord> estimatesFrom(const QString& text);

} // namespace batchpeak::store
