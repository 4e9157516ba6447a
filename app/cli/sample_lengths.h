// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

#include <cstdint>
#include <vector>

namespace batchpeak::cli {

/// The lengths of samples in a text of one whole number a line, blank lines and lines that start with #
/// left out; of more than a thousand, as many quantiles of them.
///
/// \param name  of the file, for the sentence
/// \throws UsageError  naming file and line
std::vector<std::int64_t> sampleLengthsFromText(const QByteArray& text, const QString& name);

/// \throws UsageError  also where the file cannot be read
std::vector<std::int64_t> sampleLengthsFromFile(const QString& path);

} // namespace batchpeak::cli
