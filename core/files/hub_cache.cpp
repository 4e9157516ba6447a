// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hub_cache.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

namespace batchpeak::engine {

namespace {

QString fromEnvironment(const char* name)
{
    const QString value = qEnvironmentVariable(name);
    return value == QLatin1String("~") || value.startsWith(QLatin1String("~/"))
               ? QDir::homePath() + value.mid(1)
               : value;
}

/// Whether the name has the form of an id: letters, digits, "_", "-" and "." in one or two parts, as in
/// validate_repo_id in utils/_validators.py of huggingface_hub 1.0.
bool isId(const QString& name)
{
    static const QRegularExpression form(
        QStringLiteral("\\A[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)?\\z"));
    return form.match(name).hasMatch() && !name.contains(QLatin1String("..")) &&
           !name.contains(QLatin1String("--"));
}

bool isCommit(const QString& name)
{
    static const QRegularExpression form(QStringLiteral("\\A[0-9a-f]{1,64}\\z"));
    return form.match(name).hasMatch();
}

/// Returns the commit in a file of refs; empty if there is none.
QString commitIn(const QString& file)
{
    constexpr qint64 maxBytes = 256;
    const QFileInfo info(file);
    QFile reference(file);
    if (!info.isFile() || info.size() > maxBytes || !reference.open(QIODevice::ReadOnly))
        return {};
    return QString::fromLatin1(reference.read(maxBytes)).trimmed();
}

QString snapshotIn(const QDir& folder, const QString& revision)
{
    if (!isHubRevision(revision))
        return {};
    const QString named = commitIn(folder.filePath(QStringLiteral("refs/") + revision));
    const QString commit = named.isEmpty() ? revision : named;
    const QString snapshot = folder.filePath(QStringLiteral("snapshots/") + commit);
    return isCommit(commit) && QFileInfo(snapshot).isDir() ? snapshot : QString();
}

} // namespace

QString hubCacheFolder()
{
    for (const char* variable : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}) {
        QString folder = fromEnvironment(variable);
        if (!folder.isEmpty())
            return folder;
    }
    const QString home = fromEnvironment("HF_HOME");
    if (!home.isEmpty())
        return QDir(home).filePath(QStringLiteral("hub"));
    const QString caches = fromEnvironment("XDG_CACHE_HOME");
    return QDir(caches.isEmpty() ? QDir::home().filePath(QStringLiteral(".cache")) : caches)
        .filePath(QStringLiteral("huggingface/hub"));
}

bool isHubRevision(const QString& name)
{
    static const QRegularExpression form(QStringLiteral("\\A[A-Za-z0-9_][A-Za-z0-9_./-]*\\z"));
    return form.match(name).hasMatch() && !name.contains(QLatin1String(".."));
}

QString hubFolderOf(QString id)
{
    return QDir(hubCacheFolder())
        .filePath(QStringLiteral("models--") + id.replace(QLatin1Char('/'), QLatin1String("--")));
}

CachedNetwork cachedNetwork(const config::NetworkName& name)
{
    const QString id = QString::fromStdString(name.name);
    if (!isId(id))
        return {};
    const QString folder = hubFolderOf(id);
    if (!QFileInfo(folder).isDir())
        return {.isId = true};
    const QString revision =
        name.revision.empty() ? QStringLiteral("main") : QString::fromStdString(name.revision);
    return {.isId = true, .folder = folder, .snapshot = snapshotIn(QDir(folder), revision)};
}

} // namespace batchpeak::engine
