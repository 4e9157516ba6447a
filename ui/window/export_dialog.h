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

/// Asks which batch one optimizer step is to have where a config cannot keep its own with a micro-batch size:
/// the nearest below, if there is one, the nearest above, or a single micro-batch. None is chosen at first,
/// since each changes the training.
class BatchChoiceBox : public QWidget
{
    Q_OBJECT

public:
    /// \param plan  whose batch cannot be kept
    BatchChoiceBox(const config::BatchPlan& plan, std::int64_t microBatchSize,
                   const config::BatchNotKept& choice, QWidget* parent);

    /// Samples in one optimizer step, in the terms of the plan.
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

/// Asks where sizes are to be written, one for each phase, and shows what changes before anything is written.
/// Where the config cannot keep a batch with its size, it asks for one that it can have. A file that cannot
/// be written is said here, and can be corrected here; another one than the config is replaced only by
/// somebody who has said so, and never where the run needs it. Sizes that are doubtful are written only by
/// somebody who has read why.
class ExportDialog : public QDialog
{
    Q_OBJECT

public:
    /// \param sizes  at least one
    /// \param doubt  why they had better not be written yet, as sentences; else empty
    /// \throws config::ConfigError where the config has no place for them
    ExportDialog(const engine::ConfigFile& file, const std::vector<config::ChosenSize>& sizes,
                 const Theme& theme, QWidget* parent = nullptr, const QString& doubt = {});
    /// Asks for the size too, and begins with the one that the config has.
    ExportDialog(const engine::ConfigFile& file, model::Phase phase, const Theme& theme,
                 QWidget* parent = nullptr);

    const std::vector<config::ChosenSize>& sizes() const { return m_sizes; }
    void setMicroBatchSize(std::int64_t microBatchSize);
    /// \param sentences  how near the trials that found the sizes were to the config's run
    void setFound(const QString& sentences);
    /// \param files  of this computer that runs read beside those that the config names; they are not
    /// replaced
    void setNeeded(const QStringList& files) { m_needed = files; }
    /// \param path  of the store, which keeps what the file held before; without one nothing does
    void setHistory(const QString& path) { m_historyPath = path; }
    /// What there is to say of the file that was written.
    const engine::SavedConfig& saved() const { return m_saved; }
    QString path() const;
    void setPath(const QString& path);
    /// What is shown of the change: a unified diff, or why there is none.
    QString preview() const;

    /// Writes the file; on failure says so and stays. Without a batch, where one is asked for, it does
    /// nothing.
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

    /// The dialog's own, since what is written may be read again while it is still there.
    engine::ConfigFile m_file;
    Theme m_theme;
    std::vector<config::ChosenSize> m_sizes;
    /// The config with the sizes in it; nothing as long as a batch has to be chosen.
    std::optional<config::SplicedText> m_spliced;
    /// Null where the sizes are given.
    QSpinBox* m_size = nullptr;
    QLabel* m_into = nullptr;
    QLineEdit* m_path = nullptr;
    QPushButton* m_browse = nullptr;
    QStringList m_needed;
    QString m_historyPath;
    engine::SavedConfig m_saved;
    /// Path of a file that a person has let go already.
    QString m_replaced;
    /// Where the questions for batches stand.
    QVBoxLayout* m_questions = nullptr;
    /// Of the sizes with which the config cannot keep its own.
    std::vector<BatchChoiceBox*> m_batches;
    DiffView* m_preview = nullptr;
    QLabel* m_notes = nullptr;
    /// Hidden where no trial found a size.
    QLabel* m_found = nullptr;
    QLabel* m_problem = nullptr;
    QPushButton* m_write = nullptr;
};

} // namespace batchpeak::ui
