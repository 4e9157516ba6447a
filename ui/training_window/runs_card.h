// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"
#include "widgets/card.h"

#include <QVariantMap>

class QLabel;
class QPushButton;
class QTableView;

namespace batchpeak::ui {

class ColumnWidths;
class RunsModel;

/// The list of the runs that are compared in the charts: check boxes show or hide them, and the button or the
/// Delete key removes one.
class RunsCard : public Card
{
    Q_OBJECT

public:
    /// \param model  outlives this card
    explicit RunsCard(RunsModel* model, QWidget* parent = nullptr);

    /// Returns the widths that the user gave to columns, by column name.
    QVariantMap columnWidths() const;
    void setColumnWidths(const QVariantMap& widths);

signals:
    /// The user wants to compare the events of a stored run with the present one.
    void addRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void followModel();
    void removeSelected();

    RunsModel* m_model;
    QTableView* m_table;
    QWidget* m_rows;
    int m_rowHeight = 0;
    ColumnWidths* m_columns;
    QLabel* m_hint;
    QPushButton* m_remove;
};

} // namespace batchpeak::ui
