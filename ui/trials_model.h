// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/readable_text.h"
#include "engine/snapshot.h"
#include "theme/glyphs.h"
#include "theme/theme.h"

#include <QAbstractTableModel>
#include <QString>

#include <array>
#include <vector>

namespace batchpeak::ui {

/// One trial as the table shows it: every state and every flag as a sign and a word, so that colour is
/// never the only one to tell.
struct TrialRow
{
    enum Column { Number, Size, Result, Rate, Memory, Took, Device, ColumnCount };

    std::array<QString, ColumnCount> texts;
    Glyph glyph = Glyph::Check;
    Tone tone = Tone::Muted;
    /// The trial behind the recommendation.
    bool best = false;
    QString toolTip;

    bool operator==(const TrialRow&) const = default;
};

/// \param best         it is the newest sound trial of the recommended size
/// \param recommended  that recommendation is not merely "leading"
TrialRow trialRowOf(const trial::TrialRecord& trial, bool best, bool recommended,
                    const engine::MemoryUnit& unit);

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

    Theme m_theme = Theme::light();
    QString m_unitName = QStringLiteral("GiB");
    std::vector<TrialRow> m_rows;
};

} // namespace batchpeak::ui
