// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "files/config_file.h"
#include "options/exploration_options.h"
#include "snapshot/snapshot.h"
#include "theme/theme.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <vector>

class QWidget;

namespace batchpeak::ui {

class ExportDialog;

/// What leaves the window for a file or the clipboard: the recommended size, the trials, the charts. It
/// asks where to, and writes a file whole or not at all.
///
/// Only what can be exported is asked of it; the actions see to that.
class WindowExports : public QObject
{
    Q_OBJECT

public:
    /// \param window  that its dialogs belong to
    explicit WindowExports(QWidget* window);

    /// Takes those of the config in hand, whose files are not replaced.
    void setOptions(const engine::ExplorationOptions& options) { m_options = options; }

    /// \param path  of the store, which keeps what files held before; without one nothing can be taken back
    void setHistory(const QString& path) { m_historyPath = path; }
    /// \param sizes  at least one
    /// \param doubt  why they had better not be written yet; else empty
    /// \param found  how, as of PhaseSequence::foundText()
    void exportSizes(const engine::ConfigFile& config, const std::vector<config::ChosenSize>& sizes,
                     const QString& doubt, const QString& found, const Theme& theme);
    /// Any size, also into a config that nothing can be tried with.
    void writeSize(const engine::ConfigFile& config, model::Phase phase, const Theme& theme);
    /// The recommended size as the config would write it.
    void copySize(const engine::ConfigFile& config, const engine::Snapshot& snapshot);
    /// The finished trials, as CSV.
    void saveTrials(const engine::Snapshot& snapshot);
    /// Gives a file back what it held before a size was written into it last, once somebody has seen what
    /// changes.
    void takeBack(const QString& path, const Theme& theme);
    /// Whether there is such a size, as far as the history can be read.
    bool canTakeBack(const QString& path) const;
    /// \p charts as they stand, as PNG or PDF.
    void saveCharts(const engine::Snapshot& snapshot, QWidget& charts, const Theme& theme);

signals:
    void succeeded(const QString& sentence);
    /// A size was written into a file, or taken back.
    void written(const QString& sentence, const QString& path);
    void failed(const QString& sentence);

private:
    /// \return the path that was chosen; empty when none was
    QString choosePath(const QString& title, const QString& suggestion, const QStringList& filters,
                       const QString& suffix);
    /// Says so where the run needs the file.
    /// \param needed  files that are not replaced
    bool mayReplace(const QString& path, const QStringList& needed);
    /// \param path  chosen by a person, who was asked about a file that is there
    void save(const QString& path, const QByteArray& bytes);
    QStringList filesNeededBy(const engine::Snapshot& snapshot) const;
    void run(ExportDialog& dialog);

    engine::ExplorationOptions m_options;
    QWidget* m_window;
    QString m_historyPath;
};

} // namespace batchpeak::ui
