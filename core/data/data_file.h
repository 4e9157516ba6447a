// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace batchpeak::data {

/// A file of training data that is read in pieces. It is not memory-mapped: if another program truncated the
/// file meanwhile, an access would kill the process.
class DataFile
{
public:
    /// \throws DataError  if there is no such file, or it cannot be read
    explicit DataFile(std::string path);
    ~DataFile();
    DataFile(const DataFile&) = delete;
    DataFile& operator=(const DataFile&) = delete;

    const std::string& path() const { return m_path; }
    std::int64_t bytes() const { return m_bytes; }
    /// Fills \p target with the contents of the file from \p offset on.
    /// \throws DataError  if the file has become shorter than that, or the disk fails
    void read(std::int64_t offset, std::span<std::byte> target) const;

private:
    std::string m_path;
    int m_descriptor = -1;
    std::int64_t m_bytes = 0;
};

} // namespace batchpeak::data
