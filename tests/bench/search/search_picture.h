// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search_record.h"

#include <string>

/// A search of Objective::Micro as an SVG document: the true curve, what the search believed of it at the end
/// (median and 5 to 95 %), its trials in their order, its recommendation, and the largest size that fits. The
/// lower half shows the top of the curve alone.
std::string searchPicture(const SearchRecord& record);
