// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "size_estimates.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace batchpeak::store {

QString textOf(const std::vector<EstimateRecord>& estimates)
{
    if (estimates.empty())
        return {};
    QJsonArray rows;
    for (const EstimateRecord& estimate : estimates)
        rows.append(QJsonArray{estimate.microBatchSize, estimate.samplesPerSecond, estimate.relativeError,
                               estimate.probabilityWithin});
    return QString::fromUtf8(QJsonDocument(rows).toJson(QJsonDocument::Compact));
}

std::vector<EstimateRecord> estimatesFrom(const QString& text)
{
    std::vector<EstimateRecord> estimates;
    const QJsonDocument document = QJsonDocument::fromJson(text.toUtf8());
    for (const QJsonValue row : document.array())
        estimates.push_back({.microBatchSize = row[0].toInteger(),
                             .samplesPerSecond = row[1].toDouble(),
                             .relativeError = row[2].toDouble(),
                             .probabilityWithin = row[3].toDouble()});
    return estimates;
}

} // namespace batchpeak::store
