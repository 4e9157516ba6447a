// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "confirmation_model.h"

#include "engine/readable_text.h"

#include <QFont>

#include <cmath>
#include <utility>

namespace batchpeak::ui {

namespace {

using training::ConfirmedSize;

// What a prediction aims at on a quiet device.
constexpr double mostMiscorrelation = 0.02;

QString none()
{
    return QStringLiteral("–");
}

/// "+0.8 %"
QString percentText(double share)
{
    const QString number = QLocale().toString(100.0 * std::abs(share), 'f', 1);
    return QStringLiteral("%1%2 %").arg(share < 0.0 ? QStringLiteral("−") : QStringLiteral("+"), number);
}

} // namespace

void ConfirmationModel::setTheme(const Theme& theme)
{
    m_theme = theme;
    if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1),
                         {Qt::ForegroundRole, Qt::DecorationRole});
}

ConfirmationModel::Row ConfirmationModel::rowOf(const ConfirmedSize& size, std::size_t place) const
{
    const auto miscorrelation = size.miscorrelation();
    Row row{.ranOutOfMemory = size.ranOutOfMemory,
            .isFarOff = miscorrelation && std::abs(*miscorrelation) > mostMiscorrelation};
    const QString part = place == 0 ? tr("recommended") : tr("runner-up");
    row.texts[Role] = row.ranOutOfMemory ? tr("%1, out of memory").arg(part)
                      : row.isFarOff     ? tr("%1, far off").arg(part)
                                         : part;
    row.texts[Size] = engine::numberText(size.predicted.microBatchSize);
    row.texts[Accumulation] = tr("%1 ×").arg(engine::numberText(size.predicted.accumulationSteps));
    row.texts[Predicted] = engine::rateText(size.predicted.samplesPerSecond);
    row.texts[Achieved] = size.achievedSamplesPerSecond
                              ? engine::rateText(*size.achievedSamplesPerSecond, size.relativeError)
                              : none();
    row.texts[Miscorrelation] = miscorrelation ? percentText(*miscorrelation) : none();
    row.texts[Peak] =
        size.peakReservedBytes > 0 ? engine::memoryText(static_cast<double>(size.peakReservedBytes)) : none();
    return row;
}

void ConfirmationModel::display(const training::ConfirmationSnapshot& snapshot)
{
    std::vector<Row> rows;
    for (const ConfirmedSize& size : snapshot.sizes)
        rows.push_back(rowOf(size, rows.size()));
    if (rows.size() != m_rows.size()) {
        beginResetModel();
        m_rows = std::move(rows);
        endResetModel();
        return;
    }
    for (int row = 0; row < rowCount(); ++row) {
        auto& shown = m_rows[static_cast<std::size_t>(row)];
        auto& wanted = rows[static_cast<std::size_t>(row)];
        if (shown == wanted)
            continue;
        shown = std::move(wanted);
        emit dataChanged(index(row, 0), index(row, columnCount() - 1));
    }
}

int ConfirmationModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int ConfirmationModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(ColumnCount);
}

std::optional<Glyph> ConfirmationModel::glyphOf(const Row& row, int column)
{
    if (column != Role)
        return std::nullopt;
    if (row.ranOutOfMemory)
        return Glyph::Cross;
    return row.isFarOff ? std::optional(Glyph::Warning) : std::nullopt;
}

QVariant ConfirmationModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    const auto glyph = glyphOf(row, column);
    const Tone tone = glyph == Glyph::Cross     ? Tone::Bad
                      : glyph == Glyph::Warning ? Tone::Warn
                      : column == Role          ? Tone::Muted
                                                : Tone::Plain;
    switch (role) {
    case Qt::DisplayRole:
        return row.texts[static_cast<std::size_t>(column)];
    case Qt::DecorationRole:
        return glyph ? QVariant(glyphIcon(*glyph, colourOf(tone, m_theme), m_theme.mutedText)) : QVariant();
    case Qt::ForegroundRole:
        return colourOf(tone, m_theme);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::AlignVCenter | (column == Role ? Qt::AlignLeft : Qt::AlignRight));
    case Qt::ToolTipRole:
        if (glyph == Glyph::Cross)
            return tr("Out of memory");
        return glyph ? QVariant(tr("Further off than the 2 % that a prediction aims at")) : QVariant();
    default:
        return {};
    }
}

QVariant ConfirmationModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignVCenter | (section == Role ? Qt::AlignLeft : Qt::AlignRight));
    if (role == Qt::ToolTipRole && section == Miscorrelation)
        return tr("How far what was achieved is from what the trials predict");
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Size:
        return tr("Size");
    case Accumulation:
        return tr("Accum.");
    case Predicted:
        return tr("Predicted");
    case Achieved:
        return tr("Achieved");
    case Miscorrelation:
        return tr("Mis-correlation");
    case Peak:
        return tr("Peak");
    default:
        return QString();
    }
}

QString ConfirmationModel::asText() const
{
    QStringList header;
    for (int column = 0; column < columnCount(); ++column)
        header << headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    QStringList lines{header.join(QLatin1Char('\t'))};
    for (const Row& row : m_rows)
        lines << QStringList(row.texts.begin(), row.texts.end()).join(QLatin1Char('\t'));
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

} // namespace batchpeak::ui
