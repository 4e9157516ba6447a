// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "comparison_messages.h"

#include "protocol.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

namespace batchpeak::trial {

namespace {

constexpr const char* compared = "compared";

/// A visit lasts at least as long as its steps. The factor of one half tolerates that a program times the two
/// differently.
constexpr double minShareOfSteps = 0.5;

bool hasTwins(std::vector<std::int64_t> sizes)
{
    std::ranges::sort(sizes);
    return std::ranges::adjacent_find(sizes) != sizes.end();
}

/// Refuses lists of sizes that cannot be compared.
void checkSizes(const FieldReader& fields, const char* name, const std::vector<std::int64_t>& sizes)
{
    if (sizes.size() < fewestComparedSizes || sizes.size() > maxComparedSizes) {
        fields.refuse(name, "must hold " + std::to_string(fewestComparedSizes) + " to " +
                                std::to_string(maxComparedSizes) + " sizes, but holds " +
                                std::to_string(sizes.size()));
    }
    if (hasTwins(sizes))
        fields.refuse(name, "holds a size twice");
}

Json toJson(const Visit& visit)
{
    Json object{
        {"clock", visit.clockSeconds}, {"seconds", visit.seconds}, {"step_seconds", visit.stepSeconds}};
    if (visit.contention)
        object["contention"] = *visit.contention;
    return object;
}

Visit visitFrom(const FieldReader& fields)
{
    Visit visit{.clockSeconds = fields.duration("clock"),
                .seconds = fields.duration("seconds"),
                .stepSeconds = fields.durations("step_seconds"),
                .contention = fields.reading("contention")};
    if (visit.seconds < shortestStepSeconds)
        fields.refuse("seconds", "is less than a nanosecond, but no visit takes no time");
    if (visit.stepSeconds.empty())
        fields.refuse("step_seconds", "is missing or empty, but a visit without a step says nothing");
    if (visit.seconds < minShareOfSteps * std::reduce(visit.stepSeconds.begin(), visit.stepSeconds.end()))
        fields.refuse("seconds", "is less than half of what step_seconds add up to");
    return visit;
}

ComparedSize comparedSizeFrom(const FieldReader& fields)
{
    ComparedSize size{.microBatchSize = fields.integerFrom(1, "micro_batch_size"),
                      .peakReservedBytes = fields.amount("peak_reserved_bytes", 0),
                      .allocationRetries = fields.smallInteger(0, "alloc_retries", 0)};
    for (const FieldReader& visit : fields.objects("visits"))
        size.visits.push_back(visitFrom(visit));
    return size;
}

} // namespace

Json toJson(const CompareRequest& request)
{
    return {{"type", "compare"},
            {"id", request.id},
            {"micro_batch_sizes", request.microBatchSizes},
            {"visits", request.visits},
            {"steps", request.steps},
            {"untimed_steps", request.untimedSteps},
            {"time_limit", request.timeLimitSeconds}};
}

Json toJson(const ComparedSize& size)
{
    Json visits = Json::array();
    for (const Visit& visit : size.visits)
        visits.push_back(toJson(visit));
    return {{"micro_batch_size", size.microBatchSize},
            {"peak_reserved_bytes", size.peakReservedBytes},
            {"alloc_retries", size.allocationRetries},
            {"visits", std::move(visits)}};
}

CompareRequest comparisonFrom(const FieldReader& fields)
{
    constexpr const char* sizes = "micro_batch_sizes";
    const CompareRequest otherwise;
    CompareRequest request{.id = fields.integer("id"),
                           .microBatchSizes = fields.integers(sizes),
                           .visits = fields.smallInteger(1, "visits", otherwise.visits),
                           .steps = fields.smallInteger(1, "steps", otherwise.steps),
                           .untimedSteps = fields.smallInteger(0, "untimed_steps", otherwise.untimedSteps),
                           .timeLimitSeconds = fields.duration("time_limit", otherwise.timeLimitSeconds)};
    checkSizes(fields, sizes, request.microBatchSizes);
    if (std::ranges::min(request.microBatchSizes) < 1)
        fields.refuse(sizes, "must hold sizes of at least 1");
    if (request.timeLimitSeconds <= 0)
        fields.refuse("time_limit", "must be above zero");
    return request;
}

std::vector<ComparedSize> comparedSizesFrom(const FieldReader& fields, bool isOk)
{
    std::vector<ComparedSize> all;
    std::vector<std::int64_t> sizes;
    for (const FieldReader& element : fields.objects(compared)) {
        all.push_back(comparedSizeFrom(element));
        sizes.push_back(all.back().microBatchSize);
    }
    if (!isOk) {
        if (hasTwins(sizes))
            fields.refuse(compared, "holds a size twice");
        return all;
    }
    if (!fields.has(compared))
        return all;
    checkSizes(fields, compared, sizes);
    const auto visitsOf = [](const ComparedSize& size) { return size.visits.size(); };
    const bool isWhole = std::ranges::adjacent_find(all, std::ranges::not_equal_to(), visitsOf) == all.end();
    if (!isWhole || all.front().visits.empty())
        fields.refuse(compared, "lacks visits, but the outcome is ok only after every visit of every size");
    return all;
}

} // namespace batchpeak::trial
