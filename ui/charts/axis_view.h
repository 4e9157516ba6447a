// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "axis_scales.h"

#include <optional>

namespace batchpeak::ui {

/// The part of an axis that the user has zoomed to. Plain arithmetic: the owner stores which part is shown,
/// and decides when the whole is shown again.
///
/// On a logarithmic axis distances are ratios, so that zooming by a factor and panning by a fraction look as
/// expected.
struct AxisView
{
    AxisRange whole;
    bool logarithmic = true;
    /// Smallest span that is shown, in units of the axis.
    double minSpan = 2.0;

    /// Returns \p shown with its span multiplied by \p factor, such that \p fixed keeps its position on the
    /// screen; nothing if that is the whole axis.
    std::optional<AxisRange> zoomed(const AxisRange& shown, double factor, double fixed) const;
    /// Returns \p shown moved by that fraction of its width, but not beyond the whole axis.
    AxisRange moved(const AxisRange& shown, double share) const;
    /// Returns the requested range as far as it can be shown; nothing if that is the whole axis.
    std::optional<AxisRange> limited(const AxisRange& asked) const;
    /// Returns \p shown moved just far enough to contain \p place, with some margin beside it.
    AxisRange revealing(const AxisRange& shown, double place) const;

private:
    double from(double place) const;
    double to(double distance) const;
    std::optional<AxisRange> limitedDistances(double low, double high) const;
};

} // namespace batchpeak::ui
