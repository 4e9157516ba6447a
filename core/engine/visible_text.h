// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace batchpeak::engine {

/// Words of configs, workers, devices and files as a terminal may have them: a control character, which
/// could color, erase or answer in its user's name, is spelled out as "\x1b" (C0, DEL and C1 of ECMA-48).
/// Tabs and ends of lines, CR LF among them, stay. What is visible already stays as it is.
QString visibleText(const QString& text);

/// What is to be one line: where it has more, the others are indented, so that none of them looks like a line
/// of this program.
QString withIndentedBreaks(QString text);

} // namespace batchpeak::engine
