// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "comparison_answer.h"

#include "text/translated.h"

#include <algorithm>

namespace batchpeak::engine {

QString problemWith(const trial::TrialResult& result, const trial::CompareRequest& request)
{
    const auto notAsked = [&request](std::int64_t size) {
        return std::ranges::find(request.microBatchSizes, size) == request.microBatchSizes.end();
    };
    const bool isOk = result.outcome == trial::Outcome::Ok;
    if (isOk && result.compared.size() != request.microBatchSizes.size())
        return Translated::tr("The worker compared %1 sizes where %2 were asked for.")
            .arg(result.compared.size())
            .arg(request.microBatchSizes.size());
    if (!isOk && notAsked(result.microBatchSize))
        return Translated::tr("The worker ended a comparison with a size of %1, which is none of its sizes.")
            .arg(result.microBatchSize);
    for (const trial::ComparedSize& size : result.compared) {
        if (notAsked(size.microBatchSize))
            return Translated::tr("The worker compared a size of %1, which it was not asked for.")
                .arg(size.microBatchSize);
        const auto visits = static_cast<qint64>(size.visits.size());
        if (isOk ? visits != request.visits : visits > request.visits)
            return Translated::tr("The worker visited size %1 %2 times where %3 were asked for.")
                .arg(size.microBatchSize)
                .arg(visits)
                .arg(request.visits);
        for (const trial::Visit& visit : size.visits) {
            if (visit.stepSeconds.size() > static_cast<std::size_t>(request.steps))
                return Translated::tr(
                           "The worker timed %1 steps in a visit of size %2 where %3 were asked for.")
                    .arg(visit.stepSeconds.size())
                    .arg(size.microBatchSize)
                    .arg(request.steps);
        }
    }
    return {};
}

} // namespace batchpeak::engine
