// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QString>
#include <QTemporaryDir>

#include <filesystem>

namespace batchpeak::test {

/// A folder that replaces /, with the files of /proc and /sys that a test writes into it.
class FakeRoot
{
public:
    /// \param path  path without the leading slash: "proc/stat"
    /// \return whether the file was written
    bool write(const QString& path, const QByteArray& bytes) const
    {
        const QString place = m_folder.filePath(path);
        QDir().mkpath(QFileInfo(place).path());
        QFile file(place);
        return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
    }
    std::filesystem::path path() const { return m_folder.path().toStdString(); }

private:
    QTemporaryDir m_folder;
};

} // namespace batchpeak::test
