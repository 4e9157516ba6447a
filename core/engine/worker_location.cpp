// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "worker_location.h"

#include "exploration_error.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QProcess>

namespace batchpeak::engine {

namespace {

struct Translated
{
    Q_DECLARE_TR_FUNCTIONS(batchpeak::engine::WorkerLocation)
};

bool isProgram(const QString& path)
{
    const QFileInfo file(path);
    return file.isFile() && file.isExecutable();
}

QStringList ownWorker(const device::LocalDevice& device, const QString& programFolder)
{
    const QString kind = QString::fromStdString(device.kind);
    const bool isBound = device.kind == "cpu" || !device.uuid.empty();
    return {workerPath(programFolder), QStringLiteral("--device"),
            isBound ? kind : QString::fromStdString(device.id())};
}

} // namespace

QString workerPath(const QString& programFolder)
{
    const QString name = QStringLiteral("batchpeak-worker");
    const QDir folder(programFolder);
    const QString fromEnvironment = qEnvironmentVariable("BATCHPEAK_WORKER");
    for (const QString& path :
         {folder.filePath(name), folder.filePath(QStringLiteral("../libexec/batchpeak/") + name),
          fromEnvironment}) {
        if (isProgram(path))
            return QDir::cleanPath(path);
    }
    if (!fromEnvironment.isEmpty())
        throw ExplorationError(
            Translated::tr("BATCHPEAK_WORKER names %1, which is no program; let it name batchpeak-worker.")
                .arg(fromEnvironment));
    throw ExplorationError(
        Translated::tr("batchpeak-worker, which runs the trials, was not found beside this program in %1; "
                       "install it there, or let the environment variable BATCHPEAK_WORKER name it.")
            .arg(QDir::toNativeSeparators(programFolder)));
}

WorkerCommand workerCommand(const ExplorationOptions& options, const device::LocalDevice& device,
                            const QString& programFolder)
{
    QStringList words = QProcess::splitCommand(options.launcher);
    const QStringList given = QProcess::splitCommand(options.workerCommand);
    words += given.isEmpty() ? ownWorker(device, programFolder) : given;

    WorkerCommand command{.program = words.takeFirst(), .arguments = words};
    if (!device.uuid.empty())
        command.environment.append(QStringLiteral("CUDA_VISIBLE_DEVICES=") +
                                   QString::fromStdString(device.uuid));
    return command;
}

} // namespace batchpeak::engine
