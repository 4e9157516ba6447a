// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "comparison_messages.h"
#include "field_reader.h"
#include "protocol.h"
#include "training_messages.h"

#include <algorithm>

namespace batchpeak::trial {

namespace {

/// A typical step must lie within this factor of some step. The tolerance is for programs that include the
/// time between steps in only one of the two numbers.
constexpr double deniedRatio = 2.0;

Json toJson(const WorkerHello& hello)
{
    return {{"type", "hello"},
            {"protocol", hello.protocol},
            {"program", hello.program},
            {"framework", hello.framework},
            {"device",
             {{"kind", hello.device.kind},
              {"name", hello.device.name},
              {"uuid", hello.device.uuid},
              {"total_bytes", hello.device.totalBytes},
              {"free_bytes", hello.device.freeBytes},
              {"context_bytes", hello.device.contextBytes},
              {"limit_bytes", hello.device.limitBytes},
              {"allocator_settings", clipped(hello.device.allocatorSettings)}}}};
}

Json toJson(const Loaded& loaded)
{
    Json object = {{"type", "loaded"},
                   {"parameters", loaded.parameters},
                   {"baseline_bytes", loaded.baselineBytes},
                   {"limit_bytes", loaded.limitBytes}};
    if (!loaded.approximations.empty())
        object["approximations"] = loaded.approximations;
    if (loaded.link)
        object["link"] = {{"processes", loaded.link->processes},
                          {"alpha_seconds", loaded.link->alphaSeconds},
                          {"beta_seconds_per_byte", loaded.link->betaSecondsPerByte},
                          {"relative_error", loaded.link->relativeError}};
    return object;
}

Json toJson(const Heartbeat&)
{
    return {{"type", "heartbeat"}};
}

Json toJson(const Step& step)
{
    return {{"type", "step"},
            {"id", step.id},
            {"phase", toText(step.phase)},
            {"index", step.index},
            {"seconds", step.seconds}};
}

/// Adds the measurements of a trial of one size, or of a comparison of all its sizes.
void addMeasurements(const TrialResult& result, Json& object)
{
    if (result.microBatchSize > 0)
        object["micro_batch_size"] = result.microBatchSize;
    if (!result.compared.empty()) {
        Json& sizes = object["compared"] = Json::array();
        for (const ComparedSize& size : result.compared)
            sizes.push_back(toJson(size));
        return;
    }
    object["steps"] = result.steps;
    object["samples"] = result.samples;
    object["seconds_per_step"] = result.secondsPerStep;
    object["step_seconds"] = result.stepSeconds;
    object["peak_allocated_bytes"] = result.peakAllocatedBytes;
}

Json toJson(const TrialResult& result)
{
    Json object = {{"type", "result"},
                   {"id", result.id},
                   {"outcome", toText(result.outcome)},
                   {"peak_reserved_bytes", result.peakReservedBytes},
                   {"alloc_retries", result.allocationRetries},
                   {"wall_seconds", result.wallSeconds},
                   {"flags", result.flags}};
    addMeasurements(result, object);
    const std::pair<const char*, std::optional<double>> measuredApart[] = {
        {"clock", result.clockSeconds},
        {"relative_error", result.relativeError},
        {"forward_seconds", result.forwardSeconds},
        {"backward_seconds", result.backwardSeconds},
        {"optimizer_seconds", result.optimizerSeconds},
        {"reduction_seconds", result.reductionSeconds},
    };
    for (const auto& [name, value] : measuredApart) {
        if (value)
            object[name] = *value;
    }
    for (const ReadingField& field : readingFields) {
        if (const auto& value = result.readings.*field.value)
            object[field.name] = *value;
    }
    if (!result.attention.empty())
        object["attention"] = clipped(result.attention);
    if (result.refusedHostBytes)
        object["refused_host_bytes"] = *result.refusedHostBytes;
    if (result.isLast)
        object["last"] = true;
    if (!result.text.empty())
        object["text"] = clipped(result.text);
    return object;
}

Json toJson(const Log& log)
{
    return {{"type", "log"}, {"level", toText(log.level)}, {"text", clipped(log.text)}};
}

Json toJson(const WorkerError& error)
{
    return {{"type", "error"}, {"text", clipped(error.text)}, {"fatal", error.fatal}};
}

DeviceDescription deviceFrom(const FieldReader& fields)
{
    return {.kind = clipped(fields.text("kind", "")),
            .name = clipped(fields.text("name", "")),
            .uuid = clipped(fields.text("uuid", "")),
            .totalBytes = fields.amount("total_bytes", 0),
            .freeBytes = fields.amount("free_bytes", 0),
            .contextBytes = fields.amount("context_bytes", 0),
            .limitBytes = fields.amount("limit_bytes", 0),
            .allocatorSettings = clipped(fields.text("allocator_settings", ""))};
}

WorkerHello helloFrom(const FieldReader& fields)
{
    return {.protocol = fields.smallInteger(1, "protocol"),
            .program = clipped(fields.text("program", "")),
            .framework = clipped(fields.text("framework", "")),
            .device = fields.has("device") ? deviceFrom(fields.object("device")) : DeviceDescription{}};
}

/// Returns one line of plain text: control characters become blanks, and a text that is too long is cut
/// between two characters.
std::string phraseFrom(std::string text)
{
    if (text.size() > longestApproximation) {
        std::size_t end = longestApproximation;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
            --end;
        text.resize(end);
    }
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
            c = ' ';
    }
    return text;
}

std::vector<std::string> phrasesFrom(const FieldReader& fields, const char* name)
{
    std::vector<std::string> phrases;
    for (std::string& text : fields.texts(name)) {
        std::string phrase = phraseFrom(std::move(text));
        const bool says = phrase.find_first_not_of(' ') != std::string::npos;
        if (says && phrases.size() < maxApproximations)
            phrases.push_back(std::move(phrase));
    }
    return phrases;
}

std::optional<Link> linkFrom(const FieldReader& fields)
{
    if (!fields.has("link"))
        return std::nullopt;
    const FieldReader link = fields.object("link");
    return Link{.processes = link.integerFrom(1, "processes"),
                .alphaSeconds = link.duration("alpha_seconds"),
                .betaSecondsPerByte = link.duration("beta_seconds_per_byte"),
                .relativeError = link.number("relative_error", 0.0)};
}

Loaded loadedFrom(const FieldReader& fields)
{
    return {.parameters = fields.amount("parameters", 0),
            .baselineBytes = fields.amount("baseline_bytes", 0),
            .limitBytes = fields.amount("limit_bytes", 0),
            .approximations = phrasesFrom(fields, "approximations"),
            .link = linkFrom(fields)};
}

Step stepFrom(const FieldReader& fields)
{
    return {.id = fields.integer("id"),
            .phase = fields.word("phase", std::optional(StepPhase::Timed)),
            .index = fields.smallInteger(0, "index", 0),
            .seconds = fields.duration("seconds")};
}

/// Refuses a number of steps, or a typical step time, that contradicts the times of the steps.
void checkStepTimes(const FieldReader& fields, const TrialResult& result)
{
    if (result.stepSeconds.empty())
        return;
    if (result.stepSeconds.size() != static_cast<std::size_t>(result.steps))
        fields.refuse("steps", "is " + std::to_string(result.steps) + ", but step_seconds holds " +
                                   std::to_string(result.stepSeconds.size()) + " of them");
    const auto [shortest, longest] = std::ranges::minmax(result.stepSeconds);
    if (result.secondsPerStep * deniedRatio < shortest || result.secondsPerStep > longest * deniedRatio)
        fields.refuse("seconds_per_step", "is far from each of step_seconds, of which it is the typical one");
}

TrialResult resultFrom(const FieldReader& fields)
{
    TrialResult result{.id = fields.integer("id"), .outcome = fields.word<Outcome>("outcome")};
    if (result.outcome == Outcome::Crashed)
        fields.refuse("outcome", "is \"crashed\", which a program cannot say of itself");
    result.compared = comparedSizesFrom(fields, result.outcome == Outcome::Ok);

    const bool isWholeComparison = result.outcome == Outcome::Ok && !result.compared.empty();
    if (!isWholeComparison)
        result.microBatchSize = fields.integerFrom(1, "micro_batch_size");

    // These fields are required in an Ok result of one size, and optional in any other.
    const bool isOk = result.outcome == Outcome::Ok && !isWholeComparison;
    const auto unlessOk = [isOk](auto value) { return isOk ? std::nullopt : std::optional(value); };
    result.steps = fields.smallInteger(0, "steps", unlessOk(0));
    result.secondsPerStep = fields.duration("seconds_per_step", unlessOk(0.0));
    // For a size that did not fit, the memory that it would have needed is not bounded.
    result.peakReservedBytes = isOk ? fields.amount("peak_reserved_bytes")
                                    : fields.integerFrom(0, "peak_reserved_bytes", std::int64_t{0});
    if (isOk && result.steps == 0)
        fields.refuse("steps",
                      "is 0, but without a timed step nothing is known and the outcome cannot be ok");
    if (isOk && result.secondsPerStep < shortestStepSeconds)
        fields.refuse("seconds_per_step", "is less than a nanosecond, but no step takes no time");

    std::int64_t samples = 0;
    if (__builtin_mul_overflow(result.microBatchSize, std::int64_t{result.steps}, &samples))
        fields.refuse("micro_batch_size", "is too large: " + std::to_string(result.microBatchSize));
    result.samples = fields.amount("samples", samples);
    result.stepSeconds = fields.durations("step_seconds");
    if (isOk)
        checkStepTimes(fields, result);
    result.clockSeconds = fields.optionalDuration("clock");
    result.relativeError = fields.optionalRatio("relative_error");
    result.forwardSeconds = fields.optionalDuration("forward_seconds");
    result.backwardSeconds = fields.optionalDuration("backward_seconds");
    result.optimizerSeconds = fields.optionalDuration("optimizer_seconds");
    result.reductionSeconds = fields.optionalDuration("reduction_seconds");
    result.peakAllocatedBytes = fields.amount("peak_allocated_bytes", 0);
    if (fields.has("refused_host_bytes"))
        result.refusedHostBytes = fields.integerFrom(0, "refused_host_bytes");
    result.allocationRetries = fields.smallInteger(0, "alloc_retries", 0);
    result.wallSeconds = fields.duration("wall_seconds", 0.0);
    for (const ReadingField& field : readingFields)
        result.readings.*field.value = fields.reading(field.name);
    result.attention = clipped(fields.text("attention", ""));
    // batchpeak-worker sends only the words of the namespace flag; other programs may send their own.
    constexpr std::size_t maxFlags = 32;
    for (const std::string& flag : fields.texts("flags")) {
        if (result.flags.size() < maxFlags)
            result.flags.push_back(phraseFrom(flag));
    }
    result.text = clipped(fields.text("text", ""));
    result.isLast = fields.boolean("last", false);
    return result;
}

WorkerMessage workerMessageFrom(const Json& object)
{
    const std::string type = FieldReader(object, "message").text("type");
    const FieldReader fields(object, "message " + inQuotes(type));
    if (type == "hello")
        return helloFrom(fields);
    if (type == "loaded")
        return loadedFrom(fields);
    if (type == "step")
        return stepFrom(fields);
    if (type == "result")
        return resultFrom(fields);
    if (type == "training_ready")
        return trainingReadyFrom(fields);
    if (type == "batch_result")
        return batchResultFrom(fields);
    if (type == "saved")
        return savedFrom(fields);
    if (type == "heartbeat")
        return Heartbeat{};
    if (type == "log")
        return Log{.level = fields.word("level", std::optional(LogLevel::Info)),
                   .text = clipped(fields.text("text"))};
    if (type == "error")
        return WorkerError{.text = clipped(fields.text("text")), .fatal = fields.boolean("fatal", false)};
    throw MessageError(
        "The message type " + inQuotes(type) +
        " is unknown; hello, loaded, step, result, training_ready, batch_result, saved, heartbeat, log "
        "and error are known.");
}

} // namespace

std::string toLine(const WorkerMessage& message)
{
    return toJsonLine(std::visit([](const auto& value) { return toJson(value); }, message));
}

std::variant<WorkerMessage, ProtocolError> parseWorkerMessage(std::string_view line)
{
    try {
        return workerMessageFrom(parseObject(line));
    } catch (const MessageError& error) {
        return ProtocolError{error.what()};
    }
}

} // namespace batchpeak::trial
