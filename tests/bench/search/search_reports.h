// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search_runner.h"

#include <string>
#include <vector>

/// Returns the meaning of the columns, and their names, to be printed above the rows.
std::string figuresHeading();

/// Returns one row: the cost of many searches, and how right and how honest they were.
std::string figuresRow(const std::string& name, const std::vector<SearchRecord>& searches);

/// Returns two rows to be printed below that row: the bounds between which its figures lie with a probability
/// of 95 % if other searches of the same kind are run. Bootstrap over searches, since the reports of one are
/// not independent; Efron, Annals of Statistics 7 (1979).
std::string intervalRows(const std::vector<SearchRecord>& searches);

/// Returns lines to be printed below those, each with a line break, about figures that only some searches
/// have: what recorded sweeps leave possible, and leads that were claimed although there is none. Empty if no
/// search has either.
std::string truthLines(const std::vector<SearchRecord>& searches);

/// Returns a search trial by trial, next to the truth, to find out why one fails.
std::string traceText(const SearchRecord& record);

/// Returns a search of Objective::Micro as an SVG document: the true curve, the search's estimate of it at
/// the end (median and 5 to 95 %), its trials in order, its recommendation, and the largest size that fits.
/// The lower half shows only the top of the curve.
std::string searchPicture(const SearchRecord& record);
