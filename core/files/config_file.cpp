// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_file.h"

#include "config/config_document.h"
#include "config/networks/named_network.h"
#include "network_files.h"
#include "open_file.h"
#include "output_place.h"
#include "text/errors.h"
#include "text_file.h"
#include "unified_diff.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <span>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <variant>

namespace batchpeak::engine {

using config::ConfigError;

namespace {

[[noreturn]] void fail(const QString& path, const std::string& sentence)
{
    throw located(path, ConfigError(sentence));
}

/// Resolves the file that a config names relative to the folder of that config, wherever the program runs.
void resolvePaths(config::ConfigContents& contents, const QString& path)
{
    auto* spec = std::get_if<model::ModelSpec>(&contents.model);
    auto* script = spec ? std::get_if<model::ScriptSpec>(&spec->architecture) : nullptr;
    if (!script)
        return;
    const QString source = contents.modelSource.empty() ? path : QString::fromStdString(contents.modelSource);
    script->file =
        QFileInfo(source).absoluteDir().absoluteFilePath(QString::fromStdString(script->file)).toStdString();
}

/// Returns the network of another config, of a folder, or of an id, as a config of its own.
/// \throws ConfigError prefixed with its position
config::ConfigContents networkOf(const QString& fileOrId)
{
    if (!QFileInfo(fileOrId).isFile())
        return config::namedContents({.name = fileOrId.toStdString()}, networkFiles({QDir::currentPath()}));
    config::ConfigContents contents = ConfigFile::open(fileOrId).contentsForPython();
    if (contents.modelSource.empty())
        contents.modelSource = fileOrId.toStdString();
    return contents;
}

/// Returns the warnings about a network that another file contains, with their positions in that file.
std::vector<config::Warning> warningsFrom(const QString& source, const config::ConfigContents& contents)
{
    std::vector<config::Warning> warnings;
    for (const config::Warning& warning : contents.warnings) {
        const QString sentence = QString::fromStdString(warning.sentence);
        warnings.push_back({.sentence = located(source, warning.position, sentence).toStdString(),
                            .approximation = warning.approximation});
    }
    return warnings;
}

/// "a/conf/gpt.yaml", as git names the files of a change; patch -p1 and git apply remove the first part.
QString nameInDiff(QChar side, const QString& path)
{
    return side + (path.startsWith(QLatin1Char('/')) ? path : QLatin1Char('/') + path);
}

[[noreturn]] void failToWrite(const QString& path, const QString& reason)
{
    fail(path, "The config was not written (" + reason.toStdString() +
                   "); make room or set permissions, or choose another place.");
}

QString lastReason()
{
    return QString::fromStdString(std::generic_category().message(errno));
}

/// Whether something can be written there, or it is known that nothing can, before the time limit.
bool waitForReader(int descriptor)
{
    constexpr int patienceMilliseconds = 10'000;
    pollfd wanted{.fd = descriptor, .events = POLLOUT, .revents = 0};
    int ready = 0;
    do
        ready = ::poll(&wanted, 1, patienceMilliseconds);
    while (ready < 0 && errno == EINTR);
    return ready != 0;
}

/// Writes to a stream. It does not wait for a pipe from which nobody reads.
void writeStream(const QString& path, const QByteArray& bytes)
{
    const OpenFile file(path, O_WRONLY);
    if (file.descriptor() < 0)
        failToWrite(path, errno == ENXIO ? QStringLiteral("no program reads from it") : lastReason());
    for (qsizetype done = 0; done < bytes.size();) {
        const ssize_t count = ::write(file.descriptor(), bytes.constData() + done,
                                      static_cast<std::size_t>(bytes.size() - done));
        if (count > 0)
            done += count;
        else if (count == 0 || errno == ENOSPC)
            failToWrite(path, QStringLiteral("not all bytes could be written, as on a full disk"));
        else if (errno == EAGAIN && !waitForReader(file.descriptor()))
            failToWrite(path, QStringLiteral("the program that reads from it takes no more"));
        else if (errno != EAGAIN && errno != EINTR)
            failToWrite(path, lastReason());
    }
}

} // namespace

ConfigFile ConfigFile::open(const QString& path)
{
    return fromText(path, readTextFile(path));
}

ConfigFile ConfigFile::fromText(const QString& path, const std::string& text)
{
    ConfigFile file;
    file.m_path = path;
    file.m_text = text;
    file.m_networks = networkFiles({QFileInfo(path).absolutePath(), QDir::currentPath()});
    try {
        file.m_format = config::recognize(file.m_text, file.m_networks);
        config::ConfigContents contents = file.m_format->readForPython();
        resolvePaths(contents, path);
        file.setContents(std::move(contents));
    } catch (const ConfigError& error) {
        throw located(path, error);
    }
    return file;
}

const config::ConfigContents& ConfigFile::contentsFor(const ExplorationOptions& options) const
{
    return options.python.isEmpty() ? m_contents : contentsForPython();
}

const config::ConfigContents& ConfigFile::contentsForPython() const
{
    return m_contentsForPython;
}

bool ConfigFile::isForPythonAlone() const
{
    return m_contentsForPython.notRunHere &&
           std::holds_alternative<model::ModelSpec>(m_contentsForPython.model);
}

std::optional<config::NetworkName> ConfigFile::missingNetwork() const
{
    const auto* unsupported = std::get_if<config::UnsupportedModel>(&m_contents.model);
    return unsupported ? unsupported->missing : std::nullopt;
}

void ConfigFile::setContents(config::ConfigContents forPython)
{
    m_contents = config::asRunHere(forPython);
    m_contentsForPython = config::asPythonRuns(std::move(forPython));
}

ConfigFile ConfigFile::withModel(const QString& fileOrId) const
{
    config::ConfigContents source = networkOf(fileOrId);
    resolvePaths(source, fileOrId);
    const QString name = source.modelSource.empty() ? fileOrId : QString::fromStdString(source.modelSource);
    if (const auto* unsupported = std::get_if<config::UnsupportedModel>(&source.model))
        throw located(name, ConfigError(unsupported->sentence, unsupported->position));

    if (auto& other = source.notRunHere) {
        const QString sentence = QString::fromStdString(other->sentence);
        other->sentence = located(name, other->position, sentence).toStdString();
        other->position = {};
    }

    ConfigFile file = *this;
    try {
        const config::ConfigContents own = m_format->readForPython();
        file.setContents(config::withModelOf(own, source));
        // A network that batchpeak-worker supports is run by it, whatever runs the config's own network.
        if (!source.notRunHere)
            file.m_contents = config::withModelOf(config::asRunHere(own), source);
    } catch (const ConfigError& error) {
        throw located(m_path, error);
    }
    // The absolute path is kept, since the current folder may be another one later.
    file.m_chosenModel = describesNetwork(fileOrId) ? QFileInfo(fileOrId).absoluteFilePath() : fileOrId;
    // What a config says about its own batches does not apply to a run of its network alone.
    const auto warnings =
        source.isNetworkAlone() ? warningsFrom(name, source) : std::vector<config::Warning>();
    for (config::ConfigContents* contents : {&file.m_contents, &file.m_contentsForPython}) {
        contents->modelSource = name.toStdString();
        contents->warnings.insert(contents->warnings.end(), warnings.begin(), warnings.end());
    }
    return file;
}

namespace {

/// Refuses sizes that share one place: through a YAML alias, two phases may have one value, which then is
/// only the size that was written last.
void refuseSharedSize(const config::SplicedText& spliced, const std::vector<config::ChosenSize>& chosen,
                      const config::NetworkSource& networks)
{
    const config::ConfigContents contents = config::recognize(spliced.text, networks)->read();
    for (const config::ChosenSize& each : chosen) {
        const auto& plan = contents.plan(each.phase);
        if (!plan || plan->writtenSize() != each.microBatchSize)
            throw config::ConfigError(
                "Training and evaluation take their micro-batch size from one place in this "
                "config. Give evaluation a value of its own, or write one size alone.");
    }
}

/// Adds a note on the resulting text, since the other phase may be written with it.
void noteMixedPhases(config::SplicedText& spliced, const config::NetworkSource& networks)
{
    const config::ConfigContents contents = config::recognize(spliced.text, networks)->read();
    if (contents.train && contents.eval && contents.train->explores() != contents.eval->explores()) {
        spliced.notes.push_back(
            "The config still asks for explore in " +
            std::string(contents.train->explores() ? "training" : "evaluation") +
            "; Cerebras refuses that in a run of both phases, so write a size for it too.");
    }
}

} // namespace

config::SplicedText ConfigFile::withMicroBatchSize(const config::ChosenSize& chosen) const
{
    return withMicroBatchSizes({chosen});
}

config::SplicedText ConfigFile::withMicroBatchSizes(const std::vector<config::ChosenSize>& chosen) const
{
    try {
        config::SplicedText all = m_format->withMicroBatchSize(chosen.front());
        for (const config::ChosenSize& next : std::span(chosen).subspan(1)) {
            config::SplicedText more = config::recognize(all.text, m_networks)->withMicroBatchSize(next);
            more.notes.insert(more.notes.begin(), all.notes.begin(), all.notes.end());
            all = std::move(more);
        }
        if (chosen.size() > 1)
            refuseSharedSize(all, chosen, m_networks);
        if (m_contents.rules.exploresBothPhasesOrNone)
            noteMixedPhases(all, m_networks);
        return all;
    } catch (const config::BatchNotKept& notKept) {
        throw located(m_path, notKept);
    } catch (const ConfigError& error) {
        throw located(m_path, error);
    }
}

QString ConfigFile::changeIn(const config::SplicedText& spliced, const QString& path) const
{
    requireUnchanged();
    return unifiedDiff(m_text, spliced.text, nameInDiff(QLatin1Char('a'), m_path),
                       nameInDiff(QLatin1Char('b'), path));
}

QString ConfigFile::save(const config::SplicedText& spliced, const QString& path, InPlace inPlace) const
{
    const QByteArray bytes = QByteArray::fromStdString(spliced.text);
    std::optional<store::FileIdentity> expected;
    // This comes before the check for streams, since a pipe may have replaced the config.
    if (isSameFile(path, m_path)) {
        expected = requireUnchanged();
    } else if (isStream(path)) {
        writeStream(path, bytes);
        return {};
    }
    const WayToWrite way = replaceFile(path, bytes, expected, inPlace);
    if (!way.problem.isEmpty())
        failToWrite(path, way.problem);
    return way.inPlace;
}

bool ConfigFile::isUnchanged() const
{
    return holdsText(m_path, m_text);
}

/// \return identity of the file that has the contents that were read
store::FileIdentity ConfigFile::requireUnchanged() const
{
    if (isStream(m_path)) {
        fail(m_path, "What is there now is no regular file any more, as it was when it was read, and nothing "
                     "was written into it; put the config back and repeat.");
    }
    const FileBytes present = readConfigBytes(m_path);
    if (present.bytes.toStdString() != m_text) {
        fail(m_path,
             "The file has changed since it was read, and nothing was written over it; open it again and "
             "repeat.");
    }
    return present.identity;
}

} // namespace batchpeak::engine
