// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <functional>

namespace batchpeak::engine {

/// Replaces characters that a terminal does not simply show where they stand: control characters (C0, DEL and
/// C1 of ECMA-48), characters that change the direction of text, so that it reads as a different one
/// (Bidi_Control of Unicode), those that end lines (U+2028, U+2029), and invisible ones such as fillers.
/// Joiners (U+200C, U+200D) and variation selectors, without which some scripts and emoji cannot be written,
/// are kept after a character that they can change, which no Latin one is. Tabs and line ends, including CR
/// LF, are kept.
/// \param spell  returns the replacement of an unseen character
QString withUnseenSpelled(const QString& text, const std::function<QString(char32_t)>& spell);

/// Makes words of configs, workers, devices and files safe to print in a terminal. An unseen character, which
/// could color, erase, answer in its user's name or hide what is written, is spelled out as "\x1b" or
/// "\u202e". Visible characters stay as they are.
QString escapeControls(const QString& text);

/// Indents all lines but the first of a text that should be one line, so that none of them looks like a line
/// of this program.
QString withIndentedBreaks(QString text);

} // namespace batchpeak::engine
