// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "data_file.h"

#include "token_source.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string_view>
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

/// The header of a .npy file: the dictionary that numpy.lib.format of NumPy 2 writes.
struct NpyHeader
{
    /// The dtype in NumPy's notation: byte order, kind and number of bytes, "<u2".
    std::string type;
    bool fortranOrder = false;
    std::vector<std::int64_t> shape;
};

/// Reads the few forms of Python literals that occur in a header.
class LiteralReader
{
public:
    explicit LiteralReader(std::string_view text) : m_rest(text) {}

    bool take(char expected)
    {
        skipSpaces();
        if (m_rest.empty() || m_rest.front() != expected)
            return false;
        m_rest.remove_prefix(1);
        return true;
    }

    void expect(char expected)
    {
        if (!take(expected))
            fail();
    }

    std::string string()
    {
        skipSpaces();
        const char quote = m_rest.empty() ? '\0' : m_rest.front();
        const std::size_t end = m_rest.find(quote, 1);
        if ((quote != '\'' && quote != '"') || end == std::string_view::npos)
            fail();
        std::string value(m_rest.substr(1, end - 1));
        m_rest.remove_prefix(end + 1);
        return value;
    }

    bool boolean()
    {
        skipSpaces();
        for (const bool value : {false, true}) {
            const std::string_view word = value ? "True" : "False";
            if (m_rest.starts_with(word)) {
                m_rest.remove_prefix(word.size());
                return value;
            }
        }
        fail();
    }

    /// Reads a tuple of nonnegative numbers: "()", "(3,)", "(3, 4)".
    std::vector<std::int64_t> numbers()
    {
        std::vector<std::int64_t> values;
        expect('(');
        while (!take(')')) {
            values.push_back(number());
            const bool continues = take(',');
            // Parentheses around one number without a comma are not a tuple.
            if (!continues && values.size() == 1)
                fail();
            if (!continues) {
                expect(')');
                break;
            }
        }
        return values;
    }

    bool isAtEnd()
    {
        skipSpaces();
        return m_rest.empty();
    }

    [[noreturn]] static void fail() { throw std::invalid_argument("has a header that is not NumPy's"); }

private:
    void skipSpaces()
    {
        const std::size_t first = m_rest.find_first_not_of(" \n");
        m_rest.remove_prefix(first == std::string_view::npos ? m_rest.size() : first);
    }

    std::int64_t number()
    {
        skipSpaces();
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(m_rest.data(), m_rest.data() + m_rest.size(), value);
        if (error != std::errc() || value < 0)
            fail();
        m_rest.remove_prefix(static_cast<std::size_t>(end - m_rest.data()));
        return value;
    }

    std::string_view m_rest;
};

template<typename Value>
void setOnce(std::optional<Value>& value, Value read)
{
    if (value)
        LiteralReader::fail();
    value = std::move(read);
}

/// \param text  the dictionary with its padding: the keys descr, fortran_order and shape, each once, in any
/// order
/// \throws std::invalid_argument  the problem, as the end of a sentence that begins with the file
NpyHeader parseNpyHeader(std::string_view text)
{
    std::optional<std::string> type;
    std::optional<bool> fortranOrder;
    std::optional<std::vector<std::int64_t>> shape;
    LiteralReader reader(text);
    reader.expect('{');
    while (!reader.take('}')) {
        const std::string key = reader.string();
        reader.expect(':');
        if (key == "descr" && reader.take('['))
            throw std::invalid_argument("holds records of several fields");
        if (key == "descr")
            setOnce(type, reader.string());
        else if (key == "fortran_order")
            setOnce(fortranOrder, reader.boolean());
        else if (key == "shape")
            setOnce(shape, reader.numbers());
        else
            LiteralReader::fail();
        if (!reader.take(',')) {
            reader.expect('}');
            break;
        }
    }
    if (!type || !fortranOrder || !shape || !reader.isAtEnd())
        LiteralReader::fail();
    return {.type = *type, .fortranOrder = *fortranOrder, .shape = *shape};
}

constexpr std::string_view magic = "\x93NUMPY";
// NumPy's limit (max_header_size of numpy.lib.format.read_array, 2.0).
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
    // The magic string, 2 bytes of version, and the header's length in 2 bytes, or 4 from version 2 on.
    std::array<std::byte, 12> start{};
    if (file.bytes() < static_cast<std::int64_t>(start.size()))
        refuse(m_path, std::string("is too short to be an array of NumPy. ") + saveAnew);
    file.read(0, start);
    const int version = std::to_integer<int>(start[6]);
    if (std::memcmp(start.data(), magic.data(), magic.size()) != 0)
        refuse(m_path, std::string("is no array of NumPy. ") + saveAnew);
    if (version < 1 || version > 3 || start[7] != std::byte{0})
        refuse(m_path,
               "is of a version of the .npy format other than 1.0, 2.0 and 3.0. Save it with a known one.");
    const std::int64_t lengthBytes = version == 1 ? 2 : 4;
    const auto length = static_cast<std::int64_t>(unsignedAt(&start[8], lengthBytes, false));
    m_dataOffset = 8 + lengthBytes + length;
    if (length > longestHeader || m_dataOffset > file.bytes())
        refuse(m_path, std::string("is cut short within its header, or damaged. ") + saveAnew);

    std::string text(static_cast<std::size_t>(length), ' ');
    file.read(8 + lengthBytes, std::as_writable_bytes(std::span(text)));
    try {
        const NpyHeader header = parseNpyHeader(text);
        setType(header.type);
        m_shape = header.shape;
        checkShape(header.fortranOrder);
    } catch (const std::invalid_argument& problem) {
        refuse(m_path, problem.what() + std::string(". Save an array of integers with numpy.save."));
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
        refuse(m_path, "holds elements of the type '" + type +
                           "', but tokens are integers. Convert it, such as with .astype(numpy.uint16) or, "
                           "for more than 65536 tokens, numpy.uint32.");
    }
    m_isBigEndian = type[0] == '>';
    m_isSigned = type[1] == 'i';
    m_elementBytes = type[2] - '0';
}

void NpyArray::checkShape(bool fortranOrder) const
{
    if (m_shape.size() != 1 && m_shape.size() != 2) {
        refuse(
            m_path,
            "has " + std::to_string(m_shape.size()) +
                " dimensions, but tokens are taken from arrays of one dimension, or of two with a sample in "
                "each row. Reshape it.");
    }
    if (fortranOrder && m_shape.size() == 2) {
        refuse(m_path, "lies column by column, so that a sample is scattered over the whole file. Save "
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
        refuse(m_path, "is cut short: it holds " + std::to_string(held) + " bytes of an array of " +
                           (overflows ? "far more" : std::to_string(needed)) +
                           ". Copy it again, or save it anew.");
    }
    if (needed < held)
        refuse(m_path,
               "goes on behind the array that its header tells of. Save each array to a file of its own.");
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

} // namespace batchpeak::data
