// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "confirmation_events.h"

#include "engine/event_line.h"

namespace batchpeak::training {

using engine::eventNumber;
using engine::orNull;

QString writeConfirmation(QIODevice& device, const ConfirmationSnapshot& snapshot)
{
    QString problem;
    for (std::size_t place = 0; place < snapshot.sizes.size(); ++place) {
        const ConfirmedSize& size = snapshot.sizes[place];
        const std::int64_t peak = size.peakReservedBytes;
        const QString notWritten = engine::writeEvent(
            device, QStringLiteral("confirmation"),
            {{QStringLiteral("schema"), engine::eventsSchema},
             {QStringLiteral("micro_batch_size"), eventNumber(size.microBatchSize)},
             {QStringLiteral("recommended"), place == 0},
             {QStringLiteral("batch_size"), eventNumber(snapshot.batchSize)},
             {QStringLiteral("accumulation_steps"), eventNumber(size.accumulationSteps)},
             {QStringLiteral("steps"), size.steps},
             {QStringLiteral("predicted_samples_per_second"), size.predictedSamplesPerSecond},
             {QStringLiteral("predicted_relative_error"), size.predictedRelativeError},
             {QStringLiteral("predicted_without_optimizer"), size.predictedWithoutOptimizer},
             {QStringLiteral("achieved_samples_per_second"), orNull(size.achievedSamplesPerSecond)},
             {QStringLiteral("relative_error"), orNull(size.relativeError)},
             {QStringLiteral("mean_samples_per_second"), orNull(size.meanSamplesPerSecond)},
             {QStringLiteral("miscorrelation"), orNull(size.miscorrelation())},
             {QStringLiteral("peak_reserved_bytes"), peak > 0 ? eventNumber(peak) : QJsonValue()},
             {QStringLiteral("out_of_memory"), size.ranOutOfMemory}});
        if (!notWritten.isEmpty())
            problem = notWritten;
    }
    return problem;
}

} // namespace batchpeak::training
