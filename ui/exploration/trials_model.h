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

/// The trials of a Snapshot by their sizes, ascending: a row for each size with what its trials say together,
/// every state and every flag as a sign and a word, and below it a row for each trial, the newest first.
/// Bold, with a star, is the recommended size. A trial that compares sizes is found below each of them, so
/// that every measurement of a size is. A size that was tried once is one row. What an earlier exploration
/// measured and counts in this one stands there too, pale, with its day.
///
/// Rows change and come one by one, so that selection, open rows and scroll position stay where the user left
/// them.
class TrialsModel : public QAbstractItemModel
{
    Q_OBJECT

public:
    enum Column { Size, Result, Rate, Memory, Trials, Took, Device };
    static constexpr int columns = Device + 1;
    enum Role {
        /// What a column is sorted by; nothing where a row has no such value. Only rows of sizes are sorted.
        SortRole = Qt::UserRole,
        /// The micro-batch size of a row, that of a trial too.
        SizeRole,
        /// Number of the trial of a row; of a size that of its newest. 0 where it is recalled.
        TrialRole
    };

    explicit TrialsModel(QObject* parent = nullptr);
    ~TrialsModel() override;

    void setTheme(const Theme& theme);
    void display(const engine::Snapshot& snapshot, const engine::MemoryUnit& unit);

    /// The row of a size; an invalid index where it was not tried.
    QModelIndex indexOf(std::int64_t microBatchSize) const;
    /// Tab-separated for a spreadsheet, with a header.
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
        /// Those of this exploration, then the recalled ones. Nothing where the size has one, which its own
        /// row tells of.
        std::vector<TrialRow> trials;
    };
    using SizeRows = std::vector<std::unique_ptr<SizeRow>>;

    SizeRows rowsOf(const engine::Snapshot& snapshot, const engine::MemoryUnit& unit) const;
    /// All sizes that are shown are still there, with the same first trials.
    bool continuesWith(const SizeRows& wanted) const;
    void update(int row, SizeRow& wanted);
    const SizeRow& sizeRow(int row) const { return *m_sizes[static_cast<std::size_t>(row)]; }
    /// The one that \p index is a trial of; null where it is a size itself.
    static const SizeRow* sizeAbove(const QModelIndex& index);

    TableColumns m_columns;
    SizeRows m_sizes;
};

} // namespace batchpeak::ui
