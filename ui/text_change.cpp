// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text_change.h"

#include <algorithm>

namespace batchpeak::ui {

namespace {

QStringList linesOf(std::string_view text)
{
    QStringList lines =
        QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())).split(QLatin1Char('\n'));
    for (QString& line : lines) {
        if (line.endsWith(QLatin1Char('\r')))
            line.chop(1);
    }
    return lines;
}

} // namespace

TextChange changeBetween(std::string_view before, std::string_view after)
{
    const QStringList old = linesOf(before);
    const QStringList fresh = linesOf(after);
    const auto begin = std::ranges::mismatch(old, fresh);
    if (begin.in1 == old.end() && begin.in2 == fresh.end())
        return {};
    const auto first = begin.in1 - old.begin();
    // The common end must not reach into the common beginning.
    auto sameAtEnd =
        std::ranges::mismatch(old.rbegin(), old.rend(), fresh.rbegin(), fresh.rend()).in1 - old.rbegin();
    sameAtEnd = std::min({sameAtEnd, old.size() - first, fresh.size() - first});
    return {.line = static_cast<int>(first) + 1,
            .before = old.mid(first, old.size() - first - sameAtEnd),
            .after = fresh.mid(first, fresh.size() - first - sameAtEnd)};
}

} // namespace batchpeak::ui
