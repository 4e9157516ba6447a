// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/glyphs.h"
#include "theme/theme.h"
#include "training/confirmation_snapshot.h"

#include <QAbstractTableModel>

#include <array>
#include <optional>
#include <vector>

namespace batchpeak::ui {

/// The sizes of a confirmation: what was predicted beside what was achieved. A size that goes on changes its
/// own row alone.
class ConfirmationModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { Role, Size, Accumulation, Predicted, Achieved, Miscorrelation, Peak, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setTheme(const Theme& theme);
    void display(const training::ConfirmationSnapshot& snapshot);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    /// Tab-separated, with a header.
    QString asText() const;

private:
    struct Row
    {
        std::array<QString, ColumnCount> texts;
        bool ranOutOfMemory = false;
        /// Trials and training are further apart than a prediction may be.
        bool isFarOff = false;
        bool operator==(const Row&) const = default;
    };
    Row rowOf(const training::ConfirmedSize& size, std::size_t place) const;
    /// The sign at the head of a row that is far off or did not fit, so that colour is never alone.
    static std::optional<Glyph> glyphOf(const Row& row, int column);

    Theme m_theme = Theme::light();
    std::vector<Row> m_rows;
};

} // namespace batchpeak::ui
