// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cerebras_trainer_format.h"

#include "batch_plan_reader.h"
#include "cerebras_flags.h"
#include "cerebras_lengths.h"
#include "cerebras_model.h"
#include "cerebras_run.h"
#include "trainers/learning_rate.h"

#include <array>
#include <utility>

namespace batchpeak::config {

namespace {

constexpr std::string_view loraCallback = "Lora";

/// A data loader, or the first of a list of them.
std::optional<ConfigSection> firstLoader(const std::optional<ConfigSection>& section, std::string_view key)
{
    if (!section || !section->has(key))
        return std::nullopt;
    const YamlNode& value = section->find(key)->resolvedValue();
    if (value.kind != NodeKind::Sequence)
        return section->section(key);
    if (value.children.empty() || resolved(*value.children.front()).kind != NodeKind::Mapping)
        return std::nullopt;
    return ConfigSection(section->document(), resolved(*value.children.front()),
                         section->pathOf(key) + "[0]");
}

/// The mapping under "trainer" if it is what Cerebras means by it: others have a trainer too.
std::optional<ConfigSection> trainerOf(const ConfigSection& holder, const std::string& path)
{
    const auto entry = holder.find("trainer");
    if (!entry || entry->resolvedValue().kind != NodeKind::Mapping)
        return std::nullopt;
    const ConfigSection trainer(holder.document(), entry->resolvedValue(), path);
    const auto init = trainer.find("init");
    if (!init || init->resolvedValue().kind != NodeKind::Mapping)
        return std::nullopt;
    return trainer;
}

/// Schedulers set the rate whatever the optimizer has; a rate that never changes is a single ConstantLR,
/// which the converter from the older layout writes (trainer/utils.py of ModelZoo 2.10.0).
std::optional<double> trainerLearningRate(const ConfigSection& init, const std::string& optimizer)
{
    constexpr std::string_view key = "schedulers";
    if (!init.has(key)) {
        const auto rate = readLearningRate(init, "optimizer." + optimizer + ".learning_rate");
        return rate ? rate : readLearningRate(init, "optimizer." + optimizer + ".lr");
    }
    const YamlNode& list = init.find(key)->resolvedValue();
    if (list.kind != NodeKind::Sequence || list.children.size() != 1)
        return std::nullopt;
    const YamlNode& only = resolved(*list.children.front());
    if (only.kind != NodeKind::Mapping)
        return std::nullopt;
    return readLearningRate(ConfigSection(init.document(), only, init.pathOf(key)),
                            "ConstantLR.learning_rate");
}

} // namespace

CerebrasTrainerFormat::CerebrasTrainerFormat(std::shared_ptr<const YamlDocument> document,
                                             ConfigSection trainer, bool isFirstOfSeveral)
    : m_document(std::move(document)),
      m_trainer(std::move(trainer)),
      m_init(*m_trainer.section("init")),
      m_isFirstOfSeveral(isFirstOfSeveral)
{}

FormatEntry CerebrasTrainerFormat::entry()
{
    return {.name = "Cerebras Trainer",
            .mark = "trainer.init",
            .usualKeys = {"trainer", "trainer.init", "trainer.fit", "trainer.validate"},
            .recognise = [](const std::shared_ptr<const ConfigText>& text) -> std::unique_ptr<ConfigFormat> {
                return text->document() ? of(text->document()) : nullptr;
            }};
}

std::unique_ptr<CerebrasTrainerFormat>
CerebrasTrainerFormat::of(const std::shared_ptr<const YamlDocument>& document)
{
    const auto root = ConfigSection::root(*document);
    if (!root)
        return nullptr;
    if (auto trainer = trainerOf(*root, "trainer"))
        return std::unique_ptr<CerebrasTrainerFormat>(new CerebrasTrainerFormat(document, *trainer, false));

    // "trainer" may be a list of configs with a trainer each: unpack_trainer in ModelZoo 2.10.0,
    // trainer/validate.py.
    const auto list = root->find("trainer");
    if (!list || list->resolvedValue().kind != NodeKind::Sequence || list->resolvedValue().children.empty())
        return nullptr;
    const auto& items = list->resolvedValue().children;
    const YamlNode& first = resolved(*items.front());
    if (first.kind != NodeKind::Mapping)
        return nullptr;
    const auto trainer = trainerOf(ConfigSection(*document, first, "trainer[0]"), "trainer[0].trainer");
    if (!trainer)
        return nullptr;
    return std::unique_ptr<CerebrasTrainerFormat>(
        new CerebrasTrainerFormat(document, *trainer, items.size() > 1));
}

ConfigContents CerebrasTrainerFormat::read() const
{
    ConfigContents contents{.formatName = std::string(name())};
    if (m_isFirstOfSeveral) {
        contents.warnings.push_back({"The config lists several trainers; the first is read and written.",
                                     m_document->positionOf(m_trainer.mapping())});
    }
    contents.train = readPlan(model::Phase::Train, contents.warnings);
    contents.eval = readPlan(model::Phase::Eval, contents.warnings);
    if (!contents.train && !contents.eval) {
        throw ConfigError("The config has neither " + m_trainer.pathOf("fit.train_dataloader") + " nor " +
                              m_trainer.pathOf("validate.val_dataloader") +
                              "; add the one that is to run, with its batch_size.",
                          m_document->positionOf(m_trainer.mapping()));
    }

    const auto modelSection = m_init.section("model");
    if (modelSection)
        contents.model = readCerebrasModel(*modelSection, contents.warnings);
    else
        contents.model = UnsupportedModel{
            .sentence =
                "The config has no model section, so there is no network to run; give one with --model.",
            .position = {},
            .isElsewhere = true};
    if (CerebrasFlags(m_init).hasCallback(loraCallback)) {
        contents.model =
            UnsupportedModel{"The config trains with LoRA, where few parameters are trained; trials here "
                             "would measure another run. Its batch sizes can be read and written all "
                             "the same.",
                             m_init.positionOf("callbacks")};
    }

    std::vector<ConfigSection> inputs;
    for (model::Phase phase : {model::Phase::Train, model::Phase::Eval}) {
        if (const auto section = dataLoader(phase))
            inputs.push_back(*section);
    }
    readLengths(inputs, contents);
    if (const auto precision = m_init.section("precision")) {
        contents.precision = readPrecision(*precision, "enabled", true, contents.warnings);
        contents.step.maxGradientNorm = readMaxGradientNorm(*precision);
    }
    readOptimizerInto(contents);
    if (m_init.has("sparsity")) {
        contents.warnings.push_back({"Trials run the network dense, without the sparsity of this config.",
                                     m_init.positionOf("sparsity")});
    }
    return contents;
}

SplicedText CerebrasTrainerFormat::splice(const ChosenSize& chosen) const
{
    const auto section = dataLoader(chosen.phase);
    if (!section) {
        throw ConfigError(std::string("The config has no data loader for ") +
                          (chosen.phase == model::Phase::Train ? "training" : "evaluation") +
                          ", so there is no place for a size of this phase; choose the other phase.");
    }
    if (chosen.globalBatchSize)
        return spliceWithBatch(*section, chosen);
    const std::int64_t batch = readGlobalBatchSize(*section, devices());
    checkMicroBatchSize(chosen.microBatchSize, batch, section->positionOf(BatchKeys().batchSize));
    SplicedText spliced = CerebrasFlags(m_init).withMicroBatchSize(chosen.phase, chosen.microBatchSize);
    noteStrictRule({.globalBatchSize = batch, .devices = devices()}, chosen.microBatchSize, spliced.notes);
    if (m_isFirstOfSeveral)
        spliced.notes.emplace_back("The size was written into the first of several trainers.");
    return spliced;
}

SplicedText CerebrasTrainerFormat::spliceWithBatch(const ConfigSection& loader,
                                                   const ChosenSize& chosen) const
{
    SplicedText batch =
        spliceEntry(loader, BatchKeys().batchSize, std::to_string(*chosen.globalBatchSize), {});
    const auto changed = of(batch.document);
    SplicedText size = changed->splice({.phase = chosen.phase, .microBatchSize = chosen.microBatchSize});
    size.notes.insert(size.notes.begin(), batch.notes.begin(), batch.notes.end());
    return size;
}

std::optional<ConfigSection> CerebrasTrainerFormat::dataLoader(model::Phase phase) const
{
    const auto fit = m_trainer.section("fit");
    if (phase == model::Phase::Train)
        return firstLoader(fit, "train_dataloader");
    if (auto loader = firstLoader(fit, "val_dataloader"))
        return loader;
    if (auto loader = firstLoader(m_trainer.section("validate"), "val_dataloader"))
        return loader;
    return firstLoader(m_trainer.section("validate_all"), "val_dataloaders");
}

std::int64_t CerebrasTrainerFormat::devices() const
{
    const auto backend = m_init.section("backend");
    return readDevices(backend ? backend->section("cluster_config") : std::nullopt);
}

std::optional<BatchPlan> CerebrasTrainerFormat::readPlan(model::Phase phase,
                                                         std::vector<Warning>& warnings) const
{
    const auto section = dataLoader(phase);
    if (!section)
        return std::nullopt;
    BatchPlan plan{.devices = devices(), .microBatchKey = std::string(CerebrasFlags::microBatchKey)};
    plan.globalBatchSize = readGlobalBatchSize(*section, plan.devices);
    TextPosition position = section->positionOf("batch_size");
    if (const auto flags = CerebrasFlags(m_init).microBatchSection(phase)) {
        plan.setting = readSetting(*flags, CerebrasFlags::microBatchKey, plan.globalBatchSize, warnings);
        position = flags->positionOf(CerebrasFlags::microBatchKey);
    }
    warnOfUnevenDivision(plan, position, warnings);
    // Pruned by the converter from the older layout: TRAINER_POST_CONVERSION_PRUNE_LIST in ModelZoo
    // 2.10.0, trainer/utils.py.
    if (section->find("micro_batch_size")) {
        warnings.push_back({section->pathOf("micro_batch_size") + " has no effect in this layout; the flag " +
                                std::string(CerebrasFlags::microBatchKey) + " of a callback stands for it.",
                            section->positionOf("micro_batch_size")});
    }
    return plan;
}

void CerebrasTrainerFormat::readOptimizerInto(ConfigContents& contents) const
{
    const auto optimizer = m_init.section("optimizer");
    if (!optimizer || optimizer->keys().empty())
        return;
    const std::string name(optimizer->keys().front());
    contents.optimizer = readOptimizer(name, m_init.positionOf("optimizer"), contents.warnings);
    contents.training.learningRate = trainerLearningRate(m_init, name);
}

} // namespace batchpeak::config
