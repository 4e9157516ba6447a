// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch_schemes.h"
#include "cerebras_readers.h"
#include "format.h"
#include "run_reader.h"
#include "syntax/yaml_edit.h"
#include "syntax/yaml_scalar.h"

namespace batchpeak::config {

/// The layout of Cerebras configs since release 2.4: trainer.init, trainer.fit, trainer.validate.
///
/// The micro-batch size is a flag that a callback sets; the batches are in the data loaders.
namespace {

/// A single key that contains dots.
constexpr std::string_view flagKey = "csx.performance.micro_batch_size";
constexpr std::string_view callbacksKey = "callbacks";
constexpr std::string_view globalFlags = "GlobalFlags";

std::string_view scopedFlags(model::Phase phase)
{
    return phase == model::Phase::Train ? "ScopedTrainFlags" : "ScopedValidateFlags";
}

std::string flowMapping(std::string_view key, const std::string& value)
{
    return "{" + std::string(key) + ": " + value + "}";
}

/// A callback of a Cerebras Trainer config that sets flags of the system: ScopedTrainFlags for training,
/// ScopedValidateFlags for evaluation, GlobalFlags for both. A scoped flag overrides a global one; among
/// equal callbacks the last counts, because they run in order (ModelZoo 2.10.0, trainer/callbacks/flags.py).
struct Callback
{
    ConfigEntry entry;
    ConfigSection holder;
};

/// Returns all callbacks with that name, whether they set flags or not.
std::vector<Callback> callbacksNamed(const ConfigSection& init, std::string_view name)
{
    const YamlNode* value = init.value(callbacksKey);
    if (!value)
        return {};
    if (value->kind == NodeKind::Scalar)
        init.fail(callbacksKey, "must be a list of callbacks, but is {}", described(*value));

    const bool isList = value->kind == NodeKind::Sequence;
    std::vector<Callback> found;
    for (const YamlNode* item : isList ? value->children : std::vector{value}) {
        const std::string path =
            isList ? sentence("{}[{}]", init.pathOf(callbacksKey), item->place) : init.pathOf(callbacksKey);
        if (resolved(*item).kind != NodeKind::Mapping)
            continue;
        const ConfigSection holder(init.document(), resolved(*item), path);
        if (const auto entry = holder.find(name))
            found.push_back({*entry, holder});
    }
    return found;
}

std::optional<ConfigSection> lastWithMicroBatch(const ConfigSection& init, std::string_view name)
{
    std::optional<ConfigSection> last;
    for (const Callback& callback : callbacksNamed(init, name)) {
        const auto flags = callback.holder.section(name);
        if (flags && flags->find(flagKey))
            last = flags;
    }
    return last;
}

/// Returns the flags with the micro-batch size that applies to \p phase; nothing if it is not set.
std::optional<ConfigSection> flagsWithMicroBatch(const ConfigSection& init, model::Phase phase)
{
    const auto scoped = lastWithMicroBatch(init, scopedFlags(phase));
    return scoped ? scoped : lastWithMicroBatch(init, globalFlags);
}

SplicedText withFlagInserted(const ConfigSection& init, std::string_view callback,
                             std::int64_t microBatchSize)
{
    const YamlDocument& document = init.document();
    const std::string size = std::to_string(microBatchSize);
    const std::string flags = flowMapping(flagKey, size);
    const auto result = [&](const YamlEdit& edit, const YamlNode& changed, std::string_view key) {
        SplicedText spliced = splicedText(applied(document, edit), aliasNotes(document, changed, key));
        spliced.notes.push_back(sentence("The flag {} was added to {}.", flagKey, callback));
        return spliced;
    };

    const std::vector<Callback> existing = callbacksNamed(init, callback);
    if (!existing.empty()) {
        const YamlNode& value = *existing.back().entry.target;
        if (value.kind == NodeKind::Mapping)
            return spliceEntry(*existing.back().holder.section(callback), flagKey, size, {});
        if (isNull(value))
            return result(replaceValue(document, *existing.back().entry.value, flags), value, callback);
    }

    const auto callbacks = init.find(callbacksKey);
    const std::string item = flowMapping(callback, flags);
    if (!callbacks) {
        const YamlEdit edit =
            insertEntry(document, init.mapping(), std::string(callbacksKey), "[" + item + "]");
        return result(edit, init.mapping(), callbacksKey);
    }
    const YamlNode& value = *callbacks->target;
    if (value.kind == NodeKind::Mapping)
        return result(insertEntry(document, value, std::string(callback), flags), value, callback);
    if (value.kind == NodeKind::Sequence) {
        const std::string blockItem = std::string(callback) + ": " + flags;
        return result(insertItem(document, value, value.flow ? item : blockItem), value, callback);
    }
    return result(replaceValue(document, *callbacks->value, "[" + item + "]"), *callbacks->value,
                  callbacksKey);
}

/// Returns the text with that size for \p phase, with as few changed bytes as possible.
SplicedText withFlag(const ConfigSection& init, model::Phase phase, std::int64_t microBatchSize)
{
    const auto flags = flagsWithMicroBatch(init, phase);
    if (!flags)
        return withFlagInserted(init, scopedFlags(phase), microBatchSize);
    SplicedText spliced = spliceEntry(*flags, flagKey, std::to_string(microBatchSize), {});
    if (!lastWithMicroBatch(init, scopedFlags(phase))) {
        spliced.notes.emplace_back(
            "The size stands in GlobalFlags, so it acts on training and evaluation alike.");
    }
    return spliced;
}

/// Returns a data loader, or the first of a list of them.
std::optional<ConfigSection> firstLoader(const ConfigSection& section, std::string_view key)
{
    const YamlNode* value = section.value(key);
    if (!value || value->kind != NodeKind::Sequence)
        return section.section(key);
    if (value->children.empty() || resolved(*value->children.front()).kind != NodeKind::Mapping)
        return std::nullopt;
    return ConfigSection(section.document(), resolved(*value->children.front()), section.pathOf(key) + "[0]");
}

/// Returns the mapping under "trainer" if it is one of Cerebras: configs of other programs have a trainer
/// too.
std::optional<ConfigSection> trainerOf(const ConfigSection& holder, const std::string& path)
{
    if (!holder.hasSection("trainer"))
        return std::nullopt;
    const ConfigSection trainer(holder.document(), *holder.value("trainer"), path);
    return trainer.hasSection("init") ? std::optional(trainer) : std::nullopt;
}

/// Returns the learning rate. Schedulers override the rate of the optimizer. A constant rate is a single
/// ConstantLR, which the converter from the older layout writes (trainer/utils.py of ModelZoo 2.10.0).
std::optional<double> trainerLearningRate(const ConfigSection& init, const std::string& optimizer,
                                          std::vector<Warning>& warnings)
{
    constexpr std::string_view key = "schedulers";
    if (!init.has(key)) {
        const auto rate = readLearningRate(init, "optimizer." + optimizer + ".learning_rate", warnings);
        return rate ? rate : readLearningRate(init, "optimizer." + optimizer + ".lr", warnings);
    }
    const YamlNode& list = *init.value(key);
    if (list.kind != NodeKind::Sequence || list.children.size() != 1)
        return std::nullopt;
    const YamlNode& only = resolved(*list.children.front());
    if (only.kind != NodeKind::Mapping)
        return std::nullopt;
    return readLearningRate(ConfigSection(init.document(), only, init.pathOf(key)),
                            "ConstantLR.learning_rate", warnings);
}

/// The first of the document's trainers. A document may contain a list of trainers that run one after the
/// other (unpack_trainer in ModelZoo 2.10.0, trainer/validate.py); only the first is read and written.
struct Trainer
{
    ConfigSection section;
    bool isFirstOfSeveral = false;

    ConfigSection init() const { return *section.section("init"); }
};

std::optional<Trainer> findTrainer(const ConfigText& text)
{
    const auto root = text.root();
    if (!root)
        return std::nullopt;
    if (const auto trainer = trainerOf(*root, "trainer"))
        return Trainer{.section = *trainer};
    const YamlNode* list = root->value("trainer");
    if (!list || list->kind != NodeKind::Sequence || list->children.empty())
        return std::nullopt;
    const YamlNode& first = resolved(*list->children.front());
    if (first.kind != NodeKind::Mapping)
        return std::nullopt;
    const auto trainer =
        trainerOf(ConfigSection(root->document(), first, "trainer[0]"), "trainer[0].trainer");
    return trainer ? std::optional(Trainer{*trainer, list->children.size() > 1}) : std::nullopt;
}

std::optional<ConfigSection> dataLoader(const ConfigSection& trainer, model::Phase phase)
{
    const ConfigSection fit = trainer.sectionAt("fit");
    if (phase == model::Phase::Train)
        return firstLoader(fit, "train_dataloader");
    if (auto loader = firstLoader(fit, "val_dataloader"))
        return loader;
    if (auto loader = firstLoader(trainer.sectionAt("validate"), "val_dataloader"))
        return loader;
    return firstLoader(trainer.sectionAt("validate_all"), "val_dataloaders");
}

std::int64_t devicesOf(const Trainer& trainer)
{
    return readDevices(trainer.init().sectionAt("backend.cluster_config"));
}

std::optional<BatchPlan> readPlan(const Trainer& trainer, model::Phase phase, std::vector<Warning>& warnings)
{
    const auto loader = dataLoader(trainer.section, phase);
    if (!loader)
        return std::nullopt;
    BatchPlan plan{.devices = devicesOf(trainer), .microBatchKey = std::string(flagKey)};
    plan.globalBatchSize = readGlobalBatchSize(*loader, plan.devices);
    TextPosition position = loader->positionOf("batch_size");
    if (const auto flags = flagsWithMicroBatch(trainer.init(), phase)) {
        plan.setting = readSetting(*flags, flagKey, plan.globalBatchSize, warnings);
        position = flags->positionOf(flagKey);
    }
    warnOfUnevenDivision(plan, position, warnings);
    // The converter from the older layout removes it: TRAINER_POST_CONVERSION_PRUNE_LIST in ModelZoo 2.10.0,
    // trainer/utils.py.
    if (loader->find("micro_batch_size")) {
        warn(warnings, loader->positionOf("micro_batch_size"),
             "{} has no effect in this layout; the flag {} of a callback stands for it.",
             loader->pathOf("micro_batch_size"), flagKey);
    }
    return plan;
}

constexpr PlaceKeys initKeys{.network = "model",
                             .devices = "backend.cluster_config.num_csx",
                             .precision = "precision.enabled precision.fp16_type",
                             .gradientNorm = "precision.max_gradient_norm"};

/// Reads the batches of both phases, each from its own data loader and flags, and the first length that a
/// loader sets (readCerebrasLengths).
void noteBatches(const Trainer& trainer, ConfigContents& contents)
{
    for (model::Phase phase : {model::Phase::Train, model::Phase::Eval}) {
        const bool isTrain = phase == model::Phase::Train;
        BatchPlaces& batch = isTrain ? contents.places.train : contents.places.eval;
        if (const auto loader = dataLoader(trainer.section, phase))
            batch.globalBatch = loader->placeOf("batch_size");
        // Null counts as a size too.
        if (const auto flags = flagsWithMicroBatch(trainer.init(), phase))
            batch.microBatch = flags->writtenPlaceOf(flagKey);
    }
    for (const char* key : {"max_sequence_length", "src_max_sequence_length"}) {
        for (model::Phase phase : {model::Phase::Train, model::Phase::Eval}) {
            if (const auto loader = dataLoader(trainer.section, phase))
                notePlaces(*loader, {.sequenceLength = key}, contents);
        }
    }
}

void readRunInto(const ConfigSection& init, ConfigContents& contents)
{
    if (const auto precision = init.section("precision")) {
        contents.precision = readCerebrasPrecision(*precision, "enabled", true, contents.warnings);
        contents.step.maxGradientNorm = readGradientNorm(*precision, "max_gradient_norm", 0.0);
    }
    if (const auto optimizer = init.section("optimizer"); optimizer && !optimizer->keys().empty()) {
        const std::string name(optimizer->keys().front());
        contents.optimizer =
            readOptimizer(name, {}, init.positionOf("optimizer"), contents.warnings, cerebrasLion);
        checkCerebrasOptimizer(contents.optimizer, optimizer->sectionAt(name));
        readOptimizerArguments(optimizer->sectionAt(name), contents);
        contents.places.optimizer = optimizer->writtenPlaceOf(name);
        contents.training.learningRate = trainerLearningRate(init, name, contents.warnings);
    }
    warnOfSparsity(init, contents.warnings);
}

bool fits(const ConfigText& text)
{
    return findTrainer(text).has_value();
}

ConfigContents read(const ConfigText& text)
{
    const Trainer trainer = *findTrainer(text);
    const ConfigSection init = trainer.init();
    const TextPosition position = init.document().positionOf(trainer.section.mapping());
    ConfigContents contents;
    if (trainer.isFirstOfSeveral) {
        warn(contents.warnings, position,
             "The config lists several trainers; the first is read and written.");
    }
    contents.train = readPlan(trainer, model::Phase::Train, contents.warnings);
    contents.eval = readPlan(trainer, model::Phase::Eval, contents.warnings);
    if (!contents.train && !contents.eval) {
        throw errorAt(position,
                      "The config has neither {} nor {}; add the one that is to run, with its batch_size.",
                      trainer.section.pathOf("fit.train_dataloader"),
                      trainer.section.pathOf("validate.val_dataloader"));
    }
    readCerebrasNetwork(init.section("model"), contents);
    for (const Callback& callback : callbacksNamed(init, "Lora")) {
        if (const auto adapters = callback.holder.section("Lora"))
            readCerebrasAdapters(*adapters, contents);
    }
    std::vector<ConfigSection> inputs;
    for (model::Phase phase : {model::Phase::Train, model::Phase::Eval}) {
        if (const auto loader = dataLoader(trainer.section, phase))
            inputs.push_back(*loader);
    }
    readCerebrasLengths(inputs, contents);
    readRunInto(init, contents);
    notePlaces(init, initKeys, contents);
    noteBatches(trainer, contents);
    return contents;
}

/// Returns the text with a size that fits its batch.
SplicedText withSize(const ConfigText& text, const ChosenSize& chosen)
{
    const Trainer trainer = *findTrainer(text);
    const std::int64_t devices = devicesOf(trainer);
    const BatchPlan plan{.globalBatchSize =
                             readGlobalBatchSize(*dataLoader(trainer.section, chosen.phase), devices),
                         .devices = devices};
    SplicedText spliced = withFlag(trainer.init(), chosen.phase, chosen.microBatchSize);
    noteStrictRule(plan, chosen.microBatchSize, spliced.notes);
    if (trainer.isFirstOfSeveral)
        spliced.notes.emplace_back("The size was written into the first of several trainers.");
    return spliced;
}

SplicedText splice(const ConfigText& text, const ChosenSize& chosen)
{
    constexpr std::string_view batchKey = GlobalKeys().batchSize;
    const Trainer trainer = *findTrainer(text);
    const auto loader = dataLoader(trainer.section, chosen.phase);
    if (!loader) {
        throw errorAt({}, "The config has no data loader for {} to write a size for; choose the other phase.",
                      chosen.phase == model::Phase::Train ? "training" : "evaluation");
    }
    const std::int64_t devices = devicesOf(trainer);
    checkChosenSize({.globalBatchSize = readGlobalBatchSize(*loader, devices), .devices = devices}, chosen,
                    loader->positionOf(batchKey));
    if (!chosen.globalBatchSize)
        return withSize(text, chosen);
    const SplicedText batch = spliceEntry(*loader, batchKey, std::to_string(*chosen.globalBatchSize), {});
    SplicedText size = withSize(ConfigText(batch.document), chosen);
    size.notes.insert(size.notes.begin(), batch.notes.begin(), batch.notes.end());
    return size;
}

} // namespace

constinit const Format cerebrasTrainerFormat{
    .name = "Cerebras Trainer",
    .mark = "trainer.init",
    .neededKeys = "trainer.init",
    .defaultKeys = "trainer trainer.init trainer.fit trainer.validate",
    .rules = {.spreadsUnevenBatches = true, .refusesBatchNormalization = true},
    .fits = fits,
    .read = read,
    .splice = splice};

} // namespace batchpeak::config
