// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "progress_line.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::cli {

namespace {

constexpr int fewestColumnsForABar = 50;
constexpr int shortBar = 8;
constexpr int longBar = 24;
constexpr int fewestColumnsForALongBar = 110;

int barLength(int columns)
{
    if (columns < fewestColumnsForABar)
        return 0;
    return columns < fewestColumnsForALongBar ? shortBar : longBar;
}

StyledText bar(double share, int length)
{
    // These blocks exist in the code pages of old consoles too.
    const int done = std::clamp(static_cast<int>(std::floor(share * length)), 0, length);
    StyledText text;
    text.append(QString(done, QChar(0x2588)), Style::Accent);
    text.append(QString(length - done, QChar(0x2591)), Style::Muted);
    if (length > 0)
        text.append(QStringLiteral(" "));
    return text;
}

StyledText start(double share, int columns)
{
    StyledText text = bar(share, barLength(columns));
    text.append(QStringLiteral("%1 %").arg(static_cast<int>(share * 100), 3), Style::Strong);
    return text;
}

} // namespace

StyledText fitted(const ProgressLine& line, int columns)
{
    const auto joined = [&](Importance min) {
        StyledText text = line.share ? start(*line.share, columns) : StyledText();
        for (const ProgressPart& part : line.parts) {
            if (part.importance > min || part.text.isEmpty())
                continue;
            if (!text.isEmpty())
                text.append(QStringLiteral("  "));
            text.append(part.text, part.style);
        }
        return text;
    };
    for (const Importance min : {Importance::Least, Importance::Less, Importance::Some, Importance::More}) {
        if (StyledText text = joined(min); text.columns() <= columns)
            return text;
    }
    return joined(Importance::Most).left(columns);
}

} // namespace batchpeak::cli
