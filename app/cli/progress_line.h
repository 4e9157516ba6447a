// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "words/styled_text.h"

#include <QString>

#include <optional>
#include <vector>

namespace batchpeak::cli {

/// How important a part of a line is: where a terminal is too narrow for all, what is least goes first.
enum class Importance { Most, More, Some, Less, Least };

struct ProgressPart
{
    QString text;
    Importance importance = Importance::Most;
    Style style = Style::Plain;

    bool operator==(const ProgressPart&) const = default;
};

/// Where something stands that runs for a while. How much of it a terminal of some width shows, fitted()
/// says.
struct ProgressLine
{
    /// 0..1; nothing where it cannot be told.
    std::optional<double> share;
    /// In the order in which they are read.
    std::vector<ProgressPart> parts;

    bool isEmpty() const { return !share && parts.empty(); }
};

/// A bar and the percentage, and behind them as many parts as there is room for, with two spaces between. In
/// a narrow terminal there is no bar. The bar's length depends on the terminal alone, so that it does not
/// jump.
StyledText fitted(const ProgressLine& line, int columns);

} // namespace batchpeak::cli
