// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recommendation_line.h"

namespace batchpeak::cli {

QString recommendationLine(const QDateTime& time, const search::Recommendation& recommendation)
{
    return QStringLiteral("BEXP202 %1 GMT  Current recommended micro_batch_size: %2, estimated performance: "
                          "%3x base, confidence score: %4 (out of 100)")
        .arg(time.toUTC().toString(QStringLiteral("HH:mm:ss")))
        .arg(recommendation.size)
        .arg(recommendation.relativePerformance, 0, 'f', 2)
        .arg(recommendation.confidence);
}

} // namespace batchpeak::cli
