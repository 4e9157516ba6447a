// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "window_exports.h"

#include "engine/output_place.h"
#include "engine/phase_sequence.h"
#include "engine/readable_text.h"
#include "engine/saved_file.h"
#include "export_dialog.h"
#include "export_formats.h"

#include <QBuffer>
#include <QClipboard>
#include <QDateTime>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QWidget>

namespace batchpeak::ui {

namespace {

// Beside the config, and named after it.
QString pathBeside(const engine::Snapshot& snapshot, const QString& end)
{
    const QFileInfo config(snapshot.run->filePath);
    return config.dir().filePath(config.completeBaseName() + end);
}

} // namespace

WindowExports::WindowExports(QWidget* window) : QObject(window), m_window(window) {}

void WindowExports::exportSizes(const engine::ConfigFile& config,
                                const std::vector<config::ChosenSize>& sizes, const QString& doubt,
                                const QString& found, const Theme& theme)
{
    try {
        ExportDialog dialog(config, sizes, theme, m_window, doubt);
        dialog.setFound(found);
        run(dialog);
    } catch (const config::ConfigError& error) {
        emit failed(QString::fromUtf8(error.what()));
    }
}

void WindowExports::writeSize(const engine::ConfigFile& config, model::Phase phase, const Theme& theme)
{
    ExportDialog dialog(config, phase, theme, m_window);
    run(dialog);
}

void WindowExports::run(ExportDialog& dialog)
{
    dialog.setNeeded(engine::filesNeededBy(m_options));
    if (dialog.exec() != QDialog::Accepted)
        return;
    const QString path = QDir::toNativeSeparators(dialog.path());
    if (dialog.sizes().size() == 1) {
        const QString size = engine::numberText(dialog.sizes().front().microBatchSize);
        emit succeeded(tr("Micro-batch size %1 is written to %2.").arg(size, path));
        return;
    }
    QStringList sizes;
    for (const config::ChosenSize& size : dialog.sizes())
        sizes << tr("%1 for %2").arg(engine::numberText(size.microBatchSize), engine::phaseText(size.phase));
    emit succeeded(tr("Micro-batch sizes %1 are written to %2.").arg(sizes.join(tr(" and ")), path));
}

void WindowExports::copySize(const engine::ConfigFile& config, const engine::Snapshot& snapshot)
{
    QGuiApplication::clipboard()->setText(
        sizeLine(snapshot.run->plan, snapshot.searchState.recommendation->size, config.text()));
}

void WindowExports::saveTrials(const engine::Snapshot& snapshot)
{
    const QStringList needed = filesNeededBy(snapshot);
    const QByteArray table = trialsCsv(snapshot.trials, snapshot.run->fidelity);
    save(choosePath(tr("Save the trials"), pathBeside(snapshot, QStringLiteral("-trials.csv")),
                    tr("Comma-separated values (*.csv)"), QStringLiteral("csv")),
         table, needed);
}

void WindowExports::saveCharts(const engine::Snapshot& snapshot, QWidget& charts, const Theme& theme)
{
    const QStringList needed = filesNeededBy(snapshot);
    // Drawn before the dialog covers anything or the exploration goes on.
    QByteArray picture;
    QBuffer buffer(&picture);
    buffer.open(QIODevice::WriteOnly);
    chartPicture(charts, snapshot, theme, QDateTime::currentDateTime()).save(&buffer, "PNG");
    save(choosePath(tr("Save the charts"), pathBeside(snapshot, QStringLiteral("-charts.png")),
                    tr("Pictures (*.png)"), QStringLiteral("png")),
         picture, needed);
}

QStringList WindowExports::filesNeededBy(const engine::Snapshot& snapshot) const
{
    return engine::filesNeededBy(*snapshot.run) + engine::filesNeededBy(m_options);
}

QString WindowExports::choosePath(const QString& title, const QString& suggestion, const QString& filter,
                                  const QString& suffix)
{
    QFileDialog dialog(m_window, title, QFileInfo(suggestion).path(), filter);
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(suffix);
    dialog.selectFile(QFileInfo(suggestion).fileName());
    return dialog.exec() == QDialog::Accepted ? dialog.selectedFiles().value(0) : QString();
}

void WindowExports::save(const QString& path, const QByteArray& bytes, const QStringList& needed)
{
    if (path.isEmpty())
        return;
    const QString name = QDir::toNativeSeparators(path);
    if (engine::obstacleTo(path, needed) == engine::OutputObstacle::Needed) {
        emit failed(
            tr("%1 is a file that this run needs, and is not overwritten; choose another file.").arg(name));
        return;
    }
    const QString reason = engine::replaceFile(path, bytes);
    if (reason.isEmpty())
        emit succeeded(tr("%1 is written.").arg(name));
    else
        emit failed(
            tr("%1 could not be written: %2. Choose another place, or make room there.").arg(name, reason));
}

} // namespace batchpeak::ui
