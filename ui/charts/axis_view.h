// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "axis_scales.h"

#include <optional>

namespace batchpeak::ui {

/// A part of an axis that a person looks at, in the place of the whole. Plain arithmetic: which part it is,
/// and when the whole is shown again, is for those who hold one.
///
/// On a logarithmic axis distances are ratios: zooming by a factor and moving by a share mean what they look
/// like.
struct AxisView
{
    AxisRange whole;
    bool logarithmic = true;
    /// No less than this is shown, in units of the axis.
    double minSpan = 2.0;

    /// \p shown with its span times \p factor, such that \p fixed stays where it is on the screen; nothing
    /// where that is the whole.
    std::optional<AxisRange> zoomed(const AxisRange& shown, double factor, double fixed) const;
    /// \p shown moved by that share of its width, but not out of the whole.
    AxisRange moved(const AxisRange& shown, double share) const;
    /// A part that was asked for, as far as it can be shown; nothing where that is the whole.
    std::optional<AxisRange> limited(const AxisRange& asked) const;
    /// \p shown moved just so far that \p place is in it, with some room beside it.
    AxisRange revealing(const AxisRange& shown, double place) const;

private:
    double from(double place) const;
    double to(double distance) const;
    std::optional<AxisRange> limitedDistances(double low, double high) const;
};

} // namespace batchpeak::ui
