// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search_runner.h"

#include <span>
#include <string>
#include <vector>

/// Searches that are shown together.
struct CalibrationPanel
{
    std::string title;
    std::vector<SearchRecord> searches;
};

/// Mean probability that searches stated when they first reached some probability, and how often they were
/// right.
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

/// Returns the first passages of searches.
/// \return empty if no search states that much
std::vector<FirstPassage> firstPassagesOf(const std::vector<SearchRecord>& searches);

/// Returns the panels side by side as an SVG document: the stated probability on the x-axis, the share that
/// was right on the y-axis, and a diagonal on which statements would be true.
std::string calibrationPicture(std::span<const CalibrationPanel> panels);
