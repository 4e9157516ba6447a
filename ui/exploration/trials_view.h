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

/// The table of trials by size; the result column takes the remaining width.
///
/// Sizes are sorted by the header that was clicked; by default the one with the newest trial is on top, so
/// that the running trial and the last one are visible even if there is room for few rows.
class TrialsView : public Card
{
    Q_OBJECT

public:
    explicit TrialsView(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    void display(const engine::Snapshot& snapshot, const engine::MemoryUnit& unit);
    /// Selects the row of a size, unless that row or one of its trials is selected already; nothing clears
    /// the selection.
    void setSelectedSize(std::optional<std::int64_t> microBatchSize);
    /// Returns the size of the selected row, which is that of a size or of one of its trials.
    std::optional<std::int64_t> selectedSize() const;
    const TrialsModel& model() const { return *m_model; }
    ColumnWidths& columns() const { return *m_columns; }
    /// Returns the order in the format in which it is stored, such as "rate descending".
    QString order() const;
    /// \param order  value that order() returned; the order stays the same if it does not name a column
    void setOrder(const QString& order);
    /// Resets the order and the widths to their defaults.
    void resetLayout();
    /// Adds an action to the context menu of the table.
    void offer(QAction* action);

signals:
    /// The user has selected a size or one of its trials; nothing if the selection was cleared.
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
    /// Meaning of the mark before speeds; hidden if they have none.
    QLabel* m_legend;
    /// Whether there is more than one device.
    bool m_hasDevices = false;
    /// Whether the current change of the selection is not the user's.
    bool m_selecting = false;
};

} // namespace batchpeak::ui
