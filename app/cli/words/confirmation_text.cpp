// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "confirmation_text.h"

#include "terminal_text.h"
#include "text/fidelity_text.h"
#include "training/confirmation_snapshot.h"

#include <cmath>

namespace batchpeak::cli {

namespace {

using training::ConfirmationSnapshot;
using training::ConfirmedSize;

const QString nothing = QStringLiteral("-");

QString achievedText(const ConfirmedSize& size)
{
    if (size.ranOutOfMemory)
        return QStringLiteral("out of memory");
    if (!size.achievedSamplesPerSecond)
        return nothing;
    return size.relativeError ? rateText(*size.achievedSamplesPerSecond, *size.relativeError)
                              : rateText(*size.achievedSamplesPerSecond);
}

/// "+0.8 %", "-0.8 %", "0.0 %"
QString miscorrelationText(const ConfirmedSize& size)
{
    const auto miscorrelation = size.miscorrelation();
    if (!size.miscorrelationInterval() || size.ranOutOfMemory)
        return nothing;
    const double percent = std::round(1000.0 * *miscorrelation) / 10.0;
    if (percent == 0.0)
        return QStringLiteral("0.0 %");
    const QString sign = percent < 0.0 ? QString() : QStringLiteral("+");
    return sign + QString::number(percent, 'f', 1) + QStringLiteral(" %");
}

QStringList rowOf(const ConfirmedSize& size, const config::Fidelity& fidelity)
{
    const QString mark = engine::speedMark(fidelity);
    const QString achieved = achievedText(size);
    return {QString::number(size.predicted.microBatchSize),
            QString::number(size.predicted.accumulationSteps),
            mark + rateText(size.predicted.samplesPerSecond, size.predicted.relativeError),
            size.achievedSamplesPerSecond && !size.ranOutOfMemory ? mark + achieved : achieved,
            miscorrelationText(size),
            size.peakReservedBytes > 0 ? engine::memoryMark(fidelity) + bytesText(size.peakReservedBytes)
                                       : nothing,
            QString::number(size.steps)};
}

} // namespace

ProgressLine confirmationLiveLine(const ConfirmationSnapshot& snapshot)
{
    if (!snapshot.isRunning)
        return {};
    const QString text = QStringLiteral("confirming: %1 of %2 steps timed")
                             .arg(QString::number(snapshot.stepsDone), QString::number(snapshot.stepsInAll));
    const std::optional<double> share =
        snapshot.stepsInAll > 0 ? std::optional(static_cast<double>(snapshot.stepsDone) / snapshot.stepsInAll)
                                : std::nullopt;
    return {.share = share, .parts = {{.text = text}}};
}

QStringList confirmationLines(const ConfirmationSnapshot& snapshot)
{
    std::vector<QStringList> rows{{QStringLiteral("SIZE"), QStringLiteral("ACCUMULATION"),
                                   QStringLiteral("PREDICTED"), QStringLiteral("ACHIEVED"),
                                   QStringLiteral("ERROR"), QStringLiteral("PEAK"), QStringLiteral("STEPS")}};
    for (const ConfirmedSize& size : snapshot.sizes)
        rows.push_back(rowOf(size, snapshot.fidelity));
    const QString batch =
        QStringLiteral("samples/s of whole optimizer steps of %1 samples on one device, %2")
            .arg(groupedText(snapshot.batchSize), QString::fromStdString(config::toText(snapshot.fidelity)));
    return QStringList{batch} + alignedLines(rows) +
           QStringList{training::verdictText(snapshot, QLocale::c())} +
           training::confirmationRemarks(snapshot, QLocale::c());
}

} // namespace batchpeak::cli
