// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/batch_plan.h"
#include "files/config_file.h"
#include "files/written_config.h"
#include "theme/theme.h"

#include <QDialog>
#include <QWidget>

#include <cstdint>
#include <optional>
#include <vector>

class QButtonGroup;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace batchpeak::ui {

class DiffView;

/// Asks for the batch of one optimizer step if a config cannot keep its own with a micro-batch size: the
/// nearest below, if there is one, the nearest above, or a single micro-batch. None is selected at first,
/// since each changes the training.
class BatchChoiceBox : public QWidget
{
    Q_OBJECT

public:
    /// \param plan  the plan whose batch cannot be kept
    BatchChoiceBox(const config::BatchPlan& plan, std::int64_t microBatchSize,
                   const config::BatchNotKept& choice, QWidget* parent);

    /// Returns the number of samples in one optimizer step, in the terms of the plan.
    std::optional<std::int64_t> chosen() const;
    model::Phase phase() const { return m_phase; }

signals:
    void changed();

private:
    void offer(const QString& text, std::int64_t batch);

    model::Phase m_phase;
    QButtonGroup* m_buttons;
    QVBoxLayout* m_layout;
    std::vector<std::int64_t> m_batches;
};

/// Asks where sizes should be written, one for each phase, and shows what changes before anything is written.
/// If the config cannot keep a batch with its size, it asks for one that is possible. It reports a file that
/// cannot be written, and the user can correct the path here. A file other than the config is replaced only
/// if the user has confirmed that, and never if the run needs it. Doubtful sizes are written only by a user
/// who has read the reason.
class ExportDialog : public QDialog
{
    Q_OBJECT

public:
    /// \param sizes  at least one
    /// \param doubt  sentences that say why they should not be written yet; empty if there is no reason
    /// \throws config::ConfigError if the config has no place for them
    ExportDialog(const engine::ConfigFile& file, const std::vector<config::ChosenSize>& sizes,
                 const Theme& theme, QWidget* parent = nullptr, const QString& doubt = {});
    /// Asks for the size too; its initial value is that of the config.
    ExportDialog(const engine::ConfigFile& file, model::Phase phase, const Theme& theme,
                 QWidget* parent = nullptr);

    const std::vector<config::ChosenSize>& sizes() const { return m_sizes; }
    void setMicroBatchSize(std::int64_t microBatchSize);
    /// \param sentences  how close the trials that found the sizes were to the config's run
    void setFound(const QString& sentences);
    /// \param files  files of this computer that runs read besides those that the config names; they are not
    ///               replaced
    void setNeeded(const QStringList& files) { m_needed = files; }
    /// \param path  path of the store, which keeps what the file contained before; if empty, nothing does
    void setHistory(const QString& path) { m_historyPath = path; }
    /// Returns what there is to report on the file that was written.
    const engine::SavedConfig& saved() const { return m_saved; }
    QString path() const;
    void setPath(const QString& path);
    /// Returns what is shown of the change: a unified diff, or the reason why there is none.
    QString preview() const;

    /// Writes the file; on failure reports it and stays open. Does nothing while a batch has yet to be
    /// chosen.
    void accept() override;

private:
    void addDoubt(QVBoxLayout* layout, const QString& doubt);
    void addSize(QVBoxLayout* layout);
    void addPlace(QVBoxLayout* layout);
    void addPreview(QVBoxLayout* layout);
    void addButtons(QVBoxLayout* layout, bool isDoubtful);
    void addParts(const QString& doubt);
    void takeSize();
    void takeBatches();
    void askForBatch(const config::BatchNotKept& choice);
    void showInto();
    void change();
    void showChange();
    bool hasSomethingToWrite() const;
    void showSentence(const QString& sentence);
    void showError(const QString& sentence);
    void browse();
    bool mayWrite();

    /// A copy, since the file may be read again while the dialog is still open.
    engine::ConfigFile m_file;
    Theme m_theme;
    std::vector<config::ChosenSize> m_sizes;
    /// The config with the sizes in it; nothing while a batch has yet to be chosen.
    std::optional<config::SplicedText> m_spliced;
    /// Null if the sizes are given.
    QSpinBox* m_size = nullptr;
    QLabel* m_into = nullptr;
    QLineEdit* m_path = nullptr;
    QPushButton* m_browse = nullptr;
    QStringList m_needed;
    QString m_historyPath;
    engine::SavedConfig m_saved;
    /// Path of a file that the user has already agreed to overwrite.
    QString m_replaced;
    /// Layout of the questions for batches.
    QVBoxLayout* m_questions = nullptr;
    /// One for each size with which the config cannot keep its batch.
    std::vector<BatchChoiceBox*> m_batches;
    DiffView* m_preview = nullptr;
    QLabel* m_notes = nullptr;
    /// Hidden if no trial found a size.
    QLabel* m_found = nullptr;
    QLabel* m_problem = nullptr;
    QPushButton* m_write = nullptr;
};

} // namespace batchpeak::ui
