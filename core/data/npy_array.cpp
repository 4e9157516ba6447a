// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "npy_array.h"

#include "data_file.h"
#include "npy_header.h"
#include "token_source.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string_view>

namespace batchpeak::data {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
// As NumPy limits it (max_header_size of numpy.lib.format.read_array, 2.0).
constexpr std::int64_t longestHeader = 10000;
constexpr const char* saveAnew = "Save it anew with numpy.save.";

std::uint64_t unsignedAt(const std::byte* bytes, std::int64_t count, bool bigEndian)
{
    std::uint64_t value = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t place = bigEndian ? i : count - 1 - i;
        value = value << 8 | std::to_integer<std::uint64_t>(bytes[place]);
    }
    return value;
}

} // namespace

NpyArray::NpyArray(const std::string& path) : m_path(path)
{
    const DataFile file(path);
    readHeader(file);
    checkSize(file.bytes());
}

std::int64_t NpyArray::elements() const
{
    std::int64_t product = 1;
    for (const std::int64_t size : m_shape)
        product *= size;
    return product;
}

void NpyArray::readHeader(const DataFile& file)
{
    // The magic string, two bytes of version, and the header's length in 2 bytes, from version 2 on in 4.
    std::array<std::byte, 12> start{};
    if (file.bytes() < static_cast<std::int64_t>(start.size()))
        refuse(std::string("is too short to be an array of NumPy. ") + saveAnew);
    file.read(0, start);
    const int version = std::to_integer<int>(start[6]);
    if (std::memcmp(start.data(), magic.data(), magic.size()) != 0)
        refuse(std::string("is no array of NumPy. ") + saveAnew);
    if (version < 1 || version > 3 || start[7] != std::byte{0})
        refuse("is of a version of the .npy format other than 1.0, 2.0 and 3.0. Save it with a known one.");
    const std::int64_t lengthBytes = version == 1 ? 2 : 4;
    const auto length = static_cast<std::int64_t>(unsignedAt(&start[8], lengthBytes, false));
    m_dataOffset = 8 + lengthBytes + length;
    if (length > longestHeader || m_dataOffset > file.bytes())
        refuse(std::string("is cut short within its header, or damaged. ") + saveAnew);

    std::string text(static_cast<std::size_t>(length), ' ');
    file.read(8 + lengthBytes, std::as_writable_bytes(std::span(text)));
    try {
        const NpyHeader header = parseNpyHeader(text);
        setType(header.type);
        m_shape = header.shape;
        checkShape(header.fortranOrder);
    } catch (const std::invalid_argument& problem) {
        refuse(problem.what() + std::string(". Save an array of integers with numpy.save."));
    }
}

void NpyArray::setType(const std::string& type)
{
    const auto isOneOf = [](char character, std::string_view all) {
        return all.find(character) != std::string_view::npos;
    };
    const bool isInteger =
        type.size() == 3 && isOneOf(type[0], "<>|") && isOneOf(type[1], "iu") && isOneOf(type[2], "1248");
    if (!isInteger || (type[0] == '|') != (type[2] == '1')) {
        refuse("holds elements of the type '" + type +
               "', but tokens are integers. Convert it, such as with .astype(numpy.uint16) or, for more than "
               "65536 tokens, numpy.uint32.");
    }
    m_isBigEndian = type[0] == '>';
    m_isSigned = type[1] == 'i';
    m_elementBytes = type[2] - '0';
}

void NpyArray::checkShape(bool fortranOrder) const
{
    if (m_shape.size() != 1 && m_shape.size() != 2) {
        refuse("has " + std::to_string(m_shape.size()) +
               " dimensions, but tokens are taken from arrays of one dimension, or of two with a sample in "
               "each row. Reshape it.");
    }
    if (fortranOrder && m_shape.size() == 2) {
        refuse("lies column by column, so that a sample is scattered over the whole file. Save "
               "numpy.ascontiguousarray of it.");
    }
}

void NpyArray::checkSize(std::int64_t bytes) const
{
    // A damaged header may claim any size.
    std::int64_t needed = m_elementBytes;
    bool overflows = false;
    for (const std::int64_t size : m_shape)
        overflows = __builtin_mul_overflow(needed, size, &needed) || overflows;
    const std::int64_t held = bytes - m_dataOffset;
    if (overflows || needed > held) {
        refuse("is cut short: it holds " + std::to_string(held) + " bytes of an array of " +
               (overflows ? "far more" : std::to_string(needed)) + ". Copy it again, or save it anew.");
    }
    if (needed < held)
        refuse("goes on behind the array that its header tells of. Save each array to a file of its own.");
}

std::vector<std::int64_t> NpyArray::read(std::int64_t first, std::int64_t count) const
{
    std::vector<std::byte> bytes(static_cast<std::size_t>(count * m_elementBytes));
    DataFile(m_path).read(m_dataOffset + first * m_elementBytes, bytes);
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
    const std::byte* next = bytes.data();
    for (std::int64_t& number : numbers) {
        number = numberAt(next);
        next += m_elementBytes;
    }
    return numbers;
}

std::int64_t NpyArray::numberAt(const std::byte* bytes) const
{
    const std::uint64_t bits = unsignedAt(bytes, m_elementBytes, m_isBigEndian);
    switch (m_isSigned ? m_elementBytes : 0) {
    case 1:
        return static_cast<std::int8_t>(bits);
    case 2:
        return static_cast<std::int16_t>(bits);
    case 4:
        return static_cast<std::int32_t>(bits);
    default:
        return static_cast<std::int64_t>(bits);
    }
}

void NpyArray::refuse(const std::string& sentence) const
{
    throw DataError("The file " + m_path + ' ' + sentence);
}

} // namespace batchpeak::data
