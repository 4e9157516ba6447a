// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "written_config.h"

#include "config_file.h"
#include "output_place.h"
#include "saved_file.h"
#include "store/exploration_store.h"
#include "text/errors.h"
#include "text/translated.h"
#include "text_file.h"
#include "unified_diff.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLocale>

namespace batchpeak::engine {

namespace {

/// Returns the path by which a file is stored, whatever path leads to it; it need not exist.
QString wholePathOf(const QString& path)
{
    const QFileInfo file(path);
    QString canonical = file.canonicalFilePath();
    if (!canonical.isEmpty())
        return canonical;
    const QString future = futurePathOf(path);
    return future.isEmpty() ? file.absoluteFilePath() : future;
}

/// \throws config::ConfigError
std::optional<QByteArray> bytesAt(const QString& path)
{
    const auto present = presentBytes(path);
    return present ? std::optional(present->bytes) : std::nullopt;
}

[[noreturn]] void fail(const QString& path, const QString& reason)
{
    throw located(path, config::ConfigError("The previous content was not restored (" + reason.toStdString() +
                                            "); make room or set permissions."));
}

/// \param why  why its contents cannot be stored, as a full sentence
void refuseInPlace(const QString& path, const QString& why)
{
    const QString reason = wayToWrite(path).inPlace;
    if (reason.isEmpty())
        return;
    throw located(
        path, config::ConfigError("The config was not written: it can only be written in place, because " +
                                  reason.toStdString() +
                                  ", and its present content cannot be saved first; choose another place." +
                                  (why.isEmpty() ? std::string() : ' ' + why.toStdString())));
}

} // namespace

QStringList SavedConfig::sentences() const
{
    QStringList sentences{inPlace, whyFinal};
    sentences.removeAll(QString());
    return sentences;
}

SavedConfig saveKept(const ConfigFile& file, const config::SplicedText& spliced, const QString& path,
                     const QString& historyPath)
{
    const QByteArray after = QByteArray::fromStdString(spliced.text);
    // A pipe that has replaced the config is not written to.
    const bool isOutput = isStream(path) && !isSameFile(path, file.path());
    if (isOutput) {
        file.save(spliced, path);
        return {};
    }
    if (historyPath.isEmpty()) {
        refuseInPlace(path, {});
        file.save(spliced, path, InPlace::Never);
        return {};
    }
    std::optional<store::ExplorationStore> history;
    qint64 id = 0;
    QString why;
    try {
        // This comes first, so that the end of the program never leaves a file that cannot be reverted.
        const QString whole = wholePathOf(path);
        const std::optional<QByteArray> before = bytesAt(whole);
        history.emplace(historyPath);
        history->requireWritable();
        id = history->addWritten(
            {.time = QDateTime::currentDateTimeUtc(), .filePath = whole, .before = before, .after = after});
    } catch (const std::runtime_error& error) {
        why = Translated::tr("This export cannot be undone: %1").arg(QString::fromUtf8(error.what()));
    }
    try {
        if (id == 0)
            refuseInPlace(path, why);
        const InPlace inPlace = id > 0 ? InPlace::WhereNeeded : InPlace::Never;
        return {.whyFinal = why, .inPlace = inPlaceText(path, file.save(spliced, path, inPlace))};
    } catch (const config::ConfigError&) {
        try {
            if (id > 0)
                history->removeWritten(id);
        } catch (const store::StoreError&) {
            // What matters is why the file was not written. Reverting a write that did not happen has no
            // effect.
        }
        throw;
    }
}

QString inPlaceText(const QString& path, const QString& reason)
{
    if (reason.isEmpty())
        return {};
    return Translated::tr("%1 is written in place, where a power loss may truncate it, because %2; its "
                          "previous content is kept in the history.")
        .arg(QDir::toNativeSeparators(path), reason);
}

QString keepError(const QString& historyPath)
{
    try {
        store::ExplorationStore(historyPath).requireWritable();
        return {};
    } catch (const store::StoreError& error) {
        return QString::fromUtf8(error.what());
    }
}

bool holdsAlready(const ConfigFile& file, const config::SplicedText& spliced, const QString& path)
{
    return isSameFile(path, file.path()) && spliced.text == file.text() && file.isUnchanged();
}

QString LastWriting::changeText() const
{
    return Translated::tr("%1 has changed since a size was written into it on %2.")
        .arg(QDir::toNativeSeparators(written.filePath),
             QLocale().toString(written.time.toLocalTime(), QLocale::ShortFormat));
}

std::optional<LastWriting> lastWriting(const QString& path, const QString& historyPath)
{
    if (!QFileInfo::exists(historyPath))
        return std::nullopt;
    try {
        const auto written = store::ExplorationStore(historyPath).lastWritten(wholePathOf(path));
        if (!written)
            return std::nullopt;
        return LastWriting{.written = *written, .now = bytesAt(written->filePath)};
    } catch (const store::StoreError& error) {
        throw config::ConfigError(error.what());
    }
}

void takeBack(const LastWriting& last, const QString& historyPath)
{
    const QString& path = last.written.filePath;
    const auto present = presentBytes(path);
    if ((present ? std::optional(present->bytes) : std::nullopt) != last.now)
        throw located(path,
                      config::ConfigError(
                          "The file has just changed, so its previous content was not restored; try again."));
    try {
        store::ExplorationStore(historyPath).requireWritable();
    } catch (const store::StoreError& error) {
        fail(path, QString::fromUtf8(error.what()));
    }
    if (last.written.before) {
        const auto expected = present ? std::optional(present->identity) : std::nullopt;
        const WayToWrite way = replaceFile(path, *last.written.before, expected, InPlace::WhereNeeded);
        if (!way.problem.isEmpty())
            fail(path, way.problem);
    } else if (QFile file(path); file.exists() && !file.remove()) {
        fail(path, file.errorString());
    }
    try {
        store::ExplorationStore(historyPath).removeWritten(last.written.id);
    } catch (const store::StoreError& error) {
        throw config::ConfigError(error.what());
    }
}

QString changeByTakingBack(const LastWriting& last)
{
    const auto text = [](const std::optional<QByteArray>& bytes) {
        return bytes.value_or(QByteArray()).toStdString();
    };
    return unifiedDiff(text(last.now), text(last.written.before), QStringLiteral("a") + last.written.filePath,
                       QStringLiteral("b") + last.written.filePath);
}

} // namespace batchpeak::engine
