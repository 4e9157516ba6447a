// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "file_handle.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace batchpeak::network {

namespace {

[[noreturn]] void throwLast()
{
    throw std::system_error(errno, std::generic_category());
}

} // namespace

FileHandle::FileHandle(int descriptor) : m_descriptor(descriptor)
{
    if (descriptor < 0)
        throwLast();
}

FileHandle FileHandle::forReading(const std::string& path)
{
    return FileHandle(open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

FileHandle FileHandle::forWriting(const std::string& path)
{
    return FileHandle(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
}

FileHandle::~FileHandle()
{
    if (m_descriptor >= 0)
        close(m_descriptor);
}

std::int64_t FileHandle::bytes() const
{
    struct stat status = {};
    if (fstat(m_descriptor, &status) != 0)
        throwLast();
    return status.st_size;
}

void FileHandle::read(void* data, std::size_t bytes, std::int64_t offset) const
{
    auto* to = static_cast<char*>(data);
    while (bytes > 0) {
        const ssize_t count = pread(m_descriptor, to, bytes, offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            throwLast();
        if (count == 0)
            throw std::system_error(std::make_error_code(std::errc::io_error));
        to += count;
        bytes -= static_cast<std::size_t>(count);
        offset += count;
    }
}

void FileHandle::write(const void* data, std::size_t bytes)
{
    const auto* from = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t count = ::write(m_descriptor, from, bytes);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            throwLast();
        from += count;
        bytes -= static_cast<std::size_t>(count);
    }
}

void FileHandle::flush()
{
    if (fsync(m_descriptor) != 0)
        throwLast();
}

void flushFolderOf(const std::string& path)
{
    const std::string folder = std::filesystem::path(path).parent_path().string();
    FileHandle::forReading(folder.empty() ? "." : folder).flush();
}

} // namespace batchpeak::network
