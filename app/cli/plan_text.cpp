// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan_text.h"

#include "number_text.h"

namespace batchpeak::cli {

QString countText(std::int64_t count, const QString& noun)
{
    return QStringLiteral("%1 %2%3").arg(groupedText(count), noun,
                                         count == 1 ? QString() : QStringLiteral("s"));
}

QString batchText(const config::BatchPlan& plan)
{
    const QString key = QString::fromStdString(plan.globalBatchKey);
    const bool isFormula = key.contains(QLatin1Char(' '));
    return QStringLiteral("%1%2%3 on %4")
        .arg(key, isFormula ? QStringLiteral(" = ") : QStringLiteral(" "), groupedText(plan.globalBatchSize),
             plan.knowsDevices ? countText(plan.devices, QStringLiteral("device"))
                               : QStringLiteral("one device"));
}

} // namespace batchpeak::cli
