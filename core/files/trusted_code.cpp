// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trusted_code.h"

#include "model/model_spec.h"
#include "saved_file.h"
#include "text/translated.h"

#include <QCryptographicHash>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QMap>
#include <QSet>
#include <QStandardPaths>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>

namespace batchpeak::engine {

namespace {

using namespace std::chrono_literals;

constexpr qint64 megabyte = qint64{1} << 20;
/// Limit of one file. TorchScript networks are never that large, and reading it would take minutes.
constexpr qint64 largestFile = 65536 * megabyte;
/// Limits of a Python file and what it can import: far more than there is beside a function of a few lines.
constexpr qint64 maxSourceBytes = 64 * megabyte;
constexpr int maxSources = 2000;
/// Resolution of file times: a file that was written this recently may be written again without a change of
/// its time.
constexpr std::chrono::nanoseconds stepOfTimes = 2s;

/// State by which a file is recognized as unchanged. Whoever may write the file can set any time except that
/// of the last change.
struct FileState
{
    explicit FileState(const struct stat& status)
        : device(status.st_dev),
          node(status.st_ino),
          size(status.st_size),
          written(std::chrono::seconds(status.st_mtim.tv_sec) +
                  std::chrono::nanoseconds(status.st_mtim.tv_nsec)),
          changed(std::chrono::seconds(status.st_ctim.tv_sec) +
                  std::chrono::nanoseconds(status.st_ctim.tv_nsec))
    {}
    bool operator==(const FileState&) const = default;

    dev_t device;
    ino_t node;
    qint64 size;
    std::chrono::nanoseconds written;
    std::chrono::nanoseconds changed;
};

struct KnownHash
{
    FileState state;
    QByteArray hash;
};

[[noreturn]] void refuse(const QString& path, const QString& why)
{
    throw ExplorationError(Translated::tr("The config names code that would run, %1, but %2.")
                               .arg(QDir::toNativeSeparators(path), why));
}

bool areStatesEqual(int descriptor, const FileState& before)
{
    struct stat status = {};
    return ::fstat(descriptor, &status) == 0 && FileState(status) == before;
}

/// Returns the hash of a regular file, up to the size that it had at first.
QByteArray bytesHash(const QString& path, QFile& file, const FileState& state)
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    QByteArray buffer(megabyte, Qt::Uninitialized);
    qint64 left = state.size;
    while (left > 0) {
        const qint64 read = file.read(buffer.data(), std::min<qint64>(buffer.size(), left));
        if (read <= 0)
            break;
        hash.addData(QByteArrayView(buffer.constData(), read));
        left -= read;
    }
    // Kernel files contain more than their size says.
    const bool isWhole = left == 0 && file.read(buffer.data(), 1) == 0;
    if (!isWhole || !areStatesEqual(file.handle(), state))
        refuse(path, Translated::tr("it changes while it is read; wait until it is written"));
    return hash.result().toHex();
}

/// \return nothing if there is no such file
/// \throws ExplorationError
std::optional<KnownHash> hashOf(const QString& path)
{
    // A window reads large files on a separate thread.
    static std::mutex mutex;
    static QHash<QString, KnownHash> known;
    // Without O_NONBLOCK, a pipe would wait for its other end.
    const int descriptor = ::open(QFile::encodeName(path).constData(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0 && (errno == ENOENT || errno == ENOTDIR))
        return std::nullopt;
    if (descriptor < 0)
        refuse(path, Translated::tr("it cannot be read (%1); correct its permissions, or the config")
                         .arg(QString::fromLocal8Bit(std::strerror(errno))));
    QFile file(path);
    struct stat status = {};
    if (!file.open(descriptor, QIODevice::ReadOnly | QIODevice::Unbuffered, QFileDevice::AutoCloseHandle) ||
        ::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
        refuse(path, Translated::tr("it is no regular file; let the config name one"));
    const FileState state(status);
    if (state.size > largestFile)
        refuse(path, Translated::tr("it is larger than 64 GiB; let the config name another file"));
    {
        const std::scoped_lock lock(mutex);
        if (const auto before = known.constFind(path); before != known.constEnd() && before->state == state)
            return *before;
    }
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const KnownHash found{state, bytesHash(path, file, state)};
    const std::scoped_lock lock(mutex);
    if (now - state.changed > stepOfTimes)
        known.insert(path, found);
    else
        known.remove(path);
    return found;
}

/// Everything that a Python file can import from its folder, by path relative to it. The program that runs
/// batch increase functions does not let the file import anything else from there.
class ImportableSources
{
public:
    explicit ImportableSources(const QString& folder) : m_root(folder) { addFolder({}); }

    const QMap<QString, QByteArray>& hashes() const { return m_hashes; }

private:
    /// \param inside  path from the root, with "/" at its end; empty for the root
    void addFolder(const QString& inside)
    {
        QDirIterator entries(m_root.filePath(inside), QDir::Files | QDir::Dirs | QDir::NoDotAndDotDot);
        while (entries.hasNext()) {
            entries.next();
            const QFileInfo entry = entries.fileInfo();
            const QString path = inside + entry.fileName();
            if (entry.isFile() && path.endsWith(QLatin1String(".py")))
                addFile(path);
            else if (entry.isDir() && QFileInfo(entry.filePath() + QLatin1String("/__init__.py")).isFile())
                addFolder(path + QLatin1Char('/'));
        }
    }

    void addFile(const QString& path)
    {
        const auto found = hashOf(m_root.filePath(path));
        if (!found)
            return;
        m_bytes += found->state.size;
        m_hashes.insert(path, found->hash);
        if (m_bytes > maxSourceBytes || m_hashes.size() > maxSources)
            throw ExplorationError(
                Translated::tr("There are too many Python files in %1 to say of them that they "
                               "may run; put the one that the config names into a folder of its own, "
                               "with what it imports.")
                    .arg(QDir::toNativeSeparators(m_root.path())));
    }

    QDir m_root;
    QMap<QString, QByteArray> m_hashes;
    qint64 m_bytes = 0;
};

/// Returns the SHA-256 of a code file, in hexadecimal digits. For a Python file (.py), it includes everything
/// that the file can import from its folder: the modules beside it, and the packages beside it that have an
/// __init__.py, with everything in them. A Python file without any of these has the hash of its own bytes.
///
/// A file whose path, size and times have not changed is not read again. The function is thread-safe.
///
/// \return empty if there is no such file
/// \throws ExplorationError if it cannot be read to its end, as a pipe, or is too large for that
QByteArray codeHash(const QString& path)
{
    const auto own = hashOf(path);
    if (!own)
        return {};
    if (!path.endsWith(QLatin1String(".py")))
        return own->hash;
    const QMap<QString, QByteArray> sources = ImportableSources(QFileInfo(path).absolutePath()).hashes();
    if (sources.size() <= 1)
        return own->hash;
    QCryptographicHash all(QCryptographicHash::Sha256);
    // The hash depends on which of them is run.
    all.addData(own->hash + '\n');
    for (auto source = sources.begin(); source != sources.end(); ++source)
        all.addData(source.value() + ' ' + QFile::encodeName(source.key()) + '\0');
    return all.result().toHex();
}

/// Hash of what this program has run or been told to trust, by path; empty for a file that did not exist.
QHash<QString, QByteArray>& letRun()
{
    static QHash<QString, QByteArray> hashes;
    return hashes;
}

QSet<QByteArray> trusted()
{
    QSet<QByteArray> hashes;
    QFile list(trustListPath());
    if (!list.open(QIODevice::ReadOnly))
        return hashes;
    for (const QByteArray& line : list.readAll().split('\n')) {
        if (!line.isEmpty())
            hashes.insert(line);
    }
    return hashes;
}

QString untrustedText(const CodeContent& code)
{
    const QString path = QDir::toNativeSeparators(code.path());
    if (!code.isThere())
        return Translated::tr(
                   "The config names code that would run, %1, which is not on this computer, so that "
                   "nobody can say once and for all that it may. Correct the path; or, where a "
                   "launcher or another worker has it, add --trust each time.")
            .arg(path);
    if (path.endsWith(QLatin1String(".py")))
        return Translated::tr("The config names code that would run here, %1, and nobody has said that it "
                              "may, with the Python files beside it that it can import. Read them, and then "
                              "add --trust.")
            .arg(path);
    return Translated::tr("The config names code that would run here, %1, and nobody has said that it "
                          "may. Read it, and then add --trust.")
        .arg(path);
}

} // namespace

CodeContent CodeContent::of(const QString& path)
{
    CodeContent code;
    code.m_path = path;
    if (!path.isEmpty())
        code.m_hash = codeHash(path);
    return code;
}

QString CodeContent::problem() const
{
    try {
        if (of(m_path).hash() == m_hash)
            return {};
    } catch (const ExplorationError& error) {
        return error.sentence();
    }
    return Translated::tr(
               "%1 is not what was let run any more, or a Python file beside it is not. Read it, and "
               "start again.")
        .arg(QDir::toNativeSeparators(m_path));
}

UntrustedCode::UntrustedCode(const CodeContent& code)
    : ExplorationError(untrustedText(code)), m_path(code.path())
{}

QString codeOf(const model::ModelSpec& spec)
{
    const auto* script = std::get_if<model::ScriptSpec>(&spec.architecture);
    return script ? QString::fromStdString(script->file) : QString();
}

QString codeOf(const config::ConfigContents& contents)
{
    const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
    return spec ? codeOf(*spec) : QString();
}

QString trustListPath()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
           QStringLiteral("/batchpeak/trusted-code");
}

bool isTrusted(const CodeContent& code)
{
    // If the list could not be written, a person is asked only once.
    return code.isThere() && (trusted().contains(code.hash()) || letRun().value(code.path()) == code.hash());
}

bool trustCode(const CodeContent& code)
{
    letRun().insert(code.path(), code.hash());
    if (!code.isThere())
        return false;
    QSet<QByteArray> hashes = trusted();
    hashes.insert(code.hash());
    QByteArray lines;
    for (const QByteArray& hash : std::as_const(hashes))
        lines += hash + '\n';
    return !makeFolder(QFileInfo(trustListPath()).path()) && replaceFile(trustListPath(), lines).isEmpty();
}

CodeContent requireTrust(const QString& path, bool says)
{
    if (path.isEmpty())
        return {};
    CodeContent code = CodeContent::of(path);
    if (isTrusted(code)) {
        letRun().insert(path, code.hash());
        return code;
    }
    const auto before = letRun().constFind(path);
    const bool speaksOfIt = before == letRun().constEnd() || *before == code.hash();
    if (!says || !speaksOfIt)
        throw UntrustedCode(code);
    trustCode(code);
    return code;
}

} // namespace batchpeak::engine
