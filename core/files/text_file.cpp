// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text_file.h"

#include "config/config_document.h"
#include "open_file.h"
#include "text/errors.h"

#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace batchpeak::engine {

namespace {

constexpr auto maxBytes = static_cast<qint64>(config::maxConfigBytes);

[[noreturn]] void failAt(const QString& path, const std::string& sentence)
{
    throw located(path, config::ConfigError(sentence));
}

[[noreturn]] void failToRead(const QString& path, int error, const char* advice)
{
    if (error == EAGAIN) {
        failAt(path,
               "Reading this file would wait for another program; save the config as a file of its own and "
               "open that.");
    }
    failAt(path, "The file cannot be read (" + std::generic_category().message(error) + "); " + advice + ".");
}

[[noreturn]] void refuseKind(const QString& path)
{
    failAt(path, "This is no regular file; save the config as one and open that.");
}

/// Reads at most \p max bytes: the file may have grown since it was checked.
/// \throws config::ConfigError if it is not a regular file, or cannot be read without waiting for others
FileBytes readBytes(const QString& path, qint64 max)
{
    const OpenFile opened(path, O_RDONLY);
    if (opened.descriptor() < 0)
        failToRead(path, errno, "check its permissions");
    // Another file may have replaced it since it was checked.
    const auto status = opened.status();
    if (!status || !S_ISREG(status->st_mode))
        refuseKind(path);
    FileBytes file{.identity = store::identityOf(*status)};
    std::array<char, 65536> buffer{};
    while (file.bytes.size() < max) {
        const auto wanted =
            static_cast<std::size_t>(std::min<qint64>(buffer.size(), max - file.bytes.size()));
        const ssize_t count = ::read(opened.descriptor(), buffer.data(), wanted);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            failToRead(path, errno, "try again");
        if (count == 0)
            break;
        file.bytes.append(buffer.data(), count);
    }
    return file;
}

} // namespace

FileBytes readConfigBytes(const QString& path)
{
    const QFileInfo info(path);
    if (!info.exists())
        failAt(path, "There is no such file; check the path.");
    if (info.isDir())
        failAt(path, "This is a folder; open a config in it.");
    if (!info.isFile())
        refuseKind(path);
    if (info.size() >= maxBytes) {
        failAt(path, "The file has " + std::to_string(info.size()) + " bytes, but a config has less than " +
                         std::to_string(maxBytes) + "; open the config itself.");
    }
    return readBytes(path, maxBytes);
}

std::string readTextFile(const QString& path)
{
    return readConfigBytes(path).bytes.toStdString();
}

std::optional<FileBytes> presentBytes(const QString& path)
{
    const QFileInfo info(path);
    if (!info.exists())
        return std::nullopt;
    if (!info.isFile())
        refuseKind(path);
    return readBytes(path, std::numeric_limits<qint64>::max());
}

bool holdsText(const QString& path, const std::string& text)
{
    try {
        // However large the file has become, one more byte than the text suffices.
        return QFileInfo(path).isFile() &&
               readBytes(path, static_cast<qint64>(text.size()) + 1).bytes.toStdString() == text;
    } catch (const config::ConfigError&) {
        return false;
    }
}

} // namespace batchpeak::engine
