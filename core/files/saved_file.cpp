// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "saved_file.h"

#include "open_file.h"
#include "text/translated.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace batchpeak::engine {

namespace {

QString sentenceOf(const std::error_code& error)
{
    return QString::fromStdString(error.message());
}

std::error_code lastError()
{
    return {errno, std::generic_category()};
}

std::error_code synced(int descriptor)
{
    // Some file systems do not support syncing a folder, and report EINVAL.
    return ::fsync(descriptor) == 0 || errno == EINVAL ? std::error_code() : lastError();
}

using Status = struct stat;

/// Whether the path is a circular link, as one that leads to itself: replacing it would take its name.
bool leadsInACircle(const QString& path)
{
    Status status{};
    return ::stat(QFile::encodeName(path).constData(), &status) != 0 && errno == ELOOP;
}

constexpr const char* accessList = "system.posix_acl_access";

/// Whether the attribute is the user's. Of the others, some depend on the bytes, which change, and some
/// belong to a file system.
bool isOfTheUser(const QByteArray& attribute)
{
    const bool isOfTheBytes = attribute == "security.ima" || attribute == "security.evm";
    return attribute.startsWith("user.") || attribute.startsWith("system.") ||
           (attribute.startsWith("security.") && !isOfTheBytes);
}

QList<QByteArray> attributesOf(const char* path)
{
    const ssize_t size = ::listxattr(path, nullptr, 0);
    QByteArray names(std::max<ssize_t>(size, 0), '\0');
    names.truncate(std::max<ssize_t>(::listxattr(path, names.data(), std::size_t(names.size())), 0));
    QList<QByteArray> attributes = names.split('\0');
    attributes.removeIf([](const QByteArray& name) { return !isOfTheUser(name); });
    return attributes;
}

/// \param read  getxattr() or fgetxattr() for a file
std::optional<QByteArray> attribute(const auto& read)
{
    const ssize_t size = read(nullptr, 0);
    QByteArray value(std::max<ssize_t>(size, 0), '\0');
    const ssize_t count = size < 0 ? size : read(value.data(), std::size_t(value.size()));
    return count == value.size() ? std::optional(value) : std::nullopt;
}

/// \return the system's reason if another file cannot have the attributes
std::error_code giveAttributes(const char* from, int to)
{
    const QList<QByteArray> attributes = attributesOf(from);
    for (const QByteArray& name : attributes) {
        const auto value = attribute(
            [&](char* bytes, std::size_t size) { return ::getxattr(from, name.constData(), bytes, size); });
        if (!value)
            return lastError();
        const auto there = attribute(
            [&](char* bytes, std::size_t size) { return ::fgetxattr(to, name.constData(), bytes, size); });
        if (there != value && ::fsetxattr(to, name.constData(), value->constData(),
                                          static_cast<std::size_t>(value->size()), 0) != 0)
            return lastError();
    }
    // Removes the default access list of the folder.
    if (!attributes.contains(accessList) && ::fremovexattr(to, accessList) != 0 && errno != ENODATA &&
        errno != ENOTSUP)
        return lastError();
    return {};
}

/// Gives a new file everything of the file that it replaces except its bytes. It also gets the same owner if
/// the system allows it: otherwise, a program of a superuser would take the file from its owner.
/// \return the system's reason if the new file cannot have everything that the other has besides its bytes
std::error_code giveAllButBytes(const QString& path, const Status& before, int descriptor)
{
    constexpr uid_t unchanged = -1;
    if (::fchown(descriptor, before.st_uid, before.st_gid) != 0)
        (void)!::fchown(descriptor, unchanged, before.st_gid);
    if (const std::error_code error = giveAttributes(QFile::encodeName(path).constData(), descriptor))
        return error;
    // This comes last, since a change of owner may remove permissions. With an access list, the group's bits
    // are the mask of the list.
    (void)::fchmod(descriptor, before.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO));
    return {};
}

/// Whether the file is a mount point of its own, as one that is mounted into a container: its name cannot be
/// given to another file.
bool isMountedAlone(const QString& path)
{
    struct statx status
    {};
    // Older kernels do not report it; replacing the file then fails.
    return ::statx(AT_FDCWD, QFile::encodeName(path).constData(), 0, STATX_TYPE, &status) == 0 &&
           (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

QString replaceError(const QString& path, const Status& before)
{
    // A folder has a name in each of its subfolders, and is refused as a folder.
    if (S_ISDIR(before.st_mode))
        return {};
    if (before.st_nlink > 1)
        return Translated::tr("it has %1 names (hard links)").arg(before.st_nlink);
    return isMountedAlone(path) ? Translated::tr("it is mounted by itself") : QString();
}

WayToWrite inPlaceSince(const QString& reason, const QString& path)
{
    WayToWrite way{.inPlace = reason};
    if (OpenFile(path, O_RDWR).descriptor() < 0)
        way.problem = sentenceOf(lastError());
    return way;
}

/// Opens the file that is to replace the one at the path, and gives it everything of that one except its
/// bytes.
/// \param before  status of the existing file, if there is one
WayToWrite begin(QSaveFile& file, const std::optional<Status>& before)
{
    const QString path = file.fileName();
    if (leadsInACircle(path))
        return {.problem = Translated::tr("its links lead to no file but round in a circle")};
    if (before && !S_ISREG(before->st_mode) && !S_ISDIR(before->st_mode))
        return {.problem = Translated::tr("it is no regular file")};
    if (const QString reason = before ? replaceError(path, *before) : QString(); !reason.isEmpty())
        return inPlaceSince(reason, path);
    if (!file.open(QIODevice::WriteOnly))
        return {.problem = file.errorString()};
    if (!before)
        return {};
    const std::error_code error = giveAllButBytes(path, *before, file.handle());
    return error ? inPlaceSince(Translated::tr("its access list or attributes cannot be given to another "
                                               "file (%1)")
                                    .arg(sentenceOf(error)),
                                path)
                 : WayToWrite();
}

QString notAllBytes()
{
    return Translated::tr("not all bytes could be written, as on a full disk");
}

QString anotherFile()
{
    return Translated::tr("another file has taken its place");
}

/// \return why the bytes are not on the disk; empty if they are
QString written(QSaveFile& file, const QByteArray& bytes)
{
    // If fewer bytes are written than requested, as when a disk fills up, Qt gives no reason, and commit()
    // alone does not report it (Qt 6.4).
    if (file.write(bytes) != bytes.size() || !file.flush())
        return notAllBytes();
    // This ensures that the name never leads to bytes that are not on the disk yet. commit() does the same,
    // but does not report failures. Without a commit, the old file stays as it was.
    if (const std::error_code error = synced(file.handle()))
        return sentenceOf(error);
    return {};
}

/// Overwrites a file. It is truncated to its new length last, so that a full disk does not remove anything of
/// the old contents.
/// \return why the bytes are not on the disk; empty if they are
QString overwritten(int descriptor, const QByteArray& bytes)
{
    for (qsizetype done = 0; done < bytes.size();) {
        const ssize_t count = ::pwrite(descriptor, bytes.constData() + done,
                                       static_cast<std::size_t>(bytes.size() - done), done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count == 0 || errno == ENOSPC || errno == EFBIG || errno == EDQUOT
                       ? notAllBytes()
                       : sentenceOf(lastError());
        done += count;
    }
    if (::ftruncate(descriptor, bytes.size()) != 0)
        return sentenceOf(lastError());
    if (const std::error_code error = synced(descriptor))
        return sentenceOf(error);
    return {};
}

std::optional<QByteArray> bytesOf(int descriptor, qsizetype size)
{
    QByteArray bytes(size, '\0');
    for (qsizetype done = 0; done < size;) {
        const ssize_t count =
            ::pread(descriptor, bytes.data() + done, static_cast<std::size_t>(size - done), done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return std::nullopt;
        done += count;
    }
    return bytes;
}

/// \return why it was not written; empty if it was. After a failure, the file has its previous contents, as
///         far as the system allows
QString writtenInPlace(const QString& path, const Status& before, const QByteArray& bytes)
{
    const OpenFile file(path, O_RDWR);
    const auto status = file.status();
    if (!status)
        return sentenceOf(lastError());
    if (store::identityOf(*status) != store::identityOf(before) || !S_ISREG(status->st_mode))
        return anotherFile();
    const auto old = bytesOf(file.descriptor(), static_cast<qsizetype>(status->st_size));
    if (!old)
        return Translated::tr("it cannot be read");
    QString problem = overwritten(file.descriptor(), bytes);
    if (!problem.isEmpty())
        (void)overwritten(file.descriptor(), *old);
    return problem;
}

/// Syncs the names in a folder. A user who may write into a folder without reading it cannot open it for
/// this, which is not an error.
std::error_code syncNames(const QString& folder)
{
    const std::error_code error = syncToDisk(folder);
    return error == std::errc::permission_denied ? std::error_code() : error;
}

} // namespace

QString replaceFile(const QString& path, const QByteArray& bytes)
{
    return replaceFile(path, bytes, std::nullopt, InPlace::WhereNeeded).problem;
}

WayToWrite wayToWrite(const QString& path)
{
    QSaveFile file(path);
    return begin(file, store::statusOf(path));
}

WayToWrite replaceFile(const QString& path, const QByteArray& bytes,
                       const std::optional<store::FileIdentity>& expected, InPlace inPlace)
{
    const std::optional<Status> before = store::statusOf(path);
    const auto isStill = [&](const std::optional<store::FileIdentity>& identity) {
        return store::identityOf(path) == identity;
    };
    if (expected && !isStill(expected))
        return {.problem = anotherFile()};
    QSaveFile file(path);
    WayToWrite way = begin(file, before);
    if (!way.problem.isEmpty())
        return way;
    if (way.inPlace.isEmpty()) {
        if (const QString problem = written(file, bytes); !problem.isEmpty())
            return {.problem = problem};
        if (!isStill(before ? std::optional(store::identityOf(*before)) : std::nullopt))
            return {.problem = anotherFile()};
        if (file.commit()) {
            const auto error = syncNames(QFileInfo(QFileInfo(path).canonicalFilePath()).path());
            return {.problem = error ? sentenceOf(error) : QString()};
        }
        if (!before || inPlace == InPlace::Never)
            return {.problem = file.errorString()};
        way.inPlace = Translated::tr("no other file can take its place (%1)").arg(file.errorString());
    }
    file.cancelWriting();
    way.problem = inPlace == InPlace::Never
                      ? Translated::tr("it can only be written in place, because %1").arg(way.inPlace)
                      : writtenInPlace(path, *before, bytes);
    return way;
}

std::error_code makeFolder(const QString& path)
{
    const QFileInfo folder(QDir::cleanPath(QFileInfo(path).absoluteFilePath()));
    if (folder.isDir())
        return {};
    if (const std::error_code error = makeFolder(folder.path()))
        return error;
    // Another program may have created it first.
    if (::mkdir(QFile::encodeName(folder.filePath()).constData(), S_IRWXU | S_IRWXG | S_IRWXO) != 0 &&
        errno != EEXIST)
        return lastError();
    if (!QFileInfo(folder.filePath()).isDir())
        return std::make_error_code(std::errc::not_a_directory);
    return syncNames(folder.path());
}

std::error_code syncToDisk(const QString& path)
{
    const OpenFile file(path, O_RDONLY);
    return file.descriptor() < 0 ? lastError() : synced(file.descriptor());
}

} // namespace batchpeak::engine
