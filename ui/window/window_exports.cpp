// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "window_exports.h"

#include "exploration/export_formats.h"
#include "export_dialog.h"
#include "files/output_place.h"
#include "files/saved_file.h"
#include "files/written_config.h"
#include "plan/phase_sequence.h"
#include "text/readable_text.h"
#include "widgets/questions.h"

#include <QClipboard>
#include <QDateTime>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QWidget>

#include <map>

namespace batchpeak::ui {

namespace {

// Returns a path in the folder of the config, with a name derived from the config's.
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
    dialog.setHistory(m_historyPath);
    if (dialog.exec() != QDialog::Accepted)
        return;
    const QString path = QDir::toNativeSeparators(dialog.path());
    QStringList sizes;
    for (const config::ChosenSize& size : dialog.sizes())
        sizes << tr("%1 for %2").arg(engine::numberText(size.microBatchSize), engine::phaseText(size.phase));
    QString sentence = sizes.size() == 1
                           ? tr("Micro-batch size %1 is written to %2.")
                                 .arg(engine::numberText(dialog.sizes().front().microBatchSize), path)
                           : tr("Micro-batch sizes %1 are written to %2.").arg(sizes.join(tr(" and ")), path);
    for (const QString& note : dialog.saved().sentences())
        sentence += QLatin1Char(' ') + note;
    emit written(sentence, dialog.path());
}

bool WindowExports::canTakeBack(const QString& path) const
{
    try {
        return !m_historyPath.isEmpty() && engine::lastWriting(path, m_historyPath);
    } catch (const config::ConfigError&) {
        return false;
    }
}

void WindowExports::takeBack(const QString& path, const Theme& theme)
{
    const QString name = QDir::toNativeSeparators(path);
    try {
        const auto last = engine::lastWriting(path, m_historyPath);
        if (!last) {
            emit failed(tr("There is no export to undo for %1.").arg(name));
            return;
        }
        // A single key triggers this, which users may press by accident.
        if (!wantsToTakeBack(m_window, *last, theme))
            return;
        engine::takeBack(*last, m_historyPath);
        emit written(last->written.before
                         ? tr("The previous content of %1 was restored.").arg(name)
                         : tr("%1 was removed, because it did not exist before the export.").arg(name),
                     path);
    } catch (const config::ConfigError& error) {
        emit failed(QString::fromUtf8(error.what()));
    }
}

void WindowExports::copySize(const std::string& config, const engine::Snapshot& snapshot)
{
    QGuiApplication::clipboard()->setText(
        sizeLine(snapshot.run->plan, snapshot.searchState.recommendation->size, config));
}

std::optional<engine::ConfigFile> WindowExports::chooseConfig(const engine::Snapshot& snapshot)
{
    // The same path may lead to the config here too, as on a cluster.
    const QString path = QFileDialog::getOpenFileName(
        m_window, tr("Choose the config that gets the size"), snapshot.run->filePath,
        tr("Configs (*.yaml *.yml *.json *.sh);;All files (*)"));
    try {
        return path.isEmpty() ? std::nullopt : std::optional(engine::ConfigFile::open(path));
    } catch (const config::ConfigError& error) {
        emit failed(QString::fromUtf8(error.what()));
        return std::nullopt;
    }
}

void WindowExports::saveTrials(const engine::Snapshot& snapshot)
{
    const QStringList needed = filesNeededBy(snapshot);
    const QByteArray table = trialsCsv(snapshot.trials, snapshot.run->fidelity);
    const QString path =
        choosePath(tr("Save the trials"), pathBeside(snapshot, QStringLiteral("-trials.csv")),
                   {tr("Comma-separated values (*.csv)")}, QStringLiteral("csv"));
    if (!path.isEmpty() && mayReplace(path, needed))
        save(path, table);
}

void WindowExports::saveCharts(const engine::Snapshot& snapshot, QWidget& charts, const Theme& theme)
{
    const QStringList needed = filesNeededBy(snapshot);
    // Drawn before the dialog covers anything or the exploration continues, whichever format is chosen then.
    const ChartPicture picture(charts, snapshot, theme, QDateTime::currentDateTime());
    std::map<PictureKind, QByteArray> pictures;
    for (const PictureKind kind : {PictureKind::Png, PictureKind::Pdf})
        pictures[kind] = picture.bytes(kind);
    const QString path =
        choosePath(tr("Save the charts"), pathBeside(snapshot, QStringLiteral("-charts.png")),
                   {tr("Pictures (*.png)"), tr("PDF (*.pdf)")}, QStringLiteral("png"));
    if (path.isEmpty() || !mayReplace(path, needed))
        return;
    if (const auto kind = pictureKindOf(path))
        save(path, pictures[*kind]);
    else
        emit failed(
            tr("%1 was not written, since charts are saved as PNG or PDF; end the name in .png or .pdf.")
                .arg(QDir::toNativeSeparators(path)));
}

QStringList WindowExports::filesNeededBy(const engine::Snapshot& snapshot) const
{
    return engine::filesNeededBy(*snapshot.run) + engine::filesNeededBy(m_options);
}

QString WindowExports::choosePath(const QString& title, const QString& suggestion, const QStringList& filters,
                                  const QString& suffix)
{
    const QFileInfo suggested(suggestion);
    QFileDialog dialog(m_window, title, suggested.path());
    dialog.setNameFilters(filters);
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(suffix);
    dialog.selectFile(suggested.fileName());
    connect(&dialog, &QFileDialog::filterSelected, &dialog, [&dialog](const QString& filter) {
        const QString ending = filter.section(QStringLiteral("*."), 1).chopped(1);
        dialog.setDefaultSuffix(ending);
        const QFileInfo chosen(dialog.selectedFiles().value(0));
        dialog.selectFile(chosen.completeBaseName() + QLatin1Char('.') + ending);
    });
    return dialog.exec() == QDialog::Accepted ? dialog.selectedFiles().value(0) : QString();
}

bool WindowExports::mayReplace(const QString& path, const QStringList& needed)
{
    if (engine::isStream(path)) {
        emit failed(tr("%1 is a device or pipe, and nothing was written; choose a file.")
                        .arg(QDir::toNativeSeparators(path)));
        return false;
    }
    if (engine::obstacleTo(path, needed) != engine::OutputObstacle::Needed)
        return true;
    emit failed(tr("%1 is a file that this run needs, and is not overwritten; choose another file.")
                    .arg(QDir::toNativeSeparators(path)));
    return false;
}

void WindowExports::save(const QString& path, const QByteArray& bytes)
{
    const QString name = QDir::toNativeSeparators(path);
    const QString reason = engine::replaceFile(path, bytes);
    if (reason.isEmpty())
        emit succeeded(tr("%1 is written.").arg(name));
    else
        emit failed(
            tr("%1 could not be written: %2. Choose another place, or make room there.").arg(name, reason));
}

} // namespace batchpeak::ui
