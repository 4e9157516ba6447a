// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_messages.h"

#include "protocol.h"

#include <cmath>
#include <limits>

namespace batchpeak::trial {

namespace {

/// Omits the held-out samples if there are none, since an older program does not know those fields.
Json toJson(const DataChoice& data)
{
    Json object = {{"kind", toText(data.kind)}, {"path", data.path}, {"samples", data.samples}};
    if (data.heldOut.samples > 0)
        object["held_out_samples"] = data.heldOut.samples;
    else if (data.heldOut.share > 0.0)
        object["held_out_share"] = data.heldOut.share;
    return object;
}

DataChoice dataFrom(const FieldReader& fields)
{
    DataChoice data{.kind = fields.word<DataKind>("kind"),
                    .path = fields.text("path", ""),
                    .samples = fields.integerFrom(1, "samples", DataChoice().samples),
                    .heldOut = {.share = fields.number("held_out_share", 0.0),
                                .samples = fields.integerFrom(0, "held_out_samples", 0)}};
    if (!(data.heldOut.share >= 0.0 && data.heldOut.share < 1.0))
        fields.refuse("held_out_share", "must be from 0 to below 1");
    return data;
}

} // namespace

Json toJson(const TrainingRequest& request)
{
    return {{"type", "training"},
            {"data", toJson(request.data)},
            {"learning_rate", request.learningRate},
            {"weighting", toText(request.weighting)},
            {"checkpoint", request.checkpoint}};
}

Json toJson(const BatchRequest& request)
{
    return {{"type", "batch"},
            {"id", request.id},
            {"phase", model::toText(request.phase)},
            {"epoch", request.epoch},
            {"first", request.first},
            {"samples", request.samples},
            {"micro_batch_size", request.microBatchSize}};
}

Json toJson(const SaveRequest& request)
{
    return {{"type", "save"}, {"id", request.id}, {"path", request.path}};
}

Json toJson(const TrainingReady& ready)
{
    Json object = {
        {"type", "training_ready"}, {"samples", ready.samples}, {"tokens_per_sample", ready.tokensPerSample}};
    if (ready.heldOutSamples > 0)
        object["held_out_samples"] = ready.heldOutSamples;
    return object;
}

Json toJson(const BatchResult& result)
{
    Json object = {{"type", "batch_result"},
                   {"id", result.id},
                   {"micro_batch_size", result.microBatchSize},
                   {"outcome", toText(result.outcome)},
                   {"seconds", result.seconds},
                   {"optimizer_seconds", result.optimizerSeconds},
                   {"counted_targets", result.countedTargets},
                   {"peak_allocated_bytes", result.peakAllocatedBytes},
                   {"peak_reserved_bytes", result.peakReservedBytes},
                   {"alloc_retries", result.allocationRetries}};
    // JSON has no NaN, so a diverged loss is omitted.
    if (std::isfinite(result.loss))
        object["loss"] = result.loss;
    if (result.refusedHostBytes)
        object["refused_host_bytes"] = *result.refusedHostBytes;
    if (!result.text.empty())
        object["text"] = clipped(result.text);
    if (result.isLast)
        object["last"] = true;
    return object;
}

Json toJson(const Saved& saved)
{
    Json object = {{"type", "saved"}, {"id", saved.id}, {"bytes", saved.bytes}};
    if (!saved.problem.empty())
        object["problem"] = clipped(saved.problem);
    return object;
}

TrainingRequest trainingFrom(const FieldReader& fields)
{
    const TrainingRequest otherwise;
    TrainingRequest request{.data = dataFrom(fields.object("data")),
                            .learningRate = fields.number("learning_rate", otherwise.learningRate),
                            .weighting = fields.word("weighting", std::optional(otherwise.weighting)),
                            .checkpoint = fields.text("checkpoint", "")};
    if (!(request.learningRate >= 0))
        fields.refuse("learning_rate", "must be at least 0");
    return request;
}

BatchRequest batchFrom(const FieldReader& fields)
{
    return {.id = fields.integer("id"),
            .phase = fields.word("phase", std::optional(model::Phase::Train)),
            .epoch = fields.integerFrom(0, "epoch", 0),
            .first = fields.integerFrom(0, "first", 0),
            .samples = fields.integerFrom(1, "samples"),
            .microBatchSize = fields.integerFrom(1, "micro_batch_size")};
}

SaveRequest saveFrom(const FieldReader& fields)
{
    return {.id = fields.integer("id"), .path = fields.text("path")};
}

TrainingReady trainingReadyFrom(const FieldReader& fields)
{
    TrainingReady ready{.samples = fields.amount("samples"),
                        .heldOutSamples = fields.amount("held_out_samples", 0),
                        .tokensPerSample = fields.amount("tokens_per_sample", 0)};
    if (ready.samples == 0)
        fields.refuse("samples", "is 0, but must be at least 1");
    return ready;
}

BatchResult batchResultFrom(const FieldReader& fields)
{
    BatchResult result{.id = fields.integer("id"),
                       .microBatchSize = fields.integerFrom(1, "micro_batch_size"),
                       .outcome = fields.word<Outcome>("outcome")};
    if (result.outcome == Outcome::Crashed)
        fields.refuse("outcome", "is \"crashed\", which a program cannot say of itself");
    // If the batch was not done, its duration means nothing.
    const bool isOk = result.outcome == Outcome::Ok;
    result.seconds = fields.duration("seconds", isOk ? std::nullopt : std::optional(0.0));
    if (isOk && result.seconds < shortestStepSeconds)
        fields.refuse("seconds", "is less than a nanosecond, but no batch takes no time");
    result.loss = fields.number("loss", std::numeric_limits<double>::quiet_NaN());
    result.optimizerSeconds = fields.duration("optimizer_seconds", 0.0);
    result.countedTargets = fields.amount("counted_targets", 0);
    result.peakAllocatedBytes = fields.amount("peak_allocated_bytes", 0);
    // For a size that did not fit, the memory that it would have needed is not bounded.
    result.peakReservedBytes =
        isOk ? fields.amount("peak_reserved_bytes", 0) : fields.integerFrom(0, "peak_reserved_bytes", 0);
    result.allocationRetries = fields.smallInteger(0, "alloc_retries", 0);
    if (fields.has("refused_host_bytes"))
        result.refusedHostBytes = fields.integerFrom(0, "refused_host_bytes");
    result.text = clipped(fields.text("text", ""));
    result.isLast = fields.boolean("last", false);
    return result;
}

Saved savedFrom(const FieldReader& fields)
{
    return {.id = fields.integer("id"),
            .bytes = fields.amount("bytes", 0),
            .problem = fields.text("problem", "")};
}

} // namespace batchpeak::trial
