// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchpeak::search {

/// What a calibration map belongs to: one way of choosing trials, one tolerance and one set of allowed sizes;
/// a foreign map misleads.
struct CalibrationCase
{
    double tolerance = 0.02;
    /// Only the divisors of a batch are allowed.
    bool divisorsOnly = false;
    bool severalDevices = false;
};

/// Turns the share of paths in which a size is within tolerance into a probability that holds: raw shares are
/// too modest when low and too sure when high. Between tolerances the coefficients of the maps are
/// interpolated in the tolerance's logarithm.
///
/// \param share  of the paths, 0..1
/// \param trials  all of them so far, failures included
double calibratedProbability(const CalibrationCase& situation, double share, int trials);

/// A probability as the confidence that a person reads: whole percent, 1..99, since neither certainty is
/// ever reached.
int confidencePercent(double probability);

} // namespace batchpeak::search
