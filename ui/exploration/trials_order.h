// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"

#include <QSortFilterProxyModel>

namespace batchpeak::ui {

/// Sorts sizes by one column of a TrialsModel. Sizes that have no such value come last in either direction,
/// and equal ones are ordered by their newest trials. Trials stay below their size, the newest first. The
/// title of the column has an arrow for the direction.
class TrialsOrder : public QSortFilterProxyModel
{
    Q_OBJECT

public:
    explicit TrialsOrder(QObject* parent = nullptr);

    void setTheme(const Theme& theme);

    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

protected:
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    Theme m_theme = Theme::light();
};

} // namespace batchpeak::ui
