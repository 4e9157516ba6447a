// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"

#include <QLocale>
#include <QString>

#include <cstdint>
#include <optional>

namespace batchpeak::engine {

/// The recommended size beside the one that stands in the config: what a person gains who writes it.
struct PresentSizeComparison
{
    /// The size that the config has.
    std::int64_t size = 0;
    /// How many times its samples/s the recommended size reaches, both as the search estimates them; where it
    /// has no estimate of the config's size, both by the fitted curve. 1 for the same size. Nothing where the
    /// curve does not reach it.
    std::optional<double> factor;
    /// A trial ran it; else the factor is what the curve makes of other sizes.
    bool isMeasured = false;
    /// It is known not to fit.
    bool doesNotFit = false;

    bool operator==(const PresentSizeComparison&) const = default;
};

/// Nothing without a recommendation, or where the config asks for a search and so has no size.
std::optional<PresentSizeComparison> comparedWithPresentSize(const Snapshot& snapshot);

/// "1.31× the config's 16", "about 1.31× the config's 16" where no trial ran that, "the config's 64 does not
/// fit", "the config's size"; empty where there is nothing to compare with, or the trials do not tell yet.
QString presentSizeText(const Snapshot& snapshot, const QLocale& locale = QLocale());

} // namespace batchpeak::engine
