// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "words/styled_text.h"

#include <QString>

#include <optional>
#include <vector>

namespace batchpeak::cli {

/// How important a part of a line is. If a terminal is too narrow for all parts, the least important ones are
/// dropped first.
enum class Importance { Most, More, Some, Less, Least };

struct ProgressPart
{
    QString text;
    Importance importance = Importance::Most;
    Style style = Style::Plain;

    bool operator==(const ProgressPart&) const = default;
};

/// The progress of something that runs for a while. fitted() decides how much of it a terminal of a given
/// width shows.
struct ProgressLine
{
    /// Completed share, 0..1; nothing if it is unknown.
    std::optional<double> share;
    /// Parts in the order in which they are read.
    std::vector<ProgressPart> parts;

    bool isEmpty() const { return !share && parts.empty(); }
};

/// Returns a progress bar, the percentage, and behind them as many parts as fit, separated by two spaces. A
/// narrow terminal shows no bar. The bar's length depends on the terminal alone, so that it does not jump.
StyledText fitted(const ProgressLine& line, int columns);

} // namespace batchpeak::cli
