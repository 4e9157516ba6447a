// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

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

/// A .npy file of integers with one dimension, or with two in row-major order. The constructor reads its
/// layout; read() reads its numbers. The file is not open in between, since a folder may have thousands.
///
/// Supports versions 1 to 3 of the format (numpy.lib.format of NumPy 2).
class NpyArray
{
public:
    /// \throws DataError  if the file cannot be used: a full sentence that names the file and says what to do
    explicit NpyArray(const std::string& path);

    const std::string& path() const { return m_path; }
    /// Shape with one or two dimensions.
    const std::vector<std::int64_t>& shape() const { return m_shape; }
    std::int64_t elements() const;
    /// Reads successive elements. A uint64 above the largest int64 becomes negative.
    /// \throws DataError  if the file cannot be read any more
    std::vector<std::int64_t> read(std::int64_t first, std::int64_t count) const;

private:
    void readHeader(const DataFile& file);
    void setType(const std::string& type);
    void checkShape(bool fortranOrder) const;
    void checkSize(std::int64_t bytes) const;
    std::int64_t numberAt(const std::byte* bytes) const;

    std::string m_path;
    std::vector<std::int64_t> m_shape;
    std::int64_t m_dataOffset = 0;
    std::int64_t m_elementBytes = 1;
    bool m_isSigned = false;
    bool m_isBigEndian = false;
};

} // namespace batchpeak::data
