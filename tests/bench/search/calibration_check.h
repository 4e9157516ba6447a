// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "calibration_fit.h"

#include <span>
#include <string>

/// How honest a search was or would be, had it stated \p map's probabilities and stopped by them, as
/// core/search does: twice in a row at 95 %, or once at 98.5 %.
///
/// \param searches  that went on to the end
std::string calibrationCheck(const CalibrationMap& map, std::span<const CalibrationReports> searches);

/// Names of the columns of the above.
std::string calibrationCheckHeading();
