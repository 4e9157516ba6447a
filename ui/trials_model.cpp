// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trials_model.h"

#include "charts/chart_scene.h"

#include <QFont>
#include <QStringList>

#include <numeric>
#include <utility>

namespace batchpeak::ui {

using engine::Snapshot;
using engine::TrialState;

void TrialsModel::setTheme(const Theme& theme)
{
    m_theme = theme;
    if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1),
                         {Qt::ForegroundRole, Qt::DecorationRole});
}

std::vector<TrialRow> TrialsModel::rowsOf(const Snapshot& snapshot, const engine::MemoryUnit& unit) const
{
    const auto& recommendation = snapshot.searchState.recommendation;
    bool bestFound = !recommendation.has_value();
    std::vector<TrialRow> rows;
    rows.reserve(snapshot.trials.size());
    for (auto trial = snapshot.trials.rbegin(); trial != snapshot.trials.rend(); ++trial) {
        const bool best = !bestFound && trial->microBatchSize == recommendation->size &&
                          trial->state == TrialState::Ok && !trial->thrashes && trial->withinHeadroom;
        bestFound = bestFound || best;
        rows.push_back(trialRowOf(*trial, best,
                                  recommendation && recommendation->confidence >= leadingBelowPercent, unit));
    }
    return rows;
}

void TrialsModel::display(const Snapshot& snapshot, const engine::MemoryUnit& unit)
{
    if (m_unitName != unit.name) {
        m_unitName = unit.name;
        emit headerDataChanged(Qt::Horizontal, TrialRow::Memory, TrialRow::Memory);
    }
    std::vector<TrialRow> rows = rowsOf(snapshot, unit);
    const bool sameExploration =
        rows.size() >= m_rows.size() && (m_rows.empty() || rows[rows.size() - 1].texts[TrialRow::Size] ==
                                                               m_rows.back().texts[TrialRow::Size]);
    if (!sameExploration) {
        beginResetModel();
        m_rows = std::move(rows);
        endResetModel();
        return;
    }
    const auto added = static_cast<int>(rows.size() - m_rows.size());
    if (added > 0) {
        beginInsertRows({}, 0, added - 1);
        m_rows.insert(m_rows.begin(), rows.begin(), rows.begin() + added);
        endInsertRows();
    }
    for (int row = added; row < rowCount(); ++row) {
        auto& shown = m_rows[static_cast<std::size_t>(row)];
        auto& wanted = rows[static_cast<std::size_t>(row)];
        if (shown == wanted)
            continue;
        shown = std::move(wanted);
        emit dataChanged(index(row, 0), index(row, columnCount() - 1));
    }
}

int TrialsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int TrialsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(TrialRow::ColumnCount);
}

QVariant TrialsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const TrialRow& row = m_rows[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    const bool quiet = column == TrialRow::Number || column == TrialRow::Took || column == TrialRow::Device;
    switch (role) {
    case Qt::DisplayRole:
        return row.texts[static_cast<std::size_t>(column)];
    case Qt::DecorationRole:
        if (column == TrialRow::Result)
            return glyphIcon(row.glyph, colourOf(row.tone, m_theme), m_theme.mutedText);
        return {};
    case Qt::ForegroundRole:
        if (column == TrialRow::Result)
            return colourOf(row.tone, m_theme);
        return quiet ? m_theme.mutedText : m_theme.text;
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::AlignVCenter |
                                   (column == TrialRow::Result ? Qt::AlignLeft : Qt::AlignRight));
    case Qt::FontRole:
        if (row.best) {
            QFont font;
            font.setWeight(QFont::DemiBold);
            return font;
        }
        return {};
    case Qt::ToolTipRole:
        return row.toolTip.isEmpty() ? QVariant() : QVariant(row.toolTip);
    default:
        return {};
    }
}

QVariant TrialsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignVCenter |
                                   (section == TrialRow::Result ? Qt::AlignLeft : Qt::AlignRight));
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case TrialRow::Number:
        return tr("#");
    case TrialRow::Size:
        return tr("Size");
    case TrialRow::Result:
        return tr("Result");
    case TrialRow::Rate:
        return tr("Samples/s");
    case TrialRow::Memory:
        return m_unitName;
    case TrialRow::Took:
        return tr("Took");
    case TrialRow::Device:
        return tr("Device");
    default:
        return {};
    }
}

QString TrialsModel::asText(const std::vector<int>& rows) const
{
    std::vector<int> wanted = rows;
    if (wanted.empty()) {
        wanted.resize(m_rows.size());
        std::iota(wanted.begin(), wanted.end(), 0);
    }
    QStringList header;
    for (int column = 0; column < columnCount(); ++column)
        header << headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    QStringList lines{header.join(QLatin1Char('\t'))};
    for (const int row : wanted) {
        const auto& texts = m_rows.at(static_cast<std::size_t>(row)).texts;
        lines << QStringList(texts.begin(), texts.end()).join(QLatin1Char('\t'));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

} // namespace batchpeak::ui
