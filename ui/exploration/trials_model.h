// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"
#include "text/readable_text.h"
#include "widgets/table_row.h"

#include <QAbstractItemModel>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace batchpeak::ui {

/// The trials of a Snapshot by size, ascending: a row for each size with the estimate from its trials, every
/// state and every flag as an icon and a word, and below it a row for each trial, the newest first. The
/// recommended size is bold and has a star. A trial that compares sizes is listed below each of them, so that
/// every measurement of a size is. A size that was tried once has a single row. What an earlier exploration
/// measured and counts in this one is listed there too, pale, with its day.
///
/// Rows change and are inserted one by one, so that selection, open rows and scroll position are kept.
class TrialsModel : public QAbstractItemModel
{
    Q_OBJECT

public:
    enum Column { Size, Result, Rate, Memory, Trials, Took, Device };
    static constexpr int columns = Device + 1;
    enum Role {
        /// Sort key of a column; invalid if the row has no such value. Only rows of sizes are sorted.
        SortRole = Qt::UserRole,
        /// Micro-batch size of a row, also of the row of a trial.
        SizeRole,
        /// Number of the trial of a row; for a row of a size, the number of its newest trial. 0 if the trial
        /// is recalled.
        TrialRole
    };

    explicit TrialsModel(QObject* parent = nullptr);
    ~TrialsModel() override;

    void setTheme(const Theme& theme);
    void display(const engine::Snapshot& snapshot, const engine::MemoryUnit& unit);

    /// Returns the row of a size; an invalid index if it was not tried.
    QModelIndex indexOf(std::int64_t microBatchSize) const;
    /// Returns the rows as tab-separated text for a spreadsheet, with a header.
    QString asText(const QModelIndexList& rows) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct TrialRow
    {
        int number = 0;
        TableRow row;
        bool operator==(const TrialRow&) const = default;
    };
    struct SizeRow
    {
        std::int64_t size = 0;
        int newest = 0;
        int count = 0;
        TableRow row;
        std::array<QVariant, columns> sortKeys;
        /// Trials of this exploration, then the recalled ones. Empty if the size has a single trial, which
        /// its own row shows.
        std::vector<TrialRow> trials;
    };
    using SizeRows = std::vector<std::unique_ptr<SizeRow>>;

    SizeRows rowsOf(const engine::Snapshot& snapshot, const engine::MemoryUnit& unit) const;
    /// Whether all shown sizes are still there, with the same first trials.
    bool continuesWith(const SizeRows& wanted) const;
    void update(int row, SizeRow& wanted);
    const SizeRow& sizeRow(int row) const { return *m_sizes[static_cast<std::size_t>(row)]; }
    /// Returns the size that \p index is a trial of; null if it is a size itself.
    static const SizeRow* sizeAbove(const QModelIndex& index);

    TableColumns m_columns;
    SizeRows m_sizes;
};

} // namespace batchpeak::ui
