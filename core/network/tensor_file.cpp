// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tensor_file.h"

#include "failure.h"
#include "safetensors_header.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>
#include <c10/core/ScalarType.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace batchpeak::network {

namespace {

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

// The reference implementation's bound (MAX_HEADER_SIZE, safetensors/src/tensor.rs).
constexpr std::int64_t longestHeader = 100'000'000;
// A GPU's bus takes milliseconds for so many elements, and the host hardly notices their memory: 64 MiB in
// fp32.
constexpr std::int64_t elementsInPiece = std::int64_t{1} << 24;

/// Returns the format's name of a dtype.
/// \throws std::invalid_argument  if it has none
std::string_view typeWord(at::ScalarType type)
{
    switch (type) {
    case at::kDouble:
        return "F64";
    case at::kFloat:
        return "F32";
    case at::kHalf:
        return "F16";
    case at::kBFloat16:
        return "BF16";
    case at::kLong:
        return "I64";
    case at::kInt:
        return "I32";
    case at::kByte:
        return "U8";
    case at::kBool:
        return "BOOL";
    default:
        throw std::invalid_argument("safetensors has no word for " + std::string(c10::toString(type)));
    }
}

[[noreturn]] void throwLast()
{
    throw std::system_error(errno, std::generic_category());
}

/// An open file. Reads and writes are complete or throw, and the destructor closes the file.
///
/// Failures throw std::system_error with the system's reason.
class FileHandle
{
public:
    /// Opens without blocking, which opening a pipe would do.
    static FileHandle forReading(const std::string& path);
    /// Makes an empty file, which replaces an existing one.
    static FileHandle forWriting(const std::string& path);
    ~FileHandle();
    FileHandle(const FileHandle&) = delete;
    FileHandle& operator=(const FileHandle&) = delete;

    std::int64_t bytes() const;
    bool isRegular() const;
    /// \throws std::system_error  also if the file ends before
    void read(void* data, std::size_t bytes, std::int64_t offset) const;
    /// Appends to what was written before.
    void write(const void* data, std::size_t bytes);
    /// Returns when what was written is on the disk.
    void flush();

private:
    explicit FileHandle(int descriptor);

    struct stat status() const;

    int m_descriptor;
};

FileHandle::FileHandle(int descriptor) : m_descriptor(descriptor)
{
    if (descriptor < 0)
        throwLast();
}

FileHandle FileHandle::forReading(const std::string& path)
{
    return FileHandle(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
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

struct stat FileHandle::status() const
{
    struct stat status = {};
    if (fstat(m_descriptor, &status) != 0)
        throwLast();
    return status;
}

std::int64_t FileHandle::bytes() const
{
    return status().st_size;
}

bool FileHandle::isRegular() const
{
    return S_ISREG(status().st_mode);
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

// Returns when the file names in the folder of a file are on the disk.
void flushFolderOf(const std::string& path)
{
    const std::string folder = std::filesystem::path(path).parent_path().string();
    FileHandle::forReading(folder.empty() ? "." : folder).flush();
}

std::size_t bytesOf(const at::Tensor& tensor)
{
    return static_cast<std::size_t>(tensor.nbytes());
}

/// Calls \p each with consecutive stretches of the tensor: on the CPU with the whole tensor.
void forEachPiece(const at::Tensor& tensor, const std::function<void(const at::Tensor&)>& each)
{
    TORCH_INTERNAL_ASSERT(tensor.is_contiguous());
    const at::Tensor flat = tensor.detach().view({-1});
    const std::int64_t atOnce = flat.is_cpu() ? flat.numel() : elementsInPiece;
    for (std::int64_t first = 0; first < flat.numel(); first += atOnce)
        each(flat.narrow(0, first, std::min(atOnce, flat.numel() - first)));
}

/// Puts wider elements first, so that each tensor has the alignment of its elements.
std::vector<NamedTensor> inOrderOfFile(std::vector<NamedTensor> tensors)
{
    std::ranges::stable_sort(tensors, std::greater<>(),
                             [](const NamedTensor& named) { return named.tensor.element_size(); });
    return tensors;
}

SafetensorsHeader headerOf(const std::vector<NamedTensor>& tensors,
                           const std::map<std::string, std::string>& metadata)
{
    SafetensorsHeader header{.metadata = metadata};
    std::int64_t offset = 0;
    for (const NamedTensor& named : tensors) {
        const auto end = offset + static_cast<std::int64_t>(bytesOf(named.tensor));
        header.tensors[named.name] = {.type = std::string(typeWord(named.tensor.scalar_type())),
                                      .shape = named.tensor.sizes().vec(),
                                      .begin = offset,
                                      .end = end};
        offset = end;
    }
    return header;
}

void writeTensor(FileHandle& file, const at::Tensor& tensor)
{
    forEachPiece(tensor.contiguous(), [&file](const at::Tensor& piece) {
        const at::Tensor onHost = piece.cpu();
        file.write(onHost.const_data_ptr(), bytesOf(onHost));
    });
}

void readTensor(const FileHandle& file, std::int64_t offset, const at::Tensor& tensor)
{
    const at::NoGradGuard noGradients;
    const at::Tensor inOrder = tensor.contiguous();
    forEachPiece(inOrder, [&file, &offset](const at::Tensor& piece) {
        const at::Tensor onHost = piece.is_cpu() ? piece : at::empty_like(piece, at::TensorOptions(at::kCPU));
        file.read(onHost.mutable_data_ptr(), bytesOf(onHost), offset);
        offset += static_cast<std::int64_t>(bytesOf(onHost));
        if (!piece.is_cpu())
            at::Tensor(piece).copy_(onHost);
    });
    if (!inOrder.is_same(tensor))
        at::Tensor(tensor).copy_(inOrder);
}

std::int64_t writeWhole(const std::string& path, const std::vector<NamedTensor>& tensors,
                        const std::map<std::string, std::string>& metadata)
{
    const std::vector<NamedTensor> ordered = inOrderOfFile(tensors);
    const std::string header = toText(headerOf(ordered, metadata));
    const auto headerBytes = static_cast<std::uint64_t>(header.size());
    FileHandle file = FileHandle::forWriting(path);
    file.write(&headerBytes, sizeof headerBytes);
    file.write(header.data(), header.size());
    for (const NamedTensor& named : ordered)
        writeTensor(file, named.tensor);
    file.flush();
    return file.bytes();
}

[[noreturn]] void refuse(const std::string& path, const std::string& problem)
{
    throw CheckpointError("The checkpoint " + path + ' ' + problem + '.');
}

struct FileHeader
{
    SafetensorsHeader content;
    /// Offset of the tensors in the file.
    std::int64_t end = 0;
};

FileHeader readHeader(const FileHandle& file, const std::string& path)
{
    const std::int64_t fileBytes = file.bytes();
    std::uint64_t length = 0;
    constexpr auto prefix = static_cast<std::int64_t>(sizeof length);
    if (fileBytes < prefix)
        refuse(path, "was cut short: it has only " + std::to_string(fileBytes) +
                         " bytes. Resume from an older one");
    file.read(&length, sizeof length, 0);
    if (length > static_cast<std::uint64_t>(std::min(longestHeader, fileBytes - prefix)))
        refuse(path, "was cut short, or is no safetensors file. Resume from an older one");
    std::string text(length, ' ');
    file.read(text.data(), text.size(), prefix);
    const auto end = prefix + static_cast<std::int64_t>(length);
    try {
        return {.content = safetensorsHeaderFrom(text, fileBytes - end), .end = end};
    } catch (const std::invalid_argument& error) {
        refuse(path, error.what() + std::string(". Resume from an older one"));
    }
}

std::string description(const SafetensorsHeader::Entry& entry)
{
    std::string text = entry.type + " [";
    for (std::size_t i = 0; i < entry.shape.size(); ++i)
        text += (i > 0 ? ", " : "") + std::to_string(entry.shape[i]);
    return text + ']';
}

void checkFits(const SafetensorsHeader& header, const std::vector<NamedTensor>& tensors,
               const std::string& path)
{
    constexpr const char* advice = ". Resume with the network and options that it was saved with";
    for (const auto& [name, wanted] : headerOf(tensors, {}).tensors) {
        const auto found = header.tensors.find(name);
        if (found == header.tensors.end())
            refuse(path, "holds no " + name + ", which this training has" + advice);
        const SafetensorsHeader::Entry& entry = found->second;
        if (entry.type != wanted.type || entry.shape != wanted.shape)
            refuse(path, "holds " + name + " as " + description(entry) + ", but this training has it as " +
                             description(wanted) + advice);
        if (entry.end - entry.begin != wanted.end - wanted.begin)
            refuse(path, "does not hold all of " + name + ". Resume from an older one");
    }
    if (header.tensors.size() > tensors.size())
        refuse(path, "holds more tensors than this training has" + std::string(advice));
}

} // namespace

std::int64_t writeTensorFile(const std::string& path, const std::vector<NamedTensor>& tensors,
                             const std::map<std::string, std::string>& metadata)
{
    const std::string partial = path + ".partial";
    try {
        const std::int64_t bytes = writeWhole(partial, tensors, metadata);
        std::filesystem::rename(partial, path);
        flushFolderOf(path);
        return bytes;
    } catch (const std::system_error& error) {
        std::remove(partial.c_str());
        throw CheckpointError("The checkpoint " + path + " could not be written: " + error.code().message() +
                              ". Make room, or choose a folder that can be written to.");
    } catch (...) {
        std::remove(partial.c_str());
        throw;
    }
}

void readTensorFile(const std::string& path, const std::vector<NamedTensor>& tensors)
{
    try {
        const FileHandle file = FileHandle::forReading(path);
        if (!file.isRegular())
            refuse(path, "is no regular file. Resume from another one");
        const FileHeader header = readHeader(file, path);
        checkFits(header.content, tensors, path);
        for (const NamedTensor& named : tensors)
            readTensor(file, header.end + header.content.tensors.at(named.name).begin, named.tensor);
    } catch (const std::system_error& error) {
        refuse(path, "could not be read: " + error.code().message() + ". Resume from another one");
    }
}

} // namespace batchpeak::network
