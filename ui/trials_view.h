// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "card.h"
#include "quantity_text.h"
#include "snapshot.h"
#include "theme.h"

class QTableView;

namespace batchpeak::ui {

class TrialsModel;

/// The table of trials. Columns grow with their contents and never shrink, so that live numbers do not
/// make them tremble; the result column takes what is left.
class TrialsView : public Card
{
    Q_OBJECT

public:
    explicit TrialsView(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    void display(const engine::Snapshot& snapshot, const MemoryUnit& unit);
    const TrialsModel& model() const { return *m_model; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void growColumns(int firstRow, int lastRow);
    void copySelection() const;

    TrialsModel* m_model;
    QTableView* m_table;
};

} // namespace batchpeak::ui
