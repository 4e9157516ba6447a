// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_plan.h"

#include "config/approximations.h"
#include "config/batch_plan.h"
#include "config/cerebras/known_sizes.h"
#include "config/smaller_run.h"
#include "files/trusted_code.h"
#include "model/parameter_table.h"
#include "model/step_flops.h"
#include "options/saved_arguments.h"
#include "options/tuning_choice.h"
#include "phase_sequence.h"
#include "run_fidelity.h"
#include "step_overrides.h"
#include "text/batch_text.h"
#include "text/errors.h"
#include "text/translated.h"
#include "workers/run_devices.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

namespace batchpeak::engine {

namespace {

using config::ConfigError;

[[noreturn]] void refuse(const QString& sentence)
{
    throw ConfigError(sentence.toStdString());
}

model::ModelSpec runnableModel(const QString& filePath, const config::ConfigContents& contents)
{
    if (const auto* unsupported = std::get_if<config::UnsupportedModel>(&contents.model))
        throw located(filePath, ConfigError(unsupported->sentence, unsupported->position));
    return std::get<model::ModelSpec>(contents.model);
}

/// Returns the sequence length if neither the config nor a person gives one.
std::int64_t assumedSequenceLength(const model::ModelSpec& spec, QStringList& notes)
{
    const std::int64_t length = model::defaultSequenceLength(spec);
    if (length > 0 && model::takesSequences(spec))
        notes.append(Translated::tr("The config has no sequence length, so samples have %1 tokens, which is "
                                    "usual for this network. To change this, pass --sequence-length.")
                         .arg(length));
    return length;
}

std::int64_t sequenceLengthOf(const config::ConfigContents& contents, const model::ModelSpec& spec,
                              const ExplorationOptions& options, QStringList& notes)
{
    if (options.sequenceLength && !model::takesSequences(spec))
        refuse(Translated::tr("This network takes no sequences; leave out --sequence-length."));
    std::int64_t length = options.sequenceLength.value_or(contents.sequenceLength);
    if (length < 1)
        length = assumedSequenceLength(spec, notes);
    if (length < 1)
        refuse(Translated::tr("The config has no sequence length; pass one with --sequence-length."));
    const auto longest = model::longestSequence(spec);
    if (longest && length > *longest)
        refuse(Translated::tr("A sequence length of %1 is more than the %2 positions of this network; "
                              "give --sequence-length %2 or less.")
                   .arg(length)
                   .arg(*longest));
    return length;
}

std::vector<std::int64_t> sampleLengths(const model::ModelSpec& spec, const ExplorationOptions& options)
{
    if (!options.sampleLengths.empty() && !model::takesSequences(spec))
        refuse(Translated::tr("Samples of this network are not token sequences, so they have no lengths. "
                              "Remove --sample-lengths."));
    return options.sampleLengths;
}

model::StepOptions stepOptions(model::StepOptions step, const model::ModelSpec& spec,
                               const ExplorationOptions& options)
{
    if (options.packedTextLength.value_or(0) > 0 &&
        !std::holds_alternative<model::DecoderSpec>(spec.architecture))
        refuse(Translated::tr(
            "Only decoders accept samples packed from several texts. Remove --packed-text-length."));
    visitStepOverrides(
        [&](const auto& row) { step.*row.step = (options.*row.asked).value_or(step.*row.step); });
    return step;
}

/// Sets among how many devices the model state is sharded, if there are several. If the config does not say
/// how many there are, shareAmong() counts those of this computer; behind a launcher, the options name them.
/// A config may shard within groups of devices; it then gives the size of a group.
void setShards(model::StepOptions& step, const config::ConfigContents& contents,
               const ExplorationOptions& options)
{
    const auto& plan = contents.plan(options.phase);
    const bool isKnown = plan && plan->knowsDevices;
    if (isKnown && plan->devices < 2)
        step.sharding = model::Sharding::None;
    if (step.sharding == model::Sharding::None) {
        step.shards = 1;
        return;
    }
    if (step.shards > 1)
        return;
    const std::int64_t named = options.processes() > 1 ? options.processes()
                               : options.isHere()      ? 1
                                                       : options.devices.size();
    step.shards = isKnown ? plan->devices : std::max<std::int64_t>(1, named);
}

// The decoder's sequence is shortened in proportion to the encoder's: T5's targets are the parts of its input
// that were masked.
std::optional<std::int64_t> targetLengthOf(const config::ConfigContents& contents,
                                           const model::ModelSpec& spec, std::int64_t length)
{
    if (!contents.targetLength || contents.sequenceLength < 1)
        return contents.targetLength ? contents.targetLength : model::defaultTargetLength(spec);
    const double share = static_cast<double>(length) / static_cast<double>(contents.sequenceLength);
    return std::max<std::int64_t>(1, std::llround(static_cast<double>(*contents.targetLength) * share));
}

/// Returns the plan of a network without a batch, which is explored in either phase; a single size asked for
/// is the batch.
config::BatchPlan planOfNetworkAlone(const ExplorationOptions& options)
{
    config::BatchPlan plan{.setting = options.setting.value_or(config::Explore{})};
    if (const auto* fixed = std::get_if<config::Fixed>(&plan.setting))
        plan.globalBatchSize = fixed->microBatchSize;
    return plan;
}

config::BatchPlan planOf(const config::ConfigContents& contents, const ExplorationOptions& options)
{
    if (contents.isNetworkAlone())
        return planOfNetworkAlone(options);
    const auto& plan = contents.plan(options.phase);
    if (!plan && options.phase == model::Phase::Train)
        refuse(
            Translated::tr("The config holds no training batch; explore its evaluation with --phase eval."));
    if (!plan)
        refuse(
            Translated::tr("The config holds no evaluation batch; explore its training with --phase train."));
    config::BatchPlan chosen = *plan;
    // A config of more devices is measured on fewer processes, and one of fewer is run on more.
    if (chosen.isOverAllDevices && options.processes() > chosen.devices) {
        chosen.devices = options.processes();
        chosen.knowsDevices = true;
    }
    if (options.setting)
        chosen.presentSize = plan->writtenSize();
    chosen.setting = settingAsked(*plan, options);
    return chosen;
}

/// Refuses batch normalization as Cerebras does: its documentation excludes it from micro-batches, whatever
/// the key says.
void refuseBatchNormalization(const QString& filePath, const config::ConfigContents& contents,
                              const model::ModelSpec& spec, const config::BatchPlan& plan)
{
    if (!plan.explores() || !model::normalizesOverBatch(spec) || !contents.rules.refusesBatchNormalization)
        return;
    const QString sentence =
        Translated::tr("Cerebras does not explore a network with batch normalization, since its result "
                       "changes with the micro-batch size; choose a size, or null to run the batch whole.");
    throw located(filePath, ConfigError(sentence.toStdString()));
}

std::vector<std::int64_t> divisorsOf(std::int64_t number, std::int64_t minimum, std::int64_t maximum)
{
    std::vector<std::int64_t> divisors;
    for (std::int64_t low = 1; low * low <= number; ++low) {
        if (number % low != 0)
            continue;
        divisors.push_back(low);
        if (low != number / low)
            divisors.push_back(number / low);
    }
    std::erase_if(divisors, [&](std::int64_t size) { return size < minimum || size > maximum; });
    std::ranges::sort(divisors);
    return divisors;
}

void refuseBelow(std::int64_t smallest, std::int64_t largest)
{
    if (largest < smallest)
        refuse(Translated::tr("KTO compares each text with an answer to another text, so a micro-batch needs "
                              "at least %1 texts. Set --setting and --max accordingly.")
                   .arg(smallest));
}

void setOnlySize(search::SearchSpace& space, std::int64_t size, std::int64_t smallest,
                 const ExplorationOptions& options)
{
    if (options.minimum || options.maximum)
        refuse(Translated::tr("The setting is a single size (%1), so --min and --max have no effect. Remove "
                              "them, or add --setting explore.")
                   .arg(size));
    refuseBelow(smallest, size);
    space.minimum = space.maximum = size;
    space.candidates = {size};
}

/// Returns a size that is known to be good, which exists only for training all parameters of a network.
std::optional<std::int64_t> startingHint(const trial::LoadRequest& load)
{
    const bool isKnown = load.phase == model::Phase::Train && model::isUntuned(load.tuning) &&
                         load.step.preference == model::Preference::None;
    const auto known = isKnown ? config::knownSizeFor(load.model) : std::nullopt;
    return known ? std::optional(known->microBatchSize) : std::nullopt;
}

/// Returns the settings of a step for each sample length; a decoder's sequence is shortened in proportion to
/// the encoder's.
std::vector<model::StepSettings> settingsOfSamples(const trial::LoadRequest& load)
{
    std::vector<std::int64_t> lengths = load.sampleLengths;
    if (lengths.empty())
        lengths.push_back(load.sequenceLength);
    std::vector<model::StepSettings> settings;
    for (const std::int64_t length : lengths) {
        const std::int64_t tokens = std::min(length, load.sequenceLength);
        const std::int64_t targets =
            load.targetLength && load.sequenceLength > 0
                ? std::max<std::int64_t>(1, *load.targetLength * tokens / load.sequenceLength)
                : 0;
        settings.push_back(
            {.phase = load.phase, .sequenceLength = tokens, .targetLength = targets, .options = load.step});
    }
    return settings;
}

/// Describes the samples, by the description of the network: their tokens, FLOPs and precision.
void describeSamples(RunDescription& run, const trial::LoadRequest& load, const ExplorationOptions& options)
{
    const std::vector<model::StepSettings> samples = settingsOfSamples(load);
    const auto count = static_cast<double>(samples.size());
    for (const model::StepSettings& sample : samples) {
        if (model::takesSequences(load.model))
            run.tokensPerSample += static_cast<double>(sample.sequenceLength + sample.targetLength) / count;
    }
    // The backward pass differs if something is frozen.
    if (options.workerCommand.isEmpty() && model::trainsAll(load.tuning))
        run.flopsPerSample = model::stepFlops(load.model, samples);
    run.productPrecision = model::productPrecision(load.model, load.precision, load.step);
}

/// \param smallest  smallest size that a step of the run allows
void setSizes(search::SearchSpace& space, const config::BatchPlan& plan, std::int64_t smallest,
              const ExplorationOptions& options)
{
    if (const auto* fixed = std::get_if<config::Fixed>(&plan.setting))
        return setOnlySize(space, fixed->microBatchSize, smallest, options);
    if (std::holds_alternative<config::Whole>(plan.setting))
        return setOnlySize(space, plan.perDeviceBatch(), smallest, options);

    const auto* explore = std::get_if<config::Explore>(&plan.setting);
    const auto fromConfig = explore ? *explore : config::Explore{};
    space.minimum = options.minimum.value_or(fromConfig.minimum.value_or(1));
    space.maximum = options.maximum.value_or(
        fromConfig.maximum.value_or(explore ? largestExplored : plan.perDeviceBatch()));
    if (space.minimum < 1)
        refuse(
            Translated::tr("The smallest size to explore is %1; it must be at least 1.").arg(space.minimum));
    refuseBelow(smallest, space.maximum);
    space.minimum = std::max(space.minimum, smallest);
    if (space.minimum > space.maximum)
        refuse(
            Translated::tr("The smallest size to explore (%1) is above the largest (%2). Swap or widen them.")
                .arg(space.minimum)
                .arg(space.maximum));
    if (explore)
        return;
    space.candidates = divisorsOf(plan.perDeviceBatch(), space.minimum, space.maximum);
    if (space.candidates.empty())
        refuse(
            Translated::tr("No divisor of the per-device batch, %1, lies within %2 and %3; widen --min and "
                           "--max, or add --setting explore.")
                .arg(plan.perDeviceBatch())
                .arg(space.minimum)
                .arg(space.maximum));
    space.minimum = space.candidates.front();
    space.maximum = space.candidates.back();
}

QStringList notesOn(const config::ConfigContents& contents, const config::BatchPlan& plan)
{
    if (contents.isNetworkAlone())
        return {Translated::tr(
            "The config describes only a network, without a batch, so it is explored for one device.")};
    QStringList notes = spreadOverDevices(plan);
    const auto* fixed = std::get_if<config::Fixed>(&plan.setting);
    if (const auto text = fixed ? config::evenSpreadText(plan, fixed->microBatchSize) : std::nullopt)
        notes.append(QString::fromStdString(*text));
    return notes;
}

} // namespace

config::Setting settingAsked(const config::BatchPlan& ofConfig, const ExplorationOptions& options)
{
    if (options.setting)
        return *options.setting;
    const bool asksForIt = !ofConfig.presentSize || ofConfig.setting != config::Setting(config::Explore{});
    const std::int64_t batch = ofConfig.perDeviceBatch();
    const std::int64_t maximum = options.maximum.value_or(batch);
    if (asksForIt || !hasMicroBatches(ofConfig) || batch == 1 || maximum > batch ||
        divisorsOf(batch, options.minimum.value_or(1), maximum).empty())
        return ofConfig.setting;
    return config::Auto{};
}

config::ConfigContents contentsAsked(const QString& filePath, const config::ConfigContents& contents,
                                     const ExplorationOptions& options)
{
    if (!options.shrinks)
        return contents;
    try {
        return config::smallerRunOf(contents);
    } catch (const ConfigError& error) {
        throw located(filePath, error);
    }
}

model::StepSettings stepSettingsOf(const trial::LoadRequest& load)
{
    std::int64_t length = load.sequenceLength;
    if (!load.sampleLengths.empty())
        length = std::min(length, std::ranges::max(load.sampleLengths));
    return {.phase = load.phase,
            .sequenceLength = length,
            .targetLength = load.targetLength.value_or(0),
            .precision = load.precision,
            .optimizer = load.optimizer,
            .options = load.step,
            .tuning = load.tuning};
}

std::optional<model::StepMemory> stepMemoryOf(const trial::LoadRequest& load,
                                              const ExplorationOptions& options)
{
    // The description does not cover steps with two passes over pairs of texts.
    if (!options.workerCommand.isEmpty() || load.step.preference != model::Preference::None)
        return std::nullopt;
    return model::stepMemory(load.model, stepSettingsOf(load));
}

std::optional<search::MemoryPrior> memoryPrior(const trial::LoadRequest& load,
                                               const ExplorationOptions& options)
{
    const auto memory = stepMemoryOf(load, options);
    if (!memory)
        return std::nullopt;
    return search::MemoryPrior{.constantBytes = memory->constantBytes,
                               .bytesPerSample = memory->bytesPerSample,
                               .deviation = memory->deviation};
}

namespace {

/// Refuses what python/batchpeak_trial/adapters.py refuses too, but only when it runs.
void refuseForPython(const model::Tuning& tuning, const ExplorationOptions& options)
{
    const bool isOfPython = !options.python.isEmpty() && options.workerCommand.isEmpty();
    if (isOfPython && tuning.frozenWeights == model::FrozenWeights::TorchaoNf4)
        refuse(Translated::tr("Your Python does not support torchao's 4-bit frozen weights. Remove --with, "
                              "or use those of bitsandbytes (--frozen-weights nf4)."));
}

void refuseProcesses(const ExplorationOptions& options)
{
    if (options.processes() == 1)
        return;
    if (options.python.isEmpty())
        refuse(Translated::tr("Several processes take a step together only in your own Python; add --with "
                              "python, or start your own script with --worker \"torchrun ...\"."));
    const auto isSlurm = [](const QString& text) { return placeFromText(text).kind == Place::Kind::Slurm; };
    if (options.nodes.value_or(1) > 1 && (options.isHere() || !std::ranges::all_of(options.places, isSlurm)))
        refuse(Translated::tr("Several nodes take a step together only within an allocation of Slurm; add "
                              "--on slurm, or leave out --nodes."));
}

} // namespace

NetworkPlan planNetwork(const QString& filePath, const config::ConfigContents& whole,
                        const ExplorationOptions& options)
{
    const config::ConfigContents contents = contentsAsked(filePath, whole, options);
    const model::ModelSpec spec = runnableModel(filePath, contents);
    const model::Tuning tuning = chooseTuning(contents, options);
    refuseForPython(tuning, options);
    refuseProcesses(options);
    if (const auto problem = model::problemWith(spec, tuning))
        throw located(filePath, ConfigError(*problem));
    NetworkPlan plan;
    plan.load = {.model = spec,
                 .tuning = tuning,
                 .phase = options.phase,
                 .sequenceLength = sequenceLengthOf(contents, spec, options, plan.notes),
                 .sampleLengths = sampleLengths(spec, options),
                 .precision = options.precision.value_or(contents.precision),
                 .optimizer = options.optimizer.value_or(contents.optimizer),
                 .step = stepOptions(contents.step, spec, options),
                 .seed = options.seed};
    plan.load.targetLength = targetLengthOf(contents, spec, plan.load.sequenceLength);
    if (plan.load.optimizer != contents.optimizer) {
        plan.load.step.adamWStep = model::AdamWStep::Fused;
        plan.load.step.keepsMomentum = true;
        plan.load.step.wideEmbeddingMoments = false;
    }
    setShards(plan.load.step, contents, options);
    plan.alone = contents.alone;
    if (options.activationCheckpointing)
        plan.alone.activationCheckpointing.reset();
    const model::ParameterCounts counts = model::parameterCounts(spec, tuning);
    plan.run = {.filePath = filePath,
                .command = savedArguments(options),
                .formatName = QString::fromStdString(contents.formatName),
                .family = QString::fromStdString(model::nameOf(spec)),
                .modelSource = QString::fromStdString(contents.modelSource),
                .parameters = counts.all(),
                .frozenParameters = counts.frozen,
                .tuning = tuning,
                .fidelity = fidelityOfRun(contents, options, plan.load, counts),
                .processes = options.processes(),
                .phase = options.phase,
                .precision = plan.load.precision,
                .optimizer = plan.load.optimizer,
                .sequenceLength = plan.load.sequenceLength,
                .strategy = options.strategy,
                .tolerance = options.tolerance,
                .targetConfidence = options.targetConfidence,
                .headroom = options.headroom,
                .maxTrials = options.maxTrials};
    if (options.timeBudget)
        plan.run.budgetSeconds = static_cast<double>(options.timeBudget->count());
    describeSamples(plan.run, plan.load, options);
    return plan;
}

namespace {

QString requestText(const trial::LoadRequest& load)
{
    return QString::fromStdString(trial::toLine(load)).trimmed();
}

} // namespace

ExplorationPlan planExploration(const QString& filePath, const config::ConfigContents& contents,
                                const ExplorationOptions& options)
{
    // An evaluation that cannot be explored is reported before training is explored.
    if (options.bothPhases)
        (void)planExploration(filePath, contents, evaluationAfter(options));
    NetworkPlan network = planNetwork(filePath, contents, options);
    const config::BatchPlan batch = planOf(contents, options);
    refuseBatchNormalization(filePath, contents, network.load.model, batch);
    const bool isAuto = std::holds_alternative<config::Auto>(batch.setting);

    network.notes = notesOn(contents, batch) + network.notes;
    ExplorationPlan plan{std::move(network)};
    plan.run.plan = batch;
    plan.run.hasBatch = !contents.isNetworkAlone();
    plan.run.objective =
        options.objective.value_or(isAuto ? search::Objective::Effective : search::Objective::Micro);
    plan.space = {.memoryPrior = memoryPrior(plan.load, options),
                  .objective = plan.run.objective,
                  .perDeviceBatch = batch.perDeviceBatch(),
                  .startingHint = startingHint(plan.load),
                  .tolerance = options.tolerance,
                  .targetConfidence = options.targetConfidence,
                  .maxTrials = options.maxTrials,
                  .seed = options.seed};
    setSizes(plan.space, batch, model::smallestMicroBatch(plan.load.step.preference), options);
    plan.load.measuresLink = options.processes() > 1 && batch.devices > options.processes();
    plan.run.isVerified = options.verify && plan.isSearch();
    plan.run.loadRequest = requestText(plan.load);
    plan.run.codePath = codeOf(plan.load.model);
    return plan;
}

namespace {

bool sharesAmongUnknown(const trial::LoadRequest& load)
{
    return load.step.sharding != model::Sharding::None && load.step.shards < 2;
}

void runAlone(NetworkPlan& plan)
{
    model::StepOptions& step = plan.load.step;
    step.activationCheckpointing = plan.alone.activationCheckpointing.value_or(step.activationCheckpointing);
    plan.run.fidelity.dropReason(config::approximation::sharding);
    plan.run.fidelity.dropReason(plan.alone.droppedApproximation);
    plan.run.fidelity.addReason(plan.alone.approximation);
}

void shareAmong(std::int64_t devices, NetworkPlan& plan)
{
    plan.load.step.shards = devices;
    if (plan.load.step.shards < 2)
        runAlone(plan);
    else if (plan.load.step.updatesInBackward)
        plan.run.fidelity.addReason(config::approximation::updatesInBackward);
}

} // namespace

ExplorationOptions withProcesses(ExplorationOptions options, const config::ConfigContents& contents,
                                 const std::function<device::LocalDevices()>& localDevices)
{
    const auto& plan = contents.plan(options.phase);
    const bool isOpen = !options.python.isEmpty() && options.workerCommand.isEmpty() && options.isHere() &&
                        !options.processesPerNode;
    if (!isOpen || !plan || !plan->knowsDevices || plan->devices < 2)
        return options;
    try {
        const auto gpus = std::ranges::count(chooseDevices(options.devices, localDevices()), "cuda",
                                             &device::LocalDevice::kind);
        if (gpus >= plan->devices)
            options.processesPerNode = plan->devices;
    } catch (const ExplorationError&) {
        // The devices report that when they are opened.
    }
    return options;
}

bool dependsOnDevices(const trial::LoadRequest& load)
{
    return sharesAmongUnknown(load) || load.precision == model::Precision::Tf32;
}

QStringList judgePrecision(config::Fidelity& fidelity, const trial::LoadRequest& load,
                           const QStringList& devices)
{
    const auto isCpu = [](const QString& id) { return id == QLatin1String("cpu"); };
    if (load.precision != model::Precision::Tf32 || std::ranges::none_of(devices, isCpu))
        return {};
    fidelity.addReason(config::approximation::tf32OnCpu);
    return {
        Translated::tr("The precision tf32 has no effect on a CPU, which computes its products in fp32; it "
                       "needs a CUDA device.")};
}

void fitToDevices(NetworkPlan& plan, const ExplorationOptions& options, const device::LocalDevices& devices)
{
    if (!dependsOnDevices(plan.load) || !options.isHere())
        return;
    QStringList ids;
    try {
        for (const device::LocalDevice& device : chooseDevices(options.devices, devices))
            ids.append(QString::fromStdString(device.id()));
    } catch (const ExplorationError&) {
        return;
    }
    plan.notes += judgePrecision(plan.run.fidelity, plan.load, ids);
    if (sharesAmongUnknown(plan.load))
        shareAmong(ids.size(), plan);
}

void fitToDevices(ExplorationPlan& plan, const ExplorationOptions& options,
                  const device::LocalDevices& devices)
{
    if (!dependsOnDevices(plan.load))
        return;
    fitToDevices(static_cast<NetworkPlan&>(plan), options, devices);
    plan.space.memoryPrior = memoryPrior(plan.load, options);
    plan.run.loadRequest = requestText(plan.load);
}

} // namespace batchpeak::engine
