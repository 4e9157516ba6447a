// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search_runner.h"

#include <string>
#include <vector>

/// What the columns mean, and their names, to be printed above the rows.
std::string figuresHeading();

/// One row: what many searches cost, and how right and how honest they were.
std::string figuresRow(const std::string& name, const std::vector<SearchRecord>& searches);

/// Two rows to stand below that one: between what it lies with a probability of 95 %, had other searches of
/// the same kind been run. Bootstrap over searches, since the reports of one are not independent; Efron,
/// Annals of Statistics 7 (1979).
std::string intervalRows(const std::vector<SearchRecord>& searches);

/// Lines to stand below those, each with its end of line, of what only some searches have: what recorded
/// sweeps leave possible, and leads that were claimed where there is none. Empty where no search has either.
std::string truthLines(const std::vector<SearchRecord>& searches);

/// A search trial by trial, beside what is true: for finding out why one fails.
std::string traceText(const SearchRecord& record);

/// A search of Objective::Micro as an SVG document: the true curve, what the search believed of it at the end
/// (median and 5 to 95 %), its trials in their order, its recommendation, and the largest size that fits. The
/// lower half shows the top of the curve alone.
std::string searchPicture(const SearchRecord& record);
