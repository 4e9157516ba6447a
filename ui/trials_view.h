// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "card.h"
#include "engine/readable_text.h"
#include "engine/snapshot.h"
#include "theme/theme.h"

class QAction;
class QTableView;

namespace batchpeak::ui {

class ColumnWidths;
class TrialsModel;

/// The table of trials; the result column takes the width that the others leave.
class TrialsView : public Card
{
    Q_OBJECT

public:
    explicit TrialsView(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    void display(const engine::Snapshot& snapshot, const engine::MemoryUnit& unit);
    const TrialsModel& model() const { return *m_model; }
    ColumnWidths& columns() const { return *m_columns; }
    /// Puts an action into the menu of the table.
    void offer(QAction* action);

private:
    void copySelection() const;

    TrialsModel* m_model;
    QTableView* m_table;
    ColumnWidths* m_columns;
};

} // namespace batchpeak::ui
