// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFile>

#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace batchpeak::engine {

/// An open file that is closed at the end of the scope. Neither opening nor reading it waits for another
/// program.
class OpenFile
{
public:
    /// \param flags  flags of open(2)
    OpenFile(const QString& path, int flags)
        : m_descriptor(::open(QFile::encodeName(path).constData(), flags | O_NONBLOCK | O_CLOEXEC))
    {}
    ~OpenFile()
    {
        if (m_descriptor >= 0)
            ::close(m_descriptor);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    /// File descriptor; negative if the file could not be opened, and errno then has the reason.
    int descriptor() const { return m_descriptor; }
    /// Returns the status of the file that was opened, whatever file has its name by now.
    std::optional<struct stat> status() const
    {
        struct stat status
        {};
        return ::fstat(m_descriptor, &status) == 0 ? std::optional(status) : std::nullopt;
    }

private:
    int m_descriptor;
};

} // namespace batchpeak::engine
