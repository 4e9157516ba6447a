// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search_runner.h"

#include <span>
#include <string>
#include <vector>

/// Searches to be looked at together.
struct CalibrationPanel
{
    std::string title;
    std::vector<SearchRecord> searches;
};

/// What was stated, and how often it was right, of the searches that first stated as much as a probability.
struct FirstPassage
{
    /// Means, 0..1.
    double stated = 0.0;
    double right = 0.0;
    /// Wilson's interval of 95 % (Journal of the American Statistical Association 22, 1927).
    double low = 0.0;
    double high = 0.0;
    int searches = 0;
};

/// \return nothing where no search states that much
std::vector<FirstPassage> firstPassagesOf(const std::vector<SearchRecord>& searches);

/// A panel beside the other, as an SVG document: stated to the right, right upward, and a diagonal on which
/// what is stated would be true.
std::string calibrationPicture(std::span<const CalibrationPanel> panels);
