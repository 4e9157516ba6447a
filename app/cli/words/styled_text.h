// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <vector>

namespace batchpeak::cli {

/// The role of a part of a line, for a terminal that shows colors.
enum class Style { Plain, Strong, Muted, Accent, Good, Warning, Bad };

/// A line whose parts have styles. This class alone knows what the styles look like; the console decides
/// whether they are shown. Control characters in the text are made visible by escapeControls(), so that the
/// only control sequences in it are those of the styles.
class StyledText
{
public:
    StyledText() = default;
    StyledText(const QString& plain) { append(plain); }

    void append(const QString& text, Style style = Style::Plain);
    void append(const StyledText& text);

    bool isEmpty() const { return columns() == 0; }
    /// Width in columns; every character counts as one column.
    qsizetype columns() const;
    StyledText left(qsizetype columns) const;

    QString plain() const;
    /// Returns the text with "select graphic rendition" sequences (ECMA-48, 8.3.117) around the parts that
    /// have a style.
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
