// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_file.h"
#include "theme.h"

#include <QDialog>

class QLabel;
class QLineEdit;

namespace batchpeak::ui {

/// Asks where a size is to be written, and shows the line that changes before anything is written. A
/// file that cannot be written is said here, and can be corrected here.
class ExportDialog : public QDialog
{
    Q_OBJECT

public:
    /// \throws config::ConfigError where the config has no place for that size
    ExportDialog(const engine::ConfigFile& file, model::Phase phase, std::int64_t microBatchSize,
                 const Theme& theme, QWidget* parent = nullptr);

    QString path() const;
    void setPath(const QString& path);
    /// The changed lines, as they are shown: "- old" and "+ new".
    QString preview() const;

    /// Writes the file; on failure says so and stays.
    void accept() override;

private:
    void browse();

    const engine::ConfigFile& m_file;
    config::SplicedText m_spliced;
    QLineEdit* m_path;
    QLabel* m_preview;
    QLabel* m_problem;
};

} // namespace batchpeak::ui
