// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "checkpoint_folder.h"

#include "checkpoint_state_file.h"
#include "config/config_error.h"
#include "disk_order.h"
#include "engine/located_error.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>
#include <filesystem>
#include <vector>

namespace batchpeak::training {

namespace {

/// The one to go on from, and the one before it, should that turn out to be damaged.
constexpr std::size_t keptCheckpoints = 2;

const QString unfinishedEnding = QStringLiteral(".unfinished");

struct Translated
{
    Q_DECLARE_TR_FUNCTIONS(batchpeak::training::CheckpointFolder)
};

[[noreturn]] void fail(const QString& path, const QString& sentence)
{
    throw engine::located(path, config::ConfigError(sentence.toStdString()));
}

QString tensorsIn(const QString& checkpoint)
{
    return QDir(checkpoint).filePath(QStringLiteral("tensors.safetensors"));
}

QString stateIn(const QString& checkpoint)
{
    return QDir(checkpoint).filePath(QStringLiteral("state.json"));
}

QString finishedPath(const QString& folder, std::int64_t step)
{
    return QDir(folder).absoluteFilePath(QStringLiteral("step-%1").arg(step, 6, 10, QLatin1Char('0')));
}

/// Folders in \p folder whose name begins as those of checkpoints do and goes on with \p ending.
QStringList foldersIn(const QString& folder, const QString& ending)
{
    const QRegularExpression name(QStringLiteral("^step-\\d{6,}") + QRegularExpression::escape(ending) +
                                  QLatin1Char('$'));
    QStringList paths;
    const QDir dir(folder);
    for (const QFileInfo& entry : dir.entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot | QDir::NoSymLinks)) {
        if (name.match(entry.fileName()).hasMatch())
            paths.append(entry.absoluteFilePath());
    }
    return paths;
}

/// A folder of the same name that somebody else made is not ours to replace.
void refuseToReplace(const QString& finished)
{
    if (QFileInfo::exists(finished) && !QFileInfo::exists(stateIn(finished)))
        fail(finished,
             Translated::tr("A checkpoint is to have this name, but something that is none is here; move it "
                            "away, or choose another folder for checkpoints."));
}

struct Written
{
    QString path;
    StoredState stored;
};

/// Those that were written whole, the newest first.
/// \param damaged  what becomes of one whose state cannot be read
template<typename Damaged>
std::vector<Written> writtenIn(const QString& folder, const Damaged& damaged)
{
    std::vector<Written> found;
    for (const QString& path : foldersIn(folder, QString())) {
        if (!QFileInfo::exists(stateIn(path)))
            continue;
        try {
            found.push_back({.path = path, .stored = readStateFile(stateIn(path))});
        } catch (const config::ConfigError& error) {
            damaged(error);
        }
    }
    std::ranges::sort(found, std::ranges::greater(), [](const Written& one) { return one.stored.serial; });
    return found;
}

std::vector<Written> soundOnesIn(const QString& folder)
{
    return writtenIn(folder, [](const config::ConfigError&) {});
}

void makeFolder(const QString& path)
{
    std::error_code error;
    std::filesystem::create_directories(QFile::encodeName(path).toStdString(), error);
    if (error)
        fail(path, Translated::tr("The folder for checkpoints cannot be made (%1); choose another, or set "
                                  "permissions.")
                       .arg(QString::fromStdString(error.message())));
}

} // namespace

QString CheckpointFolder::begin(std::int64_t step)
{
    for (const QString& left : foldersIn(m_path, unfinishedEnding))
        QDir(left).removeRecursively();
    const QString finished = finishedPath(m_path, step);
    refuseToReplace(finished);
    const QString unfinished = finished + unfinishedEnding;
    makeFolder(unfinished);
    if (!QFileInfo(unfinished).isWritable())
        fail(unfinished, Translated::tr("Nothing can be written into this folder; set permissions, or choose "
                                        "another one for checkpoints."));
    return tensorsIn(unfinished);
}

QString CheckpointFolder::commit(const CheckpointState& state)
{
    const QString finished = finishedPath(m_path, state.step);
    const QString unfinished = finished + unfinishedEnding;
    if (!QFileInfo(tensorsIn(unfinished)).isFile())
        fail(unfinished,
             Translated::tr("The worker has left no tensors here, so that there is no checkpoint of "
                            "step %1; choose a folder that it can write as well.")
                 .arg(state.step));
    const std::vector<Written> before = soundOnesIn(m_path);
    const std::int64_t serial = before.empty() ? 1 : before.front().stored.serial + 1;
    writeStateFile(stateIn(unfinished), {.state = state, .serial = serial});
    syncToDisk(tensorsIn(unfinished));
    syncToDisk(unfinished);
    refuseToReplace(finished);
    giveName(unfinished, finished);
    syncToDisk(m_path);

    const std::vector<Written> now = soundOnesIn(m_path);
    for (std::size_t i = keptCheckpoints; i < now.size(); ++i)
        QDir(now[i].path).removeRecursively();
    return finished;
}

CheckpointFolder::Found CheckpointFolder::newest() const
{
    const QString folder = QDir::cleanPath(QFileInfo(m_path).absoluteFilePath());
    if (!QFileInfo(folder).isDir())
        fail(m_path,
             Translated::tr("There is no such folder; give the one that checkpoints were written to, or "
                            "one checkpoint in it."));
    Written chosen{.path = folder, .stored = {}};
    if (QFileInfo::exists(stateIn(folder)) && !folder.endsWith(unfinishedEnding)) {
        chosen.stored = readStateFile(stateIn(folder));
    } else {
        const auto found = writtenIn(folder, [](const config::ConfigError& error) { throw error; });
        if (found.empty())
            fail(m_path, Translated::tr("There is no checkpoint in this folder that was written whole; give "
                                        "another folder, or leave out --resume to begin anew."));
        chosen = found.front();
    }
    const QString tensors = tensorsIn(chosen.path);
    if (!QFileInfo(tensors).isFile())
        fail(tensors, Translated::tr("This file with the tensors of the checkpoint is missing; go on from "
                                     "another checkpoint."));
    return {.path = chosen.path, .tensors = tensors, .state = chosen.stored.state};
}

} // namespace batchpeak::training
