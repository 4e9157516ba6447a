// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <functional>

namespace batchpeak::engine {

/// Spells what a terminal does something else with than show it where it stands: control characters (C0, DEL
/// and C1 of ECMA-48), those that turn the direction of text, so that it reads as another one (Bidi_Control
/// of Unicode), that end lines (U+2028, U+2029), or that nobody sees, as fillers. Joiners (U+200C, U+200D)
/// and variation selectors, without which some scripts and emoji cannot be written, are none of them behind a
/// character that they can change, which no Latin one is. Tabs and ends of lines, CR LF among them, stay.
/// \param spell  is asked what is to stand in the place of an unseen character
QString withUnseenSpelled(const QString& text, const std::function<QString(char32_t)>& spell);

/// Words of configs, workers, devices and files as a terminal may have them: an unseen character, which could
/// color, erase, answer in its user's name or hide what is written, is spelled out as "\x1b" or "\u202e".
/// What is visible already stays as it is.
QString escapeControls(const QString& text);

/// What is to be one line: where it has more, the others are indented, so that none of them looks like a line
/// of this program.
QString withIndentedBreaks(QString text);

} // namespace batchpeak::engine
