// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"

#include <QLocale>
#include <QString>

#include <cstdint>
#include <optional>

namespace batchpeak::engine {

/// Comparison of the recommended size with the one in the config: what a person gains who writes it.
struct PresentSizeComparison
{
    /// The size that the config has.
    std::int64_t size = 0;
    /// Ratio of the samples/s of the recommended size to those of the config's, both as the search estimates
    /// them; if it has no estimate of the config's size, both by the fitted curve. 1 for the same size.
    /// Nothing if the curve does not reach the config's size.
    std::optional<double> factor;
    /// Whether a trial ran the config's size; otherwise, the factor follows from other sizes by the curve.
    bool isMeasured = false;
    /// Whether the config's size is known not to fit.
    bool doesNotFit = false;

    bool operator==(const PresentSizeComparison&) const = default;
};

/// Returns nothing without a recommendation, or if the config asks for a search and so has no size.
std::optional<PresentSizeComparison> comparedWithPresentSize(const Snapshot& snapshot);

/// "1.31× the config's 16", "about 1.31× the config's 16" if no trial ran that size, "the config's 64 does
/// not fit", "the config's size"; empty if there is nothing to compare with, or the trials do not tell yet.
QString presentSizeText(const Snapshot& snapshot, const QLocale& locale = QLocale());

} // namespace batchpeak::engine
