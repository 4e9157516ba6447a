// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "exploration_records.h"

#include <QString>

#include <vector>

namespace batchpeak::store {

/// Returns the estimates as one text: a JSON array with an array of four numbers for each.
QString textOf(const std::vector<EstimateRecord>& estimates);

/// \param text  from textOf(); empty if an older program wrote it, which stored none
std::vector<EstimateRecord> estimatesFrom(const QString& text);

} // namespace batchpeak::store
