// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "data_file.h"

#include "token_source.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace batchpeak::data {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& sentence)
{
    throw DataError("The file " + path + ' ' + sentence);
}

std::string lastError()
{
    return std::generic_category().message(errno);
}

} // namespace

DataFile::DataFile(std::string path) : m_path(std::move(path))
{
    // Without O_NONBLOCK, opening a pipe would block until another process writes into it.
    m_descriptor = open(m_path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (m_descriptor < 0)
        refuse(m_path, "cannot be opened: " + lastError() + ". Correct its path or its permissions.");
    struct stat status
    {};
    if (fstat(m_descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(m_descriptor);
        refuse(m_path, "is no regular file. Name a file that holds the data.");
    }
    m_bytes = status.st_size;
}

DataFile::~DataFile()
{
    close(m_descriptor);
}

void DataFile::read(std::int64_t offset, std::span<std::byte> target) const
{
    while (!target.empty()) {
        const ssize_t count = pread(m_descriptor, target.data(), target.size(), offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            refuse(m_path, "cannot be read: " + lastError() + ". Check its disk, or use a copy.");
        if (count == 0) {
            refuse(m_path, "is shorter now than it was when it was opened. Do not change the data while a "
                           "network trains on it.");
        }
        offset += count;
        target = target.subspan(static_cast<std::size_t>(count));
    }
}

} // namespace batchpeak::data
