// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "nemo_format.h"

#include "cerebras/cerebras_run.h"
#include "learning_rate.h"
#include "nemo_settings.h"
#include "networks/megatron_model.h"

#include <algorithm>
#include <array>

namespace batchpeak::config {

namespace {

constexpr std::string_view microKey = "micro_batch_size";
constexpr std::string_view globalKey = "global_batch_size";
constexpr std::string_view rampKey = "rampup_batch_size";

template<std::size_t Size>
bool isOneOf(const std::string& word, const std::array<std::string_view, Size>& words)
{
    return std::ranges::find(words, word) != words.end();
}

UnsupportedModel otherNetwork(const std::string& what, TextPosition position)
{
    return {.sentence = what + " cannot be run here. Its batch sizes can be read and written all the same.",
            .position = position,
            .isElsewhere = true};
}

/// A name that NeMo's examples give to networks of other kinds (examples/*/conf/megatron_*.yaml of
/// NeMo 1.23).
bool isOtherKind(const std::string& name)
{
    constexpr std::array<std::string_view, 13> kinds{
        "megatron_t5",    "megatron_bart",   "megatron_ul2", "megatron_retro", "megatron_clip",
        "megatron_vit",   "megatron_nsfw",   "megatron_nmt", "megatron_mamba", "megatron_griffin",
        "megatron_gemma", "megatron_falcon", "megatron_mt5"};
    return std::ranges::any_of(kinds, [&](std::string_view kind) { return name.starts_with(kind); });
}

} // namespace

NemoFormat::NemoFormat(std::shared_ptr<const YamlDocument> document)
    : m_document(std::move(document)), m_root(*m_document, m_document->root(), {}, Dialect::OmegaConf)
{}

FormatEntry NemoFormat::entry()
{
    return {.name = "NeMo",
            .mark = "trainer, and model.micro_batch_size or model.global_batch_size",
            .usualKeys = {"trainer", "model.micro_batch_size", "model.global_batch_size",
                          "model.tensor_model_parallel_size", "exp_manager"},
            .recognise = [](const std::shared_ptr<const ConfigText>& text) -> std::unique_ptr<ConfigFormat> {
                const auto root = text->root(Dialect::OmegaConf);
                if (!root || !root->hasSection("model") || !root->hasSection("trainer"))
                    return nullptr;
                const ConfigSection model = *root->section("model");
                const bool fits = model.find(microKey) || model.find(globalKey);
                return fits ? std::unique_ptr<ConfigFormat>(new NemoFormat(text->document())) : nullptr;
            }};
}

ConfigContents NemoFormat::read() const
{
    ConfigContents contents{.formatName = std::string(name())};
    const BatchPlan plan = readPlan();
    contents.train = plan;
    contents.eval = plan;
    warnOfMegatronBatch(plan, parallelism(), readBatch().position, contents.warnings);
    contents.model = readNetwork(contents.warnings);
    readRunInto(contents);
    return contents;
}

ConfigSection NemoFormat::modelSection() const
{
    return *m_root.section("model");
}

/// trainer.devices * trainer.num_nodes, as Lightning reads them: -1 and "auto" are those of the machine, and
/// a list or "0,1" names them (lightning/pytorch/trainer/connectors/accelerator_connector.py and
/// lightning/fabric/utilities/device_parser.py of Lightning 2.4).
std::optional<std::int64_t> NemoFormat::readWorld() const
{
    const ConfigSection trainer = *m_root.section("trainer");
    const std::int64_t nodes = trainer.integer("num_nodes").value_or(1);
    if (!trainer.has("devices"))
        return std::nullopt;
    const YamlNode& value = trainer.find("devices")->resolvedValue();
    std::int64_t devices = asInteger(value).value;
    if (value.kind == NodeKind::Sequence)
        devices = static_cast<std::int64_t>(value.children.size());
    else if (asInteger(value).problem != IntegerProblem::None && value.value.find(',') != std::string::npos)
        devices = std::ranges::count(value.value, ',') + (value.value.ends_with(',') ? 0 : 1);
    constexpr std::int64_t most = std::int64_t{1} << 20;
    if (devices < 1 || devices > most || nodes < 1 || nodes > most)
        return std::nullopt;
    return devices * nodes;
}

MegatronParallelism NemoFormat::parallelism() const
{
    return readParallelism(NemoSettings(modelSection()), readWorld(),
                           m_root.section("trainer")->positionOf("devices"));
}

MegatronBatch NemoFormat::readBatch() const
{
    const ConfigSection model = modelSection();
    return {.micro = model.integer(microKey),
            .global = model.integer(globalKey),
            .microKey = model.pathOf(microKey),
            .globalKey = model.pathOf(globalKey),
            .position = model.positionOf(model.find(microKey) ? microKey : globalKey)};
}

BatchPlan NemoFormat::readPlan() const
{
    return megatronPlan(readBatch(), parallelism());
}

std::variant<model::ModelSpec, UnsupportedModel> NemoFormat::readNetwork(std::vector<Warning>& warnings) const
{
    const ConfigSection model = modelSection();
    const auto peft = model.has("peft") ? model.section("peft") : std::nullopt;
    const std::string scheme = peft ? peft->text("peft_scheme").value_or("none") : "none";
    if (scheme != "none") {
        return UnsupportedModel{
            "The run trains an adapter (" + peft->pathOf("peft_scheme") + " " + scheme +
                "), and trials train all parameters, so that they would measure another run.",
            peft->positionOf("peft_scheme")};
    }
    if (auto parts = networkInParts(parallelism()))
        return *parts;
    // The layers' own name: get_specs in megatron_gpt_model.py of NeMo 2.0.
    constexpr std::array<std::string_view, 4> usualLayers{"", "te_gpt", "megatron_gpt_full_te_layer_autocast",
                                                          "modelopt"};
    const std::string layers = model.text("name").value_or("");
    if (!isOneOf(layers, usualLayers))
        return otherNetwork("The network \"" + layers + "\"", model.positionOf("name"));
    const auto entry = m_root.find("name");
    const std::string runName =
        entry && entry->resolvedValue().kind == NodeKind::Scalar ? entry->resolvedValue().value : "";
    if (isOtherKind(runName))
        return otherNetwork("The network of \"" + runName + "\"", m_root.positionOf("name"));
    for (const char* key : {"encoder", "decoder", "vision", "mm_cfg"}) {
        if (model.hasSection(key))
            return otherNetwork("A network with the section " + model.pathOf(key), model.positionOf(key));
    }
    const MegatronKind kind = model.has("bert_binary_head") ? MegatronKind::Encoder : MegatronKind::Decoder;
    return readMegatronModel(NemoSettings(model), kind, warnings);
}

void NemoFormat::readRunInto(ConfigContents& contents) const
{
    const ConfigSection model = modelSection();
    contents.precision = readPrecision(contents.warnings);
    readMegatronRun(NemoSettings(model), contents);
    // None where nothing is said: Trainer of Lightning 2.4, which does not clip then.
    contents.step.maxGradientNorm = m_root.section("trainer")->number("gradient_clip_val").value_or(0.0);
    if (!(contents.step.maxGradientNorm >= 0))
        m_root.section("trainer")->fail("gradient_clip_val", "must be at least 0, as in 1.0");
    const auto optim = model.section("optim");
    if (const auto optimizer = optim ? optim->text("name") : std::nullopt) {
        // All of them decouple the weight decay: nemo/core/optim/optimizers.py of NeMo 2.0.
        constexpr std::array<std::string_view, 6> adamW{
            "fused_adam", "adamw", "distributed_fused_adam", "megatron_fused_adam", "mcore_distributed_optim",
            "adam"};
        contents.optimizer = config::readOptimizer(isOneOf(*optimizer, adamW) ? "AdamW" : *optimizer,
                                                   optim->positionOf("name"), contents.warnings);
        if (optimizer->find("distributed") != std::string::npos) {
            contents.warnings.push_back(
                {"The run spreads the optimizer's state over its devices, and trials hold all "
                 "of it on one, so that the run may have memory for larger sizes.",
                 optim->positionOf("name")});
        }
    }
    contents.training.learningRate = readLearningRate(model, "optim.lr");
    warnOfTrainer(contents.warnings);
}

/// Parameters in half precision with O2, else autocast: __init__ of MegatronBaseModel in NeMo 2.0, where the
/// model's own precision comes before that of the trainer.
model::Precision NemoFormat::readPrecision(std::vector<Warning>& warnings) const
{
    const ConfigSection model = modelSection();
    const ConfigSection section = model.has("precision") ? model : *m_root.section("trainer");
    const std::string word = section.text("precision").value_or("32");
    constexpr std::array<std::string_view, 4> full{"32", "32-true", "64", "64-true"};
    if (isOneOf(word, full))
        return model::Precision::Fp32;
    const bool isFp16 = word.starts_with("16");
    if (!isFp16 && !word.starts_with("bf16"))
        section.fail("precision", "is \"" + word + "\"; write bf16, 16 or 32");
    const bool isWhole = model.boolean("megatron_amp_O2").value_or(false) || word.ends_with("-true");
    // With O2, gradients of bfloat16 are added up in fp32: configure_optimizers of MegatronBaseModel.
    const model::Precision half = halfPrecision(isFp16, isWhole, section.positionOf("precision"), warnings);
    return isWhole ? half : model::Precision::Bf16;
}

void NemoFormat::warnOfTrainer(std::vector<Warning>& warnings) const
{
    const ConfigSection trainer = *m_root.section("trainer");
    if (trainer.integer("accumulate_grad_batches").value_or(1) != 1) {
        warnings.push_back({"NeMo accumulates by model.global_batch_size, and refuses a "
                            "trainer.accumulate_grad_batches above 1; write 1.",
                            trainer.positionOf("accumulate_grad_batches")});
    }
    const ConfigSection model = modelSection();
    if (model.has(rampKey)) {
        warnings.push_back({"The batch grows to model.global_batch_size step by step (" +
                                model.pathOf(rampKey) + "); the plan is that of its end.",
                            model.positionOf(rampKey)});
    }
    const auto data = model.hasSection("data") ? model.section("data") : std::nullopt;
    for (const char* key : {"train_ds", "validation_ds"}) {
        const auto dataset = data && data->hasSection(key) ? data->section(key) : std::nullopt;
        const auto own = dataset ? dataset->integer(microKey) : std::nullopt;
        if (own && own != model.integer(microKey)) {
            warnings.push_back(
                {dataset->pathOf(microKey) + " is " + std::to_string(*own) +
                     ", another size than model.micro_batch_size, which is the one read and written here.",
                 dataset->positionOf(microKey)});
        }
    }
}

SplicedText NemoFormat::splice(const ChosenSize& chosen) const
{
    const ConfigSection model = modelSection();
    const BatchPlan plan = readPlan();
    const WholeBatch batch = wholeBatch(plan, chosen, plan.globalBatchKey, model.positionOf(globalKey));
    const std::vector<EntryChange> micro{{.section = {"model"},
                                          .key = std::string(microKey),
                                          .value = std::to_string(chosen.microBatchSize),
                                          .below = std::string(globalKey)}};
    SplicedText spliced = withEntries(*m_document, m_root.dialect(), micro);
    const NemoFormat changed(std::make_shared<const YamlDocument>(spliced.text));
    // Where it is the same already it stays as it is written, as an interpolation.
    if (changed.readPlan().globalBatchSize != batch.globalBatchSize) {
        std::vector<EntryChange> both = micro;
        both.push_back({.section = {"model"},
                        .key = std::string(globalKey),
                        .value = std::to_string(batch.globalBatchSize),
                        .below = std::string(microKey)});
        spliced = withEntries(*m_document, m_root.dialect(), both);
    }
    noteConstraints(chosen, spliced.notes);
    return spliced;
}

void NemoFormat::noteConstraints(const ChosenSize& chosen, std::vector<std::string>& notes) const
{
    const ConfigSection model = modelSection();
    const BatchPlan plan = readPlan();
    notes.push_back(plan.microBatchKey + " serves training and validation both.");
    if (!plan.knowsDevices) {
        notes.push_back("How many data-parallel devices there are is not known from the config; " +
                        plan.globalBatchKey + " has to be a multiple of the size times their number.");
    }
    const auto ramp = model.has(rampKey) ? model.integers(rampKey) : std::nullopt;
    if (ramp && ramp->size() >= 2)
        notes.push_back(
            rampNote(model.pathOf(rampKey), ramp->at(0), ramp->at(1), chosen.microBatchSize * plan.devices));
}

} // namespace batchpeak::config
