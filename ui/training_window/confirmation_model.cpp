// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "confirmation_model.h"

#include "text/fidelity_text.h"
#include "text/readable_text.h"

#include <cmath>
#include <utility>

namespace batchpeak::ui {

namespace {

QString noCell()
{
    return QStringLiteral("–");
}

/// "+0.8 %", "−0.8 %", "0.0 %"
QString signedPercentText(double share)
{
    QString text = engine::percentText(std::abs(share));
    if (text == engine::percentText(0.0))
        return text;
    return (share < 0.0 ? QStringLiteral("−") : QStringLiteral("+")) + text;
}

/// \param part  role of the size in the recommendation
/// \param fidelity  fidelity of the run, which marks its numbers
TableRow rowOf(const training::ConfirmedSize& size, const QString& part, const config::Fidelity& fidelity)
{
    const QString mark = engine::speedMark(fidelity);
    const auto miscorrelation = size.miscorrelation();
    TableRow row{
        .texts = {part, engine::numberText(size.predicted.microBatchSize),
                  ConfirmationModel::tr("%1 ×").arg(engine::numberText(size.predicted.accumulationSteps)),
                  mark + engine::rateText(size.predicted.samplesPerSecond),
                  size.achievedSamplesPerSecond
                      ? mark + engine::rateText(*size.achievedSamplesPerSecond, size.relativeError)
                      : noCell(),
                  size.miscorrelationInterval() ? signedPercentText(*miscorrelation) : noCell(),
                  size.peakReservedBytes > 0
                      ? engine::memoryMark(fidelity) +
                            engine::memoryText(static_cast<double>(size.peakReservedBytes))
                      : noCell()}};
    if (size.ranOutOfMemory) {
        row.texts[ConfirmationModel::Role] = ConfirmationModel::tr("%1, out of memory").arg(part);
        row.glyph = Glyph::Cross;
        row.tone = Tone::Bad;
        row.toolTip = ConfirmationModel::tr("Out of memory");
    } else if (size.isFarOff()) {
        const QString apart = engine::percentText(std::abs(*miscorrelation));
        row.texts[ConfirmationModel::Role] =
            *miscorrelation < 0.0 ? ConfirmationModel::tr("%1, %2 slower than predicted").arg(part, apart)
                                  : ConfirmationModel::tr("%1, %2 faster than predicted").arg(part, apart);
        row.glyph = Glyph::Warning;
        row.tone = Tone::Warn;
        row.toolTip =
            ConfirmationModel::tr(
                "The difference exceeds the goal of 2 % and the 95 % interval of the prediction, %1")
                .arg(engine::percentText(*size.miscorrelationInterval()));
    }
    return row;
}

} // namespace

ConfirmationModel::ConfirmationModel(QObject* parent)
    : TableModel({.titles = {QString(), tr("Size"), tr("Accum."), tr("Predicted"), tr("Achieved"),
                             tr("Error"), tr("Peak")},
                  .status = Role},
                 parent)
{}

void ConfirmationModel::display(const training::ConfirmationSnapshot& snapshot)
{
    std::vector<TableRow> rows;
    for (const training::ConfirmedSize& size : snapshot.sizes)
        rows.push_back(rowOf(size, rows.empty() ? tr("recommended") : tr("runner-up"), snapshot.fidelity));
    showRows(std::move(rows), Size);
}

QVariant ConfirmationModel::data(const QModelIndex& index, int role) const
{
    return role == Qt::ToolTipRole && index.column() != Role ? QVariant() : TableModel::data(index, role);
}

QVariant ConfirmationModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role == Qt::ToolTipRole && orientation == Qt::Horizontal && section == Miscorrelation)
        return tr("How far what was achieved is from what the trials predict");
    return TableModel::headerData(section, orientation, role);
}

} // namespace batchpeak::ui
