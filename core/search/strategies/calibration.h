// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchpeak::search {

/// Turns the share of paths in which a size is within tolerance into a probability that holds: raw shares
/// are too modest when low and too sure when high.
///
/// A map belongs to one way of choosing trials, one tolerance and one set of allowed sizes; a foreign one
/// misleads. Between tolerances the coefficients are interpolated in the tolerance's logarithm.
struct CalibrationCase
{
    double tolerance = 0.02;
    /// Only the divisors of a batch are allowed.
    bool divisorsOnly = false;
    bool severalDevices = false;
};

/// \param share  of the paths, 0..1
/// \param trials  all of them so far, failures included
double calibratedProbability(const CalibrationCase& situation, double share, int trials);

} // namespace batchpeak::search
