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

#include <optional>
#include <string>
#include <vector>

class QWidget;

namespace batchpeak::ui {

class ExportDialog;

/// Exports of the window to a file or the clipboard: the recommended size, the trials, the charts. It asks
/// for the destination, and writes a file either completely or not at all.
///
/// Callers request only what can be exported; the actions are disabled otherwise.
class WindowExports : public QObject
{
    Q_OBJECT

public:
    /// \param window  parent of its dialogs
    explicit WindowExports(QWidget* window);

    /// Sets the options of the current config; the files that they name are not replaced.
    void setOptions(const engine::ExplorationOptions& options) { m_options = options; }

    /// \param path  path of the store, which keeps what files contained before; if empty, nothing can be
    ///              restored
    void setHistory(const QString& path) { m_historyPath = path; }
    /// \param sizes  at least one
    /// \param doubt  why they should not be written yet; empty if there is no reason
    /// \param found  how they were found, from PhaseSequence::foundText()
    void exportSizes(const engine::ConfigFile& config, const std::vector<config::ChosenSize>& sizes,
                     const QString& doubt, const QString& found, const Theme& theme);
    /// Writes any size, also into a config with which no trial is possible.
    void writeSize(const engine::ConfigFile& config, model::Phase phase, const Theme& theme);
    /// Copies the recommended size as the config would write it.
    /// \param config  text of the config, whose first character distinguishes JSON from YAML
    void copySize(const std::string& config, const engine::Snapshot& snapshot);
    /// Asks for the config that gets a size found elsewhere.
    /// \return nothing if none was chosen, or if it cannot be read, which failed() reports
    std::optional<engine::ConfigFile> chooseConfig(const engine::Snapshot& snapshot);
    /// Saves the finished trials as CSV.
    void saveTrials(const engine::Snapshot& snapshot);
    /// Restores what a file contained before the last size was written into it, after the user has seen what
    /// changes.
    void takeBack(const QString& path, const Theme& theme);
    /// Whether such a restore is possible; false if the history cannot be read.
    bool canTakeBack(const QString& path) const;
    /// Saves \p charts in their current state, as PNG or PDF.
    void saveCharts(const engine::Snapshot& snapshot, QWidget& charts, const Theme& theme);

signals:
    void succeeded(const QString& sentence);
    /// A size was written into a file, or taken back.
    void written(const QString& sentence, const QString& path);
    void failed(const QString& sentence);

private:
    /// \return the path that was chosen; empty if none was
    QString choosePath(const QString& title, const QString& suggestion, const QStringList& filters,
                       const QString& suffix);
    /// Emits failed() if the file must not be replaced.
    /// \param needed  files that are not replaced
    bool mayReplace(const QString& path, const QStringList& needed);
    /// \param path  a path that the user chose, having been asked if the file exists
    void save(const QString& path, const QByteArray& bytes);
    QStringList filesNeededBy(const engine::Snapshot& snapshot) const;
    void run(ExportDialog& dialog);

    engine::ExplorationOptions m_options;
    QWidget* m_window;
    QString m_historyPath;
};

} // namespace batchpeak::ui
