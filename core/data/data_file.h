// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace batchpeak::data {

/// A file of training data, read in pieces. It is not mapped: reading what another program has cut short in
/// the meantime would end the process.
class DataFile
{
public:
    /// \throws DataError  where there is no such file, or it cannot be read
    explicit DataFile(std::string path);
    ~DataFile();
    DataFile(const DataFile&) = delete;
    DataFile& operator=(const DataFile&) = delete;

    const std::string& path() const { return m_path; }
    std::int64_t bytes() const { return m_bytes; }
    /// Fills \p target with what the file holds from \p offset on.
    /// \throws DataError  where the file is shorter than that by now, or the disk fails
    void read(std::int64_t offset, std::span<std::byte> target) const;

private:
    std::string m_path;
    int m_descriptor = -1;
    std::int64_t m_bytes = 0;
};

} // namespace batchpeak::data
