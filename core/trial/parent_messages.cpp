// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "comparison_messages.h"
#include "field_reader.h"
#include "model/architecture_fields.h"
#include "model/model_spec.h"
#include "model/step_fields.h"
#include "protocol.h"
#include "training_messages.h"

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace batchpeak::trial {

namespace {

/// Writes the members of a network into an object.
class FieldWriter
{
public:
    explicit FieldWriter(Json& object) : m_object(object) {}

    template<typename Value>
    void value(const char* name, const Value& member)
    {
        m_object[name] = member;
    }
    template<typename Value>
    void word(const char* name, Value member)
    {
        m_object[name] = toText(member);
    }
    void sizes(const char* name, const std::vector<std::int64_t>& member) { m_object[name] = member; }
    void texts(const char* name, const std::vector<std::string>& member) { m_object[name] = member; }
    template<typename Value>
    void list(const char* name, std::vector<Value>& member)
    {
        Json& array = m_object[name] = Json::array();
        for (Value& element : member)
            visitFields(element, FieldWriter(array.emplace_back(Json::object())));
    }

private:
    Json& m_object;
};

/// Reads the members of a network from an object; an absent member keeps its value.
class MemberReader
{
public:
    explicit MemberReader(const FieldReader& fields) : m_fields(fields) {}

    void value(const char* name, std::int64_t& member) { member = m_fields.integer(name, member); }
    void value(const char* name, double& member) { member = m_fields.number(name, member); }
    void value(const char* name, bool& member) { member = m_fields.boolean(name, member); }
    void value(const char* name, std::string& member) { member = m_fields.text(name, member); }
    template<typename Value>
    void word(const char* name, Value& member)
    {
        member = m_fields.word(name, std::optional(member));
    }
    void sizes(const char* name, std::vector<std::int64_t>& member) { member = m_fields.integers(name); }
    void texts(const char* name, std::vector<std::string>& member) { member = m_fields.texts(name); }
    template<typename Value>
    void list(const char* name, std::vector<Value>& member)
    {
        member.clear();
        for (const FieldReader& element : m_fields.objects(name))
            visitFields(member.emplace_back(), MemberReader(element));
    }

private:
    const FieldReader& m_fields;
};

/// Returns a network as the field "model" of a load message: every member of ModelSpec under its name in
/// snake_case.
Json modelToJson(const model::ModelSpec& spec)
{
    Json object{{"family", spec.family}};
    model::Architecture architecture = spec.architecture;
    std::visit([&object](auto& members) { visitFields(members, FieldWriter(object)); }, architecture);
    return object;
}

/// Reads a network; absent fields keep the defaults of ModelSpec. Whether such a network can exist is not
/// checked here (model::problemWith).
/// \throws MessageError
model::ModelSpec modelSpecFrom(const FieldReader& fields)
{
    const std::string family = fields.text("family");
    auto architecture = model::architectureOf(family);
    if (!architecture) {
        fields.refuse("family", "is " + inQuotes(family) + ", but must be one of " + model::familyWords());
    }
    std::visit([&fields](auto& members) { visitFields(members, MemberReader(fields)); }, *architecture);
    return {.family = family, .architecture = std::move(*architecture)};
}

constexpr const char* targetModules = "target_modules";
constexpr const char* savedModules = "modules_to_save";
constexpr const char* targetParameters = "target_parameters";
constexpr const char* trainedParameters = "trained_parameters";

/// Called only for a run that does not train everything, or that uses fake quantization: a program that does
/// not know "tuning" trains everything.
Json tuningToJson(model::Tuning tuning)
{
    Json object = Json::object();
    visitFields(tuning, FieldWriter(object));
    // Programs that do not know networks of transformers do not know such names either, so names are written
    // only if there are any.
    const model::ModuleNames& names = tuning.modules;
    if (names.targets.size() == 1 && names.isPattern)
        object[targetModules] = names.targets.front();
    else if (!names.targets.empty())
        object[targetModules] = names.targets;
    if (!names.saved.empty())
        object[savedModules] = names.saved;
    if (!names.parameters.empty())
        object[targetParameters] = names.parameters;
    if (!names.trained.empty())
        object[trainedParameters] = names.trained;
    return object;
}

constexpr const char* tuningName = "tuning";

/// \throws MessageError
model::Tuning tuningFrom(const FieldReader& fields)
{
    model::Tuning tuning;
    if (!fields.has(tuningName))
        return tuning;
    const FieldReader members = fields.object(tuningName);
    visitFields(tuning, MemberReader(members));
    tuning.modules = {.saved = members.texts(savedModules),
                      .parameters = members.texts(targetParameters),
                      .trained = members.texts(trainedParameters)};
    tuning.modules.isPattern = members.isText(targetModules);
    if (tuning.modules.isPattern)
        tuning.modules.targets = {members.text(targetModules)};
    else
        tuning.modules.targets = members.texts(targetModules);
    return tuning;
}

constexpr const char* decoderLength = "decoder_sequence_length";

Json valueOf(model::HasWords auto value)
{
    return toText(value);
}

template<typename Value>
requires std::is_arithmetic_v<Value> Json valueOf(Value value)
{
    return value;
}

void writeStep(Json& fields, const model::StepOptions& options)
{
    model::visitStepFields([&](const model::StepField& field, auto member) {
        if (field.inProtocol == model::StepField::Written::Always ||
            options.*member != model::StepOptions().*member)
            fields[field.name] = valueOf(options.*member);
    });
}

Json toJson(const Hello& hello)
{
    Json fields{{"type", "hello"}, {"protocol", hello.protocol}};
    if (hello.heartbeatSeconds > 0.0)
        fields["heartbeat_seconds"] = hello.heartbeatSeconds;
    return fields;
}

Json toJson(const Heartbeat&)
{
    return {{"type", "heartbeat"}};
}

Json toJson(const LoadRequest& load)
{
    Json fields{{"type", "load"},
                {"model", modelToJson(load.model)},
                {"phase", toText(load.phase)},
                {"sequence_length", load.sequenceLength},
                {"sample_lengths", load.sampleLengths},
                {"precision", toText(load.precision)},
                {"optimizer", toText(load.optimizer)},
                {"memory_limit_bytes", load.memoryLimitBytes},
                {"seed", load.seed}};
    writeStep(fields, load.step);
    if (load.measuresLink)
        fields["measure_link"] = true;
    if (load.step.preference != model::Preference::None) {
        // With adapters, the same network without them serves as the reference.
        fields["preference_reference"] =
            model::hasReference(load.step.preference) && !model::hasAdapters(load.tuning);
    }
    if (load.targetLength)
        fields[decoderLength] = *load.targetLength;
    if (!isUntuned(load.tuning))
        fields[tuningName] = tuningToJson(load.tuning);
    return fields;
}

Json toJson(const TrialRequest& trial)
{
    return {{"type", "trial"},
            {"id", trial.id},
            {"micro_batch_size", trial.microBatchSize},
            {"min_steps", trial.minSteps},
            {"max_steps", trial.maxSteps},
            {"min_seconds", trial.minSeconds},
            {"time_limit", trial.timeLimitSeconds},
            {"abandon_above", trial.abandonAboveSeconds}};
}

Json toJson(const Cancel& cancel)
{
    return {{"type", "cancel"}, {"id", cancel.id}};
}

Json toJson(const Bye&)
{
    return {{"type", "bye"}};
}

std::int64_t countUpTo(std::int64_t max, const FieldReader& fields, const char* name,
                       std::optional<std::int64_t> fallback = {})
{
    const std::int64_t count = fields.integerFrom(1, name, fallback);
    if (count > max)
        fields.refuse(name, "is " + std::to_string(count) + ", but must be at most " + std::to_string(max));
    return count;
}

void read(const FieldReader& fields, const model::StepField& field, std::int64_t& member)
{
    member = fields.integerFrom(field.min, field.name, member);
    if (member > field.max)
        fields.refuse(field.name,
                      "is " + std::to_string(member) + ", but must be at most " + std::to_string(field.max));
}

void read(const FieldReader& fields, const model::StepField& field, double& member)
{
    member = fields.number(field.name, member);
    if (!(member >= 0))
        fields.refuse(field.name, "must be at least 0");
}

void read(const FieldReader& fields, const model::StepField& field, bool& member)
{
    member = fields.boolean(field.name, member);
}

void read(const FieldReader& fields, const model::StepField& field, model::HasWords auto& member)
{
    member = fields.word(field.name, std::optional(member));
}

model::StepOptions stepOptionsFrom(const FieldReader& fields)
{
    model::StepOptions options;
    model::visitStepFields(
        [&](const model::StepField& field, auto member) { read(fields, field, options.*member); });
    return options;
}

std::vector<std::int64_t> sampleLengthsFrom(const FieldReader& fields)
{
    constexpr const char* name = "sample_lengths";
    std::vector<std::int64_t> lengths = fields.integers(name);
    if (std::ranges::any_of(lengths, [](std::int64_t length) { return length < 1; }))
        fields.refuse(name, "must hold lengths of at least 1");
    return lengths;
}

LoadRequest loadFrom(const FieldReader& fields)
{
    const LoadRequest otherwise;
    return {.model = modelSpecFrom(fields.object("model")),
            .tuning = tuningFrom(fields),
            .phase = fields.word("phase", std::optional(otherwise.phase)),
            .sequenceLength = countUpTo(model::maxTokens, fields, "sequence_length"),
            .targetLength = fields.has(decoderLength)
                                ? std::optional(countUpTo(model::maxTokens, fields, decoderLength))
                                : std::nullopt,
            .sampleLengths = sampleLengthsFrom(fields),
            .precision = fields.word("precision", std::optional(otherwise.precision)),
            .optimizer = fields.word("optimizer", std::optional(otherwise.optimizer)),
            .step = stepOptionsFrom(fields),
            .memoryLimitBytes = fields.integerFrom(0, "memory_limit_bytes", otherwise.memoryLimitBytes),
            .seed = fields.seed("seed", otherwise.seed),
            .measuresLink = fields.boolean("measure_link", otherwise.measuresLink)};
}

TrialRequest trialFrom(const FieldReader& fields)
{
    const TrialRequest otherwise;
    TrialRequest trial{.id = fields.integer("id"),
                       .microBatchSize = fields.integerFrom(1, "micro_batch_size"),
                       .minSteps = fields.smallInteger(1, "min_steps", otherwise.minSteps),
                       .minSeconds = fields.duration("min_seconds", otherwise.minSeconds),
                       .timeLimitSeconds = fields.duration("time_limit", otherwise.timeLimitSeconds),
                       .abandonAboveSeconds =
                           fields.duration("abandon_above", otherwise.abandonAboveSeconds)};
    trial.maxSteps =
        fields.smallInteger(trial.minSteps, "max_steps", std::max(trial.minSteps, otherwise.maxSteps));
    if (trial.timeLimitSeconds <= 0)
        fields.refuse("time_limit", "must be above zero");
    return trial;
}

ParentMessage parentMessageFrom(const Json& object)
{
    const std::string type = FieldReader(object, "message").text("type");
    const FieldReader fields(object, "message " + inQuotes(type));
    if (type == "hello")
        return Hello{.protocol = fields.smallInteger(1, "protocol"),
                     .heartbeatSeconds = fields.duration("heartbeat_seconds", 0.0)};
    if (type == "load")
        return loadFrom(fields);
    if (type == "trial")
        return trialFrom(fields);
    if (type == "compare")
        return comparisonFrom(fields);
    if (type == "training")
        return trainingFrom(fields);
    if (type == "batch")
        return batchFrom(fields);
    if (type == "save")
        return saveFrom(fields);
    if (type == "heartbeat")
        return Heartbeat{};
    if (type == "cancel")
        return Cancel{.id = fields.integer("id")};
    if (type == "bye")
        return Bye{};
    throw MessageError(
        "The message type " + inQuotes(type) +
        " is unknown; hello, load, trial, compare, training, batch, save, heartbeat, cancel and "
        "bye are known.");
}

} // namespace

std::string toLine(const ParentMessage& message)
{
    return toJsonLine(std::visit([](const auto& value) { return toJson(value); }, message));
}

std::variant<ParentMessage, ProtocolError> parseParentMessage(std::string_view line)
{
    try {
        return parentMessageFrom(parseObject(line));
    } catch (const MessageError& error) {
        return ProtocolError{error.what()};
    }
}

} // namespace batchpeak::trial
