// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"
#include "text/readable_text.h"
#include "theme/theme.h"
#include "widgets/card.h"

#include <cstdint>
#include <optional>

class QAction;
class QLabel;
class QTreeView;

namespace batchpeak::ui {

class ColumnWidths;
class TrialsModel;
class TrialsOrder;

/// The table of trials by size; the result column takes the width that the others leave.
///
/// Sizes stand in the order of the header that was clicked; at first the one with the newest trial on top:
/// what runs and what has just ended is seen at once, also where there is room for few rows.
class TrialsView : public Card
{
    Q_OBJECT

public:
    explicit TrialsView(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    void display(const engine::Snapshot& snapshot, const engine::MemoryUnit& unit);
    /// Selects the row of a size, unless that or one of its trials is; nothing clears the selection.
    void setSelectedSize(std::optional<std::int64_t> microBatchSize);
    /// The size of the row that is selected, be it that of a size or of one of its trials.
    std::optional<std::int64_t> selectedSize() const;
    const TrialsModel& model() const { return *m_model; }
    ColumnWidths& columns() const { return *m_columns; }
    /// "rate descending", as it is kept from day to day.
    QString order() const;
    /// \param order  as order() gives it; what names no column leaves the order as it is
    void setOrder(const QString& order);
    /// To the order and the widths that it has at first.
    void resetLayout();
    /// Puts an action into the menu of the table.
    void offer(QAction* action);

signals:
    /// A person has selected a size or one of its trials, or nothing any more.
    void sizeSelected(std::optional<std::int64_t> microBatchSize);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitColumns();
    void copySelection() const;
    void showLegend(const engine::Snapshot& snapshot);

    TrialsModel* m_model;
    TrialsOrder* m_order;
    QTreeView* m_table;
    ColumnWidths* m_columns;
    /// What the mark before speeds means; hidden where they have none.
    QLabel* m_legend;
    /// There is more than one.
    bool m_hasDevices = false;
    /// The present change of the selection is not a person's.
    bool m_selecting = false;
};

} // namespace batchpeak::ui
