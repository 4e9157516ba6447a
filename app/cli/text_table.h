// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include <vector>

namespace batchpeak::cli {

/// Rows of words as lines with aligned columns, two spaces between them and none at a line's end.
QStringList alignedLines(const std::vector<QStringList>& rows);

} // namespace batchpeak::cli
