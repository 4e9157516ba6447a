// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <string_view>

namespace batchpeak::engine {

/// What would change in a file, as diff -u words it (POSIX.1-2024, diff) and as patch and git apply take it;
/// empty where nothing does. A "\r" at a line's end stays there.
///
/// \param before, after  UTF-8
/// \param beforeName, afterName  as they are to stand after "---" and "+++"; quoted as git does where a name
/// has
///                               characters that would end it
/// \param context  unchanged lines around each change
QString unifiedDiff(std::string_view before, std::string_view after, const QString& beforeName,
                    const QString& afterName, int context = 3);

} // namespace batchpeak::engine
