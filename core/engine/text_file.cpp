// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text_file.h"

#include "config/config_document.h"
#include "errors.h"

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

[[noreturn]] void fail(const QString& path, const std::string& sentence)
{
    throw located(path, config::ConfigError(sentence));
}

[[noreturn]] void failToRead(const QString& path, int error, const char* advice)
{
    if (error == EAGAIN) {
        fail(path,
             "Reading this file would wait for another program; save the config as a file of its own and "
             "open that.");
    }
    fail(path, "The file cannot be read (" + std::generic_category().message(error) + "); " + advice + ".");
}

[[noreturn]] void refuseKind(const QString& path)
{
    fail(path, "This is no regular file; save the config as one and open that.");
}

/// A file that is open to be read, and closed with the scope.
class OpenFile
{
public:
    /// \throws config::ConfigError where it is no regular file, or cannot be read without waiting for others
    explicit OpenFile(const QString& path)
        : m_path(path),
          m_descriptor(::open(QFile::encodeName(path).constData(), O_RDONLY | O_NONBLOCK | O_CLOEXEC))
    {
        if (m_descriptor < 0)
            failToRead(path, errno, "check its permissions");
        struct stat status
        {};
        // Another file may have come in its place since it was looked at.
        if (::fstat(m_descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
            ::close(m_descriptor);
            refuseKind(path);
        }
        m_identity = {.device = status.st_dev, .inode = status.st_ino};
    }
    ~OpenFile() { ::close(m_descriptor); }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    /// At most so many: the file may have grown since it was looked at.
    FileBytes read(qint64 most)
    {
        FileBytes file{.identity = m_identity};
        std::array<char, 65536> buffer{};
        while (file.bytes.size() < most) {
            const auto wanted =
                static_cast<std::size_t>(std::min<qint64>(buffer.size(), most - file.bytes.size()));
            const ssize_t count = ::read(m_descriptor, buffer.data(), wanted);
            if (count < 0 && errno == EINTR)
                continue;
            if (count < 0)
                failToRead(m_path, errno, "try again");
            if (count == 0)
                break;
            file.bytes.append(buffer.data(), count);
        }
        return file;
    }

private:
    const QString& m_path;
    int m_descriptor;
    store::FileIdentity m_identity;
};

} // namespace

FileBytes readConfigBytes(const QString& path)
{
    const QFileInfo info(path);
    if (!info.exists())
        fail(path, "There is no such file; check the path.");
    if (info.isDir())
        fail(path, "This is a folder; open a config in it.");
    if (!info.isFile())
        refuseKind(path);
    if (info.size() >= maxBytes) {
        fail(path, "The file has " + std::to_string(info.size()) + " bytes, but a config has less than " +
                       std::to_string(maxBytes) + "; open the config itself.");
    }
    return OpenFile(path).read(maxBytes);
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
    return OpenFile(path).read(std::numeric_limits<qint64>::max());
}

bool holdsText(const QString& path, const std::string& text)
{
    try {
        const auto present = presentBytes(path);
        return present && present->bytes.toStdString() == text;
    } catch (const config::ConfigError&) {
        return false;
    }
}

} // namespace batchpeak::engine
