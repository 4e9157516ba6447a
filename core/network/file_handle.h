// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace batchpeak::network {

/// An open file that is read and written whole or not at all, closed with its end.
///
/// What fails throws std::system_error with the system's reason.
class FileHandle
{
public:
    static FileHandle forReading(const std::string& path);
    /// Empty; replaces what stands there.
    static FileHandle forWriting(const std::string& path);
    ~FileHandle();
    FileHandle(const FileHandle&) = delete;
    FileHandle& operator=(const FileHandle&) = delete;

    std::int64_t bytes() const;
    /// \throws std::system_error  also where the file ends before
    void read(void* data, std::size_t bytes, std::int64_t offset) const;
    /// Behind what was written before.
    void write(const void* data, std::size_t bytes);
    /// Returns when what was written is on the disk.
    void flush();

private:
    explicit FileHandle(int descriptor);

    int m_descriptor;
};

/// Returns when the names in the folder of a file are on the disk.
void flushFolderOf(const std::string& path);

} // namespace batchpeak::network
