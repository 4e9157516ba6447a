// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "saved_file.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace batchpeak::engine {

namespace {

struct Translated
{
    Q_DECLARE_TR_FUNCTIONS(batchpeak::engine::SavedFile)
};

QString sentenceOf(const std::error_code& error)
{
    return QString::fromStdString(error.message());
}

std::error_code synced(int descriptor)
{
    // Some file systems have nothing to do for a folder, and say so.
    if (::fsync(descriptor) == 0 || errno == EINVAL)
        return {};
    return {errno, std::generic_category()};
}

/// A file that takes another's place is as much its user's, where the system lets us: a super-user's program
/// would take it from its owner.
void keepOwnerAndMode(int descriptor, const struct stat& before)
{
    constexpr uid_t unchanged = -1;
    if (::fchown(descriptor, before.st_uid, before.st_gid) != 0)
        (void)!::fchown(descriptor, unchanged, before.st_gid);
    // Later, since a change of owner may take rights away.
    (void)::fchmod(descriptor, before.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO));
}

/// Who may write into a folder without reading it cannot open it for this, and is not the worse off for it.
std::error_code syncNames(const QString& folder)
{
    const std::error_code error = syncToDisk(folder);
    return error == std::errc::permission_denied ? std::error_code() : error;
}

} // namespace

QString replaceFile(const QString& path, const QByteArray& bytes)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return file.errorString();
    struct stat before
    {};
    if (::stat(QFile::encodeName(path).constData(), &before) == 0)
        keepOwnerAndMode(file.handle(), before);
    // Qt has no reason for a write of fewer bytes than asked for, which is how a disk fills up, and commit()
    // alone lets it pass (Qt 6.4).
    if (file.write(bytes) != bytes.size() || !file.flush())
        return Translated::tr("not all bytes could be written, as on a full disk");
    // So that the name never leads to bytes that are not there yet. commit() does the same, and is silent
    // where it fails. Without a commit the old file stays as it was.
    if (const std::error_code error = synced(file.handle()))
        return sentenceOf(error);
    if (!file.commit())
        return file.errorString();
    if (const std::error_code error = syncNames(QFileInfo(QFileInfo(path).canonicalFilePath()).path()))
        return sentenceOf(error);
    return {};
}

std::error_code makeFolder(const QString& path)
{
    const QFileInfo folder(QDir::cleanPath(QFileInfo(path).absoluteFilePath()));
    if (folder.isDir())
        return {};
    if (const std::error_code error = makeFolder(folder.path()))
        return error;
    // Another program may have been quicker.
    if (::mkdir(QFile::encodeName(folder.filePath()).constData(), S_IRWXU | S_IRWXG | S_IRWXO) != 0 &&
        errno != EEXIST)
        return {errno, std::generic_category()};
    if (!QFileInfo(folder.filePath()).isDir())
        return std::make_error_code(std::errc::not_a_directory);
    return syncNames(folder.path());
}

std::error_code syncToDisk(const QString& path)
{
    const int descriptor = ::open(QFile::encodeName(path).constData(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return {errno, std::generic_category()};
    const std::error_code error = synced(descriptor);
    ::close(descriptor);
    return error;
}

} // namespace batchpeak::engine
