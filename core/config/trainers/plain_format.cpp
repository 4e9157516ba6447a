// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "plain_format.h"

#include "approximations.h"
#include "batch_schemes.h"
#include "megatron_run.h"
#include "networks/network_readers.h"
#include "syntax/words.h"
#include "syntax/yaml_scalar.h"
#include "training_arguments.h"
#include "unmodeled_features.h"

#include <algorithm>
#include <cmath>

namespace batchpeak::config {

namespace {

/// A value's key in the section that contains it.
struct Held
{
    ConfigSection section;
    std::vector<std::string> path;
    std::string key;

    std::string name() const { return section.pathOf(key); }
    bool has() const { return section.has(key); }
};

std::vector<std::string_view> alternatives(std::string_view keys)
{
    std::vector<std::string_view> found;
    while (!keys.empty()) {
        found.push_back(keys.substr(0, keys.find('|')));
        keys.remove_prefix(std::min(found.back().size() + 1, keys.size()));
    }
    return found;
}

/// Returns the section and the key at the end of a path; a key may contain dots itself.
Held heldAt(const ConfigSection& root, std::string_view path)
{
    Held held{.section = root};
    while (!held.section.find(path) && path.find('.') != std::string_view::npos) {
        const std::string_view key = path.substr(0, path.find('.'));
        // Beside keys with dots, an absent key has dots too.
        const std::string beginning = std::string(key) + ".";
        const auto isBeside = [&beginning](std::string_view other) { return other.starts_with(beginning); };
        if (!held.section.find(key) && std::ranges::any_of(held.section.keys(), isBeside))
            break;
        held.path.emplace_back(key);
        held.section = held.section.sectionIfAny(key);
        path.remove_prefix(key.size() + 1);
    }
    held.key = path;
    return held;
}

/// Returns the first of the alternatives that has a value; the first of all if none has.
Held heldBy(const ConfigSection& root, std::string_view keys)
{
    const auto all = alternatives(keys);
    for (std::string_view path : all) {
        Held held = heldAt(root, path);
        if (held.has())
            return held;
    }
    return heldAt(root, all.empty() ? std::string_view() : all.front());
}

bool isThere(const ConfigSection& root, std::string_view keys)
{
    return std::ranges::any_of(alternatives(keys), [&root](std::string_view path) {
        const Held held = heldAt(root, path);
        return held.section.find(held.key).has_value();
    });
}

} // namespace

std::optional<std::string> wordAt(const ConfigSection& root, std::string_view keys)
{
    const YamlNode* value = nodeAt(root, keys);
    return value && value->kind == NodeKind::Scalar ? std::optional(value->value) : std::nullopt;
}

const YamlNode* nodeAt(const ConfigSection& root, std::string_view keys)
{
    const Held held = heldBy(root, keys);
    return held.section.value(held.key);
}

std::optional<std::int64_t> countAt(const ConfigSection& root, std::string_view keys)
{
    if (keys.empty())
        return std::nullopt;
    const Held held = heldBy(root, keys);
    const auto word = wordAt(root, keys);
    if (!held.has() || word == "auto" || word == "-1" || word == "null" || word == "None")
        return std::nullopt;
    return countOr(held.section, held.key, 1);
}

TextPosition positionAt(const ConfigSection& root, std::string_view keys)
{
    const Held held = heldBy(root, keys);
    return held.section.positionOf(held.key);
}

namespace {

/// Returns the product of counts; nothing if one is not known.
std::optional<std::int64_t> productAt(const ConfigSection& root, std::string_view keys)
{
    std::int64_t result = 1;
    for (std::string_view key : splitWords(keys)) {
        const auto count = countAt(root, key);
        const bool isOpen = isThere(root, key) && !count && wordAt(root, key) && wordAt(root, key) != "0";
        if (isOpen)
            return std::nullopt;
        result *= std::min(count.value_or(1), std::int64_t{model::maxDevices});
        if (result > model::maxDevices)
            return std::nullopt;
    }
    return result;
}

std::int64_t perReplica(const PlainFormat& format, const ConfigSection& root)
{
    // A stage of 0 is none: GPT-NeoX.
    std::int64_t result = 1;
    for (std::string_view key : splitWords(format.perReplica)) {
        const Held held = heldBy(root, key);
        const YamlNode* value = held.section.value(held.key);
        const auto number = value ? asInteger(*value) : std::nullopt;
        result *= std::clamp<std::int64_t>(number.value_or(1), 1, model::maxDevices);
        result = std::min<std::int64_t>(result, model::maxDevices);
    }
    return result;
}

/// Returns the number of copies of the network, each of which takes samples of its own.
std::optional<std::int64_t> replicasOf(const PlainFormat& format, const ConfigSection& root,
                                       const Launch& launch)
{
    if (!format.replicas.empty()) {
        const auto isWritten = [&root](std::string_view key) { return isThere(root, key); };
        return isWritten(splitWords(format.replicas).front()) ? productAt(root, format.replicas)
                                                              : std::nullopt;
    }
    std::optional<std::int64_t> world = launch.processes;
    if (!format.devices.empty() && isThere(root, splitWords(format.devices).front()))
        world = productAt(root, format.devices);
    const std::int64_t each = perReplica(format, root);
    if (!world || *world < each || *world % each != 0)
        return std::nullopt;
    return *world / each;
}

/// Returns how many samples of a batch a step takes.
std::int64_t takenOf(const PlainFormat& format, std::int64_t global, std::int64_t micro, std::int64_t devices)
{
    const std::int64_t whole = global / devices / micro * micro * devices;
    return format.dropsRest && whole > 0 ? whole : global;
}

BatchPlan readTrainPlan(const PlainFormat& format, const ConfigSection& root, const Launch& launch)
{
    const auto replicas = replicasOf(format, root, launch);
    const auto written = countAt(root, format.micro);
    auto steps = countAt(root, format.steps);
    auto global = countAt(root, format.global);
    if (!global && format.defaultGlobal > 0)
        global = format.defaultGlobal;
    std::int64_t micro = written.value_or(std::max<std::int64_t>(format.defaultMicro, 1));
    if (!steps && global && format.defaultSteps > 0)
        steps = format.defaultSteps;
    // The third number follows from two.
    const bool follows = !written && global && !format.steps.empty();
    if (follows && replicas)
        micro = std::max<std::int64_t>(*global / (steps.value_or(1) * *replicas), 1);
    const bool isKnown = follows ? replicas.has_value() : written || format.defaultMicro > 0;
    if (format.fillsBatchOf16 && !steps) {
        const std::int64_t forward = micro * replicas.value_or(1) * perReplica(format, root);
        steps = std::max<std::int64_t>((16 + forward - 1) / forward, 1);
    }
    BatchPlan plan{.setting = Explore{},
                   .presentSize = isKnown ? std::optional(micro) : std::nullopt,
                   .knowsDevices = replicas.has_value(),
                   .microBatchKey = heldBy(root, format.micro).name()};
    plan.devices = replicas.value_or(1);
    if (global) {
        plan.globalBatchSize = *global;
        plan.globalBatchKey = heldBy(root, format.global).name();
        // With steps beside a batch, the number of devices follows.
        if (!replicas && written && steps && *global % (micro * *steps) == 0) {
            plan.devices = *global / (micro * *steps);
            plan.knowsDevices = true;
        }
        plan.globalBatchSize = takenOf(format, *global, micro, plan.devices);
        return plan;
    }
    plan.isOverAllDevices = plan.knowsDevices || launch.dividesBatch;
    plan.globalBatchSize = micro * steps.value_or(1);
    if (plan.globalBatchSize <= maxSamples / plan.devices)
        plan.globalBatchSize *= plan.devices;
    plan.globalBatchKey = format.steps.empty()
                              ? plan.microBatchKey + " of each device"
                              : plan.microBatchKey + " * " + heldBy(root, format.steps).name();
    return plan;
}

std::optional<BatchPlan> readEvalPlan(const PlainFormat& format, const ConfigSection& root,
                                      const BatchPlan& train)
{
    if (format.evalMicro.empty())
        return std::nullopt;
    const Held evaluates = heldBy(root, format.evaluates);
    if (!format.evaluates.empty() && !evaluates.section.isOn(evaluates.key))
        return std::nullopt;
    const auto written = countAt(root, format.evalMicro);
    if (!written && !format.alwaysEvaluates && format.evaluates.empty())
        return std::nullopt;
    const std::int64_t otherwise =
        format.defaultEvalMicro > 0 ? format.defaultEvalMicro : train.presentSize.value_or(1);
    const bool hasOwnKey = written || format.defaultEvalMicro > 0;
    BatchPlan plan = plainBatch(heldBy(root, hasOwnKey ? format.evalMicro : format.micro).name(),
                                written.value_or(otherwise));
    plan.knowsDevices = plan.isOverAllDevices = train.knowsDevices;
    plan.devices = train.knowsDevices ? train.devices : 1;
    if (plan.globalBatchSize <= maxSamples / plan.devices)
        plan.globalBatchSize *= plan.devices;
    return plan;
}

std::optional<SourceLocation> placeAt(const ConfigSection& root, std::string_view keys)
{
    if (keys.empty())
        return std::nullopt;
    const Held held = heldBy(root, keys);
    return held.section.placeOf(held.key);
}

/// Precisions as trainers write them. Weights are fp32 beside products in 16 bits, unless the word says that
/// all is.
constexpr WordMap<model::Precision, 24> precisionWords{{{"bf16", model::Precision::Bf16},
                                                        {"AUTO", model::Precision::Bf16},
                                                        {"bfloat16", model::Precision::Bf16},
                                                        {"bf16-mixed", model::Precision::Bf16},
                                                        {"amp_bf16", model::Precision::Bf16},
                                                        {"torch.bfloat16", model::Precision::Bf16},
                                                        {"bf16-true", model::Precision::PlainBf16},
                                                        {"pure_bf16", model::Precision::PlainBf16},
                                                        {"fp16", model::Precision::Fp16},
                                                        {"float16", model::Precision::Fp16},
                                                        {"half", model::Precision::Fp16},
                                                        {"16-mixed", model::Precision::Fp16},
                                                        {"16-true", model::Precision::PlainFp16},
                                                        {"16", model::Precision::Fp16},
                                                        {"amp_fp16", model::Precision::Fp16},
                                                        {"fp32", model::Precision::Fp32},
                                                        {"float32", model::Precision::Fp32},
                                                        {"torch.float32", model::Precision::Fp32},
                                                        {"32-true", model::Precision::Fp32},
                                                        {"32", model::Precision::Fp32},
                                                        {"no", model::Precision::Fp32},
                                                        {"none", model::Precision::Fp32},
                                                        {"fp8", model::Precision::Bf16},
                                                        {"double", model::Precision::Fp32}}};

void readPrecision(const PlainFormat& format, const ConfigSection& root, ConfigContents& contents)
{
    std::string word = wordAt(root, format.precision).value_or(std::string(format.defaultPrecision));
    contents.places.precision = placeAt(root, format.precision);
    for (const auto& [key, name] : {std::pair(format.bf16, "bf16"), std::pair(format.fp16, "fp16")}) {
        const Held held = heldBy(root, key);
        if (key.empty() || !held.has() || wordAt(root, key) == "auto")
            continue;
        if (held.section.isOn(held.key))
            word = name;
        else if (word == name)
            word = "fp32";
        contents.places.precision = placeAt(root, key);
    }
    const auto precision = meaningOf(precisionWords, word);
    if (!precision) {
        const Held held = heldBy(root, format.precision);
        held.section.fail(held.key, "is \"{}\", which is no precision known here; write bf16, fp16 or fp32",
                          word);
    }
    const bool isHalf = model::isMixed(*precision);
    contents.precision = format.narrowsWeights && isHalf
                             ? halfPrecision(*precision == model::Precision::Fp16, true,
                                             positionAt(root, format.precision), contents.warnings)
                             : *precision;
}

void readCheckpointing(const PlainFormat& format, const ConfigSection& root, ConfigContents& contents)
{
    if (format.checkpointing.empty()) {
        contents.step.activationCheckpointing = format.checkpointsByDefault;
        return;
    }
    const Held held = heldBy(root, format.checkpointing);
    const auto word = wordAt(root, format.checkpointing);
    const bool isOn =
        held.section.isOn(held.key) && !isAmong(lowerCase(word.value_or("")), "none null no false off");
    contents.step.activationCheckpointing = word ? isOn : format.checkpointsByDefault;
    contents.places.activationCheckpointing = placeAt(root, format.checkpointing);
}

/// Reads what readRun() does not find: numbers under keys with dots, which a web page saves as texts.
void readFlatRun(const PlainFormat& format, const ConfigSection& root, ConfigContents& contents)
{
    const auto numberAt = [&root](std::string_view path) {
        const bool isFlat = path.find('.') != std::string_view::npos && root.find(path);
        const auto number = isFlat ? numberIn(wordAt(root, path).value_or("")) : std::nullopt;
        return number && std::isfinite(*number) && *number > 0.0 ? number : std::nullopt;
    };
    if (const auto norm = numberAt(format.run.gradientNorm))
        contents.step.maxGradientNorm = *norm;
    if (const auto rate = numberAt(format.run.learningRate))
        contents.training.learningRate = *rate;
}

} // namespace

bool fitsPlain(const PlainFormat& format, const ConfigText& text)
{
    const auto starts = [&text](std::string_view program) {
        return text.launch().words.find(program) != std::string::npos;
    };
    const bool isStarted = std::ranges::any_of(alternatives(format.programs), starts);
    if (!format.programs.empty() && !isStarted && (format.fileMarks.empty() || !text.launch().words.empty()))
        return false;
    try {
        const auto root = text.root(format.dialect);
        const auto has = [&root](std::string_view group) { return isThere(*root, group); };
        const auto hasAll = [&has](std::string_view groups) {
            return std::ranges::all_of(splitWords(groups), has);
        };
        return root && hasAll(format.needed) && (isStarted || hasAll(format.fileMarks)) &&
               std::ranges::none_of(splitWords(format.without), has);
    } catch (const ConfigError&) {
        return false;
    }
}

namespace {

/// \throws ConfigError if a size in samples has no effect
void requireOff(const PlainFormat& format, const ConfigSection& root)
{
    const Held held = heldBy(root, format.off);
    if (!format.off.empty() && (!held.has() || held.section.isOn(held.key))) {
        throw errorAt(positionAt(root, held.has() ? format.off : format.micro),
                      "{} is {}, so the trainer fills micro-batches by tokens, and {} has no effect; write "
                      "{}=False to have micro-batches of samples.",
                      format.off, held.has() ? "on" : "absent, and on by default",
                      heldBy(root, format.micro).name(), format.off);
    }
}

void warnOfRest(const PlainFormat& format, const ConfigSection& root, const BatchPlan& plan,
                std::vector<Warning>& warnings)
{
    const auto global = countAt(root, format.global);
    if (!format.dropsRest || !global || *global == plan.globalBatchSize)
        return;
    warn(warnings, positionAt(root, format.global),
         "The trainer rounds down to whole micro-batches: of {} samples, a step takes {}.", *global,
         plan.globalBatchSize);
}

} // namespace

ConfigContents readPlain(const PlainFormat& format, const ConfigText& text)
{
    const ConfigSection root = *text.root(format.dialect);
    requireOff(format, root);
    ConfigContents contents;
    contents.train = readTrainPlan(format, root, text.launch());
    warnOfRest(format, root, *contents.train, contents.warnings);
    contents.eval = readEvalPlan(format, root, *contents.train);
    contents.places.train = {.globalBatch = placeAt(root, format.global),
                             .microBatch = placeAt(root, format.micro),
                             .accumulationSteps = placeAt(root, format.steps)};
    if (contents.eval)
        contents.places.eval.microBatch = placeAt(root, format.evalMicro);
    const std::string_view devices =
        !format.replicas.empty() ? format.replicas : format.devices.substr(0, format.devices.find(' '));
    contents.places.devices = placeAt(root, devices);
    if (!contents.places.devices)
        contents.places.devices = text.launch().place;
    contents.model = networkOrError([&]() -> model::ModelSpec {
        const std::int64_t each = perReplica(format, root);
        if (each > 1) {
            const Held held = heldBy(root, splitWords(format.perReplica).front());
            refuseRun(held.section.positionOf(held.key),
                      sentence("cuts the network or its texts over {} devices", each), reason::overDevices);
        }
        try {
            return format.network(root, text.networks(), contents);
        } catch (const ConfigError& error) {
            // The batch is known, whatever the network is.
            throw networkElsewhere(error.position(), "{}", error.what());
        }
    });
    resolveTuning(contents);
    if (const auto length = countAt(root, format.length)) {
        const Held held = heldBy(root, format.length);
        contents.sequenceLength = readLength(held.section, held.key).value_or(*length);
        contents.places.sequenceLength = placeAt(root, format.length);
    } else {
        contents.sequenceLength = format.defaultLength;
    }
    resolveLengths(contents);
    readPrecision(format, root, contents);
    readCheckpointing(format, root, contents);
    for (UnmodeledFeature difference : format.differences) {
        const Held held = heldBy(root, difference.key);
        difference.key = held.key;
        warnOf(held.section, std::span(&difference, 1), contents.warnings);
    }
    RunKeys run = format.run;
    const Held norm = heldBy(root, run.gradientNorm);
    const YamlNode* limit = norm.section.value(norm.key);
    // A negative norm stands for none.
    if (limit && asNumber(*limit).value_or(0.0) < 0.0)
        run.gradientNorm = {};
    readRun(root, run, contents);
    if (format.defaultOptimizer != "AdamW" && !isThere(root, run.optimizer)) {
        contents.optimizer =
            readOptimizer(std::string(format.defaultOptimizer), run.adamW, positionAt(root, run.optimizer),
                          contents.warnings, run.unfusedLion);
    }
    readFlatRun(format, root, contents);
    return contents;
}

SplicedText splicePlain(const PlainFormat& format, const ConfigText& text, const ChosenSize& chosen)
{
    const ConfigSection root = *text.root(format.dialect);
    const BatchPlan plan = readTrainPlan(format, root, text.launch());
    const auto change = [](const Held& held, std::int64_t count, const std::string& below) {
        EntryChange made = countChange(held.key, count, below);
        made.section = held.path;
        return made;
    };
    const Held micro = heldBy(root, format.micro);
    if (chosen.phase == model::Phase::Eval) {
        checkSize(chosen.microBatchSize);
        if (!readEvalPlan(format, root, plan))
            throw ConfigError("The config sets no size of evaluation; choose the other phase.");
        const Held eval = heldBy(root, format.evalMicro);
        const bool isOwn = eval.has() || format.defaultEvalMicro > 0;
        if (isOwn && eval.name() != micro.name())
            return withChanges(root, {change(eval, chosen.microBatchSize, micro.key)});
        ChosenSize ofTraining = chosen;
        ofTraining.phase = model::Phase::Train;
        SplicedText shared = splicePlain(format, text, ofTraining);
        shared.notes.push_back(sentence("Training takes {} too.", micro.name()));
        return shared;
    }
    const Held global = heldBy(root, format.global);
    const Held steps = heldBy(root, format.steps);
    const bool hasGlobal =
        !format.global.empty() && (countAt(root, format.global) || format.defaultGlobal > 0);
    const WholeBatch batch =
        wholeBatch(plan, chosen,
                   hasGlobal ? global.section.positionOf(global.key) : micro.section.positionOf(micro.key));
    std::vector<EntryChange> changes{
        change(micro, chosen.microBatchSize, hasGlobal ? global.key : steps.key)};
    const bool followsSteps = hasGlobal && format.defaultSteps == 0;
    const bool replacesDefault = format.fillsBatchOf16 && chosen.globalBatchSize;
    if (!format.steps.empty() &&
        (steps.has() || replacesDefault || (!followsSteps && batch.accumulationSteps > 1)))
        changes.push_back(change(steps, batch.accumulationSteps, micro.key));
    const bool needsGlobal = format.steps.empty() && batch.accumulationSteps > 1;
    if (needsGlobal && !hasGlobal && !plan.knowsDevices) {
        throw errorAt(micro.section.positionOf(micro.key),
                      "The number of devices is not known here, so the batch of a step cannot be kept with "
                      "another size: "
                      "write {} ({} on each device now), or choose the size itself as the batch of a device.",
                      global.name(), plan.globalBatchSize);
    }
    const std::int64_t written = takenOf(format, countAt(root, format.global).value_or(plan.globalBatchSize),
                                         chosen.microBatchSize, plan.devices);
    if (!format.global.empty() && (hasGlobal ? batch.globalBatchSize != written : needsGlobal))
        changes.push_back(change(global, batch.globalBatchSize, micro.key));
    SplicedText spliced = withChanges(root, changes);
    const auto evaluation = readEvalPlan(format, root, plan);
    if (evaluation && evaluation->microBatchKey == micro.name())
        spliced.notes.push_back(sentence("Evaluation takes {} too.", micro.name()));
    return spliced;
}

} // namespace batchpeak::config
