// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "fuzz_target.h"
#include "support/files.h"

#include <QTemporaryDir>

namespace batchpeak::fuzz {

/// A file that holds \p text, for readers that ask for one; the same each time.
inline QString asFile(std::string_view text)
{
    // Memory rather than a disk, of which fuzzing would use up a part.
    static const QTemporaryDir folder(QStringLiteral("/dev/shm/batchpeak-fuzz-XXXXXX"));
    const QString path = folder.filePath(QStringLiteral("input"));
    test::writeFile(path, QByteArray(text.data(), static_cast<qsizetype>(text.size())));
    return path;
}

} // namespace batchpeak::fuzz
