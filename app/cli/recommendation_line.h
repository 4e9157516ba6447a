// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/strategy.h"

#include <QDateTime>
#include <QString>

namespace batchpeak::cli {

/// The line that says a new recommendation, worded as the Cerebras compiler words it in its logs, code
/// included, so that a grep written for those works here.
///
/// \param time  of the recommendation, in any time zone; the line says GMT
QString recommendationLine(const QDateTime& time, const search::Recommendation& recommendation);

} // namespace batchpeak::cli
