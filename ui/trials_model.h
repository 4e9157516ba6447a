// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"
#include "trial_row.h"

#include <QAbstractTableModel>

#include <vector>

namespace batchpeak::ui {

/// The trials of a Snapshot, newest first. A trial that goes on changes its own row alone, so that
/// selection and scroll position stay where the user left them.
class TrialsModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    void setTheme(const Theme& theme);
    void display(const engine::Snapshot& snapshot, const engine::MemoryUnit& unit);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    /// Tab-separated, with a header; all rows where none is named.
    QString asText(const std::vector<int>& rows = {}) const;

private:
    std::vector<TrialRow> rowsOf(const engine::Snapshot& snapshot, const engine::MemoryUnit& unit) const;

    Theme m_theme = Theme::day();
    QString m_unitName = QStringLiteral("GiB");
    std::vector<TrialRow> m_rows;
};

} // namespace batchpeak::ui
