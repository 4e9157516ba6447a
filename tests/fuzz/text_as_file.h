// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "fuzz_target.h"
#include "support/files.h"

#include <QTemporaryDir>

namespace batchpeak::fuzz {

/// Returns the path of a file that contains \p text, for readers that need a file; the path is always the
/// same.
inline QString asFile(std::string_view text)
{
    // The file lies in memory rather than on a disk, which fuzzing would wear out.
    static const QTemporaryDir folder(QStringLiteral("/dev/shm/batchpeak-fuzz-XXXXXX"));
    const QString path = folder.filePath(QStringLiteral("input"));
    test::writeFile(path, QByteArray(text.data(), static_cast<qsizetype>(text.size())));
    return path;
}

} // namespace batchpeak::fuzz
