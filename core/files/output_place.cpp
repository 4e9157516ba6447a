// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "output_place.h"

#include "config_file.h"
#include "options/exploration_options.h"
#include "options/run_description.h"
#include "store/exploration_store.h"
#include "store/history_file.h"
#include "trusted_code.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QProcess>

#include <algorithm>

namespace batchpeak::engine {

namespace {

/// Whether \p path leads to one of the files below a folder.
bool isBelow(const QString& path, const QString& folder)
{
    QDirIterator files(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        if (isSameFile(path, files.next()))
            return true;
    }
    return false;
}

/// Returns the file, or nothing if the name is not that of a file, as the id of a network.
QString fileOf(const QString& pathOrName)
{
    return QFileInfo(pathOrName).isFile() ? pathOrName : QString();
}

/// Returns the history, with the files that SQLite keeps beside it, and the list of trusted code.
QStringList filesOfTheProgram()
{
    return store::filesOfHistory(store::ExplorationStore::defaultPath()) + QStringList{trustListPath()};
}

} // namespace

bool isSameFile(const QString& path, const QString& other)
{
    const auto identity = store::identityOf(path);
    const auto identityOfOther = store::identityOf(other);
    if (identity || identityOfOther)
        return identity == identityOfOther;
    const QString future = futurePathOf(path);
    return !future.isEmpty() && future == futurePathOf(other);
}

QString futurePathOf(const QString& path)
{
    // Maximum number of links that the kernel follows (path_resolution(7)).
    constexpr int maxLinks = 40;
    QFileInfo file(path);
    for (int links = 0; file.isSymLink() && links < maxLinks; ++links)
        file = QFileInfo(file.symLinkTarget());
    const QString folder = file.dir().canonicalPath();
    return folder.isEmpty() || path.isEmpty() ? QString() : QDir(folder).filePath(file.fileName());
}

bool isStream(const QString& path)
{
    const QFileInfo info(path);
    return info.exists() && !info.isFile() && !info.isDir();
}

OutputObstacle obstacleTo(const QString& path, const QStringList& needed, bool isOurs)
{
    const QFileInfo there(path);
    const auto isNeeded = [&](const QString& file) {
        return isSameFile(path, file) ||
               (!isOurs && there.isFile() && QFileInfo(file).isDir() && isBelow(path, file));
    };
    if (std::ranges::any_of(needed, isNeeded))
        return OutputObstacle::Needed;
    return there.isFile() && !isOurs ? OutputObstacle::There : OutputObstacle::None;
}

QStringList filesNeededBy(const ConfigFile& file)
{
    const config::ConfigContents& contents = file.contentsForPython();
    const QString growth = QString::fromStdString(contents.training.batchIncreaseFunction).trimmed();
    return QStringList{file.path(), fileOf(file.modelSource()), fileOf(file.chosenModel()), codeOf(contents),
                       // An expression is not the name of a file.
                       growth.isEmpty() ? QString() : QFileInfo(file.path()).dir().filePath(growth)} +
           filesOfTheProgram();
}

QStringList filesNeededBy(const RunDescription& run)
{
    return QStringList{run.filePath, fileOf(run.modelSource), fileOf(run.chosenModel), run.codePath} +
           filesOfTheProgram();
}

QStringList filesNeededBy(const ExplorationOptions& options)
{
    QStringList files{options.sampleLengthsPath, fileOf(options.python)};
    // Behind a launcher, a path may be one on another computer.
    if (!options.isHere())
        return files;
    for (const QString& word : QProcess::splitCommand(options.workerCommand))
        files << fileOf(word);
    return files;
}

} // namespace batchpeak::engine
