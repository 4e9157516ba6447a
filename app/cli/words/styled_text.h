// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <vector>

namespace batchpeak::cli {

/// What a part of a line is, for a terminal that has colors.
enum class Style { Plain, Strong, Muted, Accent, Good, Warning, Bad };

/// A line whose parts have styles. How those look, it alone knows; whether they show, the console. Its text
/// is visible, as of escapeControls(), so that no control sequence is in it but those of its own styles.
class StyledText
{
public:
    StyledText() = default;
    StyledText(const QString& plain) { append(plain); }

    void append(const QString& text, Style style = Style::Plain);
    void append(const StyledText& text);

    bool isEmpty() const { return columns() == 0; }
    /// Of characters that take one column each.
    qsizetype columns() const;
    StyledText left(qsizetype columns) const;

    QString plain() const;
    /// With "select graphic rendition" (ECMA-48, 8.3.117) around what has a style.
    QString colored() const;

    bool operator==(const StyledText&) const = default;

private:
    struct Part
    {
        QString text;
        Style style = Style::Plain;
        bool operator==(const Part&) const = default;
    };
    std::vector<Part> m_parts;
};

} // namespace batchpeak::cli
