// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <string>

namespace batchpeak::engine {

/// Returns a word as a POSIX shell takes it: as it stands if it holds nothing that a shell reads otherwise,
/// else in single quotes.
QString quotedForShell(const QString& word);

/// Returns the words as one command line that a POSIX shell splits into the same words.
QString quotedForShell(const QStringList& words);

/// Returns a text in single quotes, whatever it holds.
std::string inSingleQuotes(const std::string& text);

} // namespace batchpeak::engine
