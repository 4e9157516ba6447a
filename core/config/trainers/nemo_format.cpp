// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch_schemes.h"
#include "format.h"
#include "megatron_run.h"
#include "networks/network_readers.h"
#include "run_reader.h"
#include "syntax/words.h"
#include "syntax/yaml_scalar.h"
#include "unmodeled_features.h"

#include <algorithm>

namespace batchpeak::config {

/// The configs of NeMo 1 and of its Megatron models in NeMo 2.0: a model section with micro_batch_size and
/// global_batch_size, and the trainer of Lightning.
///
/// One micro_batch_size is used for training and validation (fwd_bwd_step in megatron_gpt_model.py of NeMo
/// 2.0), so both phases have the same plan. The recipes of NeMo 2, which are Python, are not read.
namespace {

constexpr std::string_view microKey = "micro_batch_size";
constexpr std::string_view globalKey = "global_batch_size";
constexpr std::string_view rampKey = "rampup_batch_size";

constexpr RunKeys runKeys{
    .optimizer = "model.optim.name",
    // All of them decouple the weight decay: nemo/core/optim/optimizers.py of NeMo 2.0.
    .adamW = "fused_adam adamw distributed_fused_adam megatron_fused_adam mcore_distributed_optim adam",
    .optimizerArguments = "model.optim",
    // The default is None: Trainer of Lightning 2.4, which does not clip then.
    .gradientNorm = "trainer.gradient_clip_val",
    .learningRate = "model.optim.lr"};

/// Both phases use the same two sizes.
constexpr PlaceKeys placeKeys{.network = "model.num_layers model",
                              .globalBatch = "model.global_batch_size",
                              .microBatch = "model.micro_batch_size",
                              .evalGlobalBatch = "model.global_batch_size",
                              .evalMicroBatch = "model.micro_batch_size",
                              .devices = "trainer.devices",
                              .sequenceLength = "model.encoder_seq_length",
                              .precision = "model.precision trainer.precision",
                              .checkpointing = "model.activations_checkpoint_granularity"};

/// The model section. Its keys are the names of the settings that readMegatronModel() reads.
class ModelSection : public ConfigSection
{
public:
    explicit ModelSection(const ConfigSection& root) : ConfigSection(*root.section("model")) {}

    std::optional<std::string> text(std::string_view key) const override
    {
        if (key.starts_with("tokenizer_"))
            return tokenizer(key);
        // A list contains one setting for each layer.
        const YamlNode* there = value(key);
        if (there && there->kind != NodeKind::Scalar)
            return "a list";
        return ConfigSection::text(key);
    }

    TextPosition positionOf(std::string_view key) const override
    {
        return ConfigSection::positionOf(key.starts_with("tokenizer_") ? "tokenizer" : key);
    }

private:
    /// Returns a setting of the tokenizer. With the library megatron the type is the tokenizer; with the
    /// library huggingface it is the network: get_nmt_tokenizer in
    /// nemo/collections/nlp/modules/common/tokenizer_utils.py of NeMo 2.0.
    std::optional<std::string> tokenizer(std::string_view key) const
    {
        const auto section = ConfigSection::section("tokenizer");
        if (!section)
            return "that the config does not name";
        const std::string library = section->text("library").value_or("");
        if (key == "tokenizer_type")
            return library == "megatron" ? section->text("type")
                                         : std::optional(sentence("of the library \"{}\"", library));
        return library == "huggingface" ? section->text("type") : std::nullopt;
    }
};

/// Whether NeMo's examples give the name to networks of other kinds (examples/*/conf/megatron_*.yaml of NeMo
/// 1.23).
bool isOtherKind(std::string_view name)
{
    const auto kinds = splitWords(
        "megatron_t5 megatron_bart megatron_ul2 megatron_retro megatron_clip megatron_vit megatron_nsfw "
        "megatron_nmt megatron_mamba megatron_griffin megatron_gemma megatron_falcon megatron_mt5");
    return std::ranges::any_of(kinds, [&](std::string_view kind) { return name.starts_with(kind); });
}

/// Returns trainer.devices * trainer.num_nodes, as Lightning reads them: -1 and "auto" mean all devices of
/// the machine, and a list or "0,1" names devices
/// (lightning/pytorch/trainer/connectors/accelerator_connector.py and
/// lightning/fabric/utilities/device_parser.py of Lightning 2.4).
std::optional<std::int64_t> readWorld(const ConfigSection& trainer)
{
    const std::int64_t nodes = trainer.integer("num_nodes").value_or(1);
    const YamlNode* value = trainer.value("devices");
    if (!value)
        return std::nullopt;
    std::int64_t devices = asInteger(*value).value_or(0);
    if (value->kind == NodeKind::Sequence)
        devices = static_cast<std::int64_t>(value->children.size());
    else if (!asInteger(*value) && value->value.find(',') != std::string::npos)
        devices = std::ranges::count(value->value, ',') + (value->value.ends_with(',') ? 0 : 1);
    return worldOf(devices, nodes);
}

MegatronParallelism parallelismOf(const ConfigSection& root)
{
    const ConfigSection trainer = *root.section("trainer");
    return readParallelism(ModelSection(root), readWorld(trainer), trainer.positionOf("devices"));
}

MegatronBatch readBatch(const ConfigSection& model)
{
    return {.micro = model.integer(microKey),
            .global = model.integer(globalKey),
            .microKey = model.pathOf(microKey),
            .globalKey = model.pathOf(globalKey),
            .position = model.positionOf(model.find(microKey) ? microKey : globalKey)};
}

BatchPlan readPlan(const ConfigSection& root)
{
    return megatronPlan(readBatch(ModelSection(root)), parallelismOf(root));
}

/// Returns the scheme of the adapters. A scheme that trials do not support is refused before the network is
/// read.
std::string readScheme(const ConfigSection& peft)
{
    std::string scheme = peft.text("peft_scheme").value_or("none");
    if (scheme != "none" && scheme != "lora")
        refuseAdapter(peft.positionOf("peft_scheme"), scheme);
    return scheme;
}

/// Returns the projections of a module as get_target_modules and LoraPEFTConfig in
/// nemo/collections/nlp/parts/peft_config.py of NeMo 2.0 have them: one adapter for all outputs of a product,
/// or one for each part of it.
std::vector<model::Projection> projectionsOf(std::string_view module, bool isGated, bool isCanonical)
{
    using enum model::Projection;
    std::vector<model::Projection> found;
    const bool isAll = module == "all";
    if (isAll || module == "attention" || module == "attention_qkv")
        found = isCanonical ? std::vector{Query, Key, Value} : std::vector{QueryKeyValue};
    if (isAll || module == "attention" || module == "attention_dense")
        found.push_back(AttentionOutput);
    if (isAll || module == "mlp" || module == "mlp_fc1") {
        if (isGated && !isCanonical)
            found.push_back(GateUp);
        if (isGated && isCanonical)
            found.push_back(Gate);
        if (!isGated || isCanonical)
            found.push_back(Up);
    }
    if (isAll || module == "mlp" || module == "mlp_fc2")
        found.push_back(Down);
    return found;
}

std::vector<model::AdapterTarget> targetsOf(const ConfigSection& lora, bool isGated)
{
    constexpr std::string_view key = "target_modules";
    const bool isCanonical = lora.text("variant").value_or("nemo") == "canonical";
    // Counted from 1: "[1,12] will add lora to layer 1 (lowest) and 12" in NeMo's examples.
    std::vector<std::int64_t> layers = lora.integers("layer_selection").value_or(std::vector<std::int64_t>());
    for (std::int64_t& layer : layers) {
        if (layer < 1)
            lora.fail("layer_selection", "has {}, but layers are counted from 1", layer);
        --layer;
    }
    std::vector<model::AdapterTarget> targets;
    for (const std::string& module : lora.words(key).value_or(std::vector<std::string>{"attention_qkv"})) {
        const auto projections = projectionsOf(module, isGated, isCanonical);
        if (projections.empty())
            lora.fail(key,
                      "has \"{}\"; write attention_qkv, attention_dense, mlp_fc1 and mlp_fc2, attention, mlp "
                      "or all",
                      module);
        for (model::Projection projection : projections) {
            const model::AdapterTarget target{.projection = projection, .layers = layers};
            if (std::ranges::find(targets, target) == targets.end())
                targets.push_back(target);
        }
    }
    return targets;
}

/// \throws NotRun if trials do not support such adapters
model::Tuning readTuning(const ConfigSection& peft, const model::ModelSpec& network)
{
    if (readScheme(peft) == "none")
        return {};
    const ConfigSection lora = peft.sectionAt("lora_tuning");
    const auto* decoder = std::get_if<model::DecoderSpec>(&network.architecture);
    if (!decoder || model::hasExperts(*decoder))
        refuseAdapter(peft.positionOf("peft_scheme"), "lora");
    if (lora.isOn("weight_tying"))
        refuseNetwork(lora, "weight_tying", "adapters that its layers share");
    // LoraPEFTConfig has a default only for alpha; 32 and 0.0 are the values in NeMo's examples
    // (examples/nlp/language_modeling/tuning/conf/megatron_gpt_finetuning_config.yaml).
    const std::int64_t rank = sizeOr(lora, "adapter_dim", 32);
    return {.adapter = model::AdapterKind::Lora,
            .rank = rank,
            .alpha = lora.number("alpha").value_or(static_cast<double>(rank)),
            .dropout = dropoutRateOr(lora, "adapter_dropout", 0.0),
            .targets = targetsOf(lora, model::isGated(decoder->activation))};
}

model::ModelSpec readNetwork(const ConfigSection& root, ConfigContents& contents)
{
    const ModelSection model(root);
    const ConfigSection peft = model.sectionAt("peft");
    readScheme(peft);
    refuseNetworkInParts(parallelismOf(root));
    // Name of the layers: get_specs in megatron_gpt_model.py of NeMo 2.0.
    const std::string layers = model.text("name").value_or("");
    if (!layers.empty() && !isAmong(layers, "te_gpt megatron_gpt_full_te_layer_autocast modelopt"))
        throw networkElsewhere(model.positionOf("name"), cannotBeRun, sentence("the network \"{}\"", layers));
    const YamlNode* name = root.value("name");
    if (name && name->kind == NodeKind::Scalar && isOtherKind(name->value))
        throw networkElsewhere(root.positionOf("name"), cannotBeRun,
                               sentence("the network of \"{}\"", name->value));
    for (const char* key : {"encoder", "decoder", "vision", "mm_cfg"}) {
        if (model.hasSection(key))
            throw networkElsewhere(model.positionOf(key), cannotBeRun,
                                   "a network with the section " + model.pathOf(key));
    }
    const MegatronKind kind = model.has("bert_binary_head") ? MegatronKind::Encoder : MegatronKind::Decoder;
    model::ModelSpec network = readMegatronModel(model, kind, contents.warnings);
    contents.tuning = readTuning(peft, network);
    return network;
}

/// Refuses adapters of another network, since only the network in this config gives the words for modules
/// their meaning.
void refuseAdaptersOfOthers(const ConfigSection& root, ConfigContents& contents)
{
    const auto* unsupported = std::get_if<UnsupportedModel>(&contents.model);
    const ConfigSection peft = ModelSection(root).sectionAt("peft");
    if (!unsupported || !unsupported->isElsewhere || readScheme(peft) == "none")
        return;
    contents.model = networkOrError(
        [&peft]() -> model::ModelSpec { refuseAdapter(peft.positionOf("peft_scheme"), "lora"); });
}

/// Returns the precision: parameters in half precision with O2, else autocast: __init__ of MegatronBaseModel
/// in NeMo 2.0. The model's own precision overrides that of the trainer.
model::Precision readPrecision(const ConfigSection& root, std::vector<Warning>& warnings)
{
    const ModelSection model(root);
    const ConfigSection section = *root.section(model.has("precision") ? "model" : "trainer");
    const std::string word = section.text("precision").value_or("32");
    if (isAmong(word, "32 32-true 64 64-true"))
        return model::Precision::Fp32;
    const bool isFp16 = word.starts_with("16");
    if (!isFp16 && !word.starts_with("bf16"))
        section.fail("precision", "is \"{}\"; write bf16, 16 or 32", word);
    const bool isWhole = model.boolean("megatron_amp_O2").value_or(false) || word.ends_with("-true");
    // With O2, bfloat16 gradients are accumulated in fp32: configure_optimizers of MegatronBaseModel.
    const model::Precision half = halfPrecision(isFp16, isWhole, section.positionOf("precision"), warnings);
    if (isWhole)
        return half;
    return isFp16 ? model::Precision::Fp16 : model::Precision::Bf16;
}

void warnOfTrainer(const ConfigSection& root, std::vector<Warning>& warnings)
{
    const ConfigSection trainer = *root.section("trainer");
    if (trainer.integer("accumulate_grad_batches").value_or(1) != 1) {
        warn(warnings, trainer.positionOf("accumulate_grad_batches"),
             "NeMo accumulates by model.global_batch_size, and refuses a trainer.accumulate_grad_batches "
             "above 1; write 1.");
    }
    const ModelSection model(root);
    if (model.has(rampKey)) {
        warn(warnings, model.positionOf(rampKey),
             "The batch grows to model.global_batch_size step by step ({}); figures here are for its end.",
             model.pathOf(rampKey));
    }
    for (const char* key : {"train_ds", "validation_ds"}) {
        const ConfigSection dataset = model.sectionIfAny("data").sectionIfAny(key);
        const auto own = dataset.integer(microKey);
        if (own && own != model.integer(microKey)) {
            warn(warnings, dataset.positionOf(microKey),
                 "{} is {}, but model.micro_batch_size is the one that Batchpeak reads and writes.",
                 dataset.pathOf(microKey), *own);
        }
    }
}

void readRunInto(const ConfigSection& root, ConfigContents& contents)
{
    contents.precision = readPrecision(root, contents.warnings);
    readMegatronRun(ModelSection(root), contents);
    readRun(root, runKeys, contents);
    const ConfigSection optimizer = root.sectionAt("model.optim");
    if (optimizer.text("name").value_or("").find("distributed") != std::string::npos)
        readMegatronSharding(optimizer, "name", model::Sharding::Optimizer, contents);
    warnOfTrainer(root, contents.warnings);
}

void noteConstraints(const ConfigSection& root, const ChosenSize& chosen, std::vector<std::string>& notes)
{
    const ModelSection model(root);
    const BatchPlan plan = readPlan(root);
    notes.push_back(plan.microBatchKey + " serves training and validation both.");
    if (!plan.knowsDevices)
        notes.push_back(unknownDevicesNote("config", plan));
    const auto ramp = model.integers(rampKey);
    if (ramp && ramp->size() >= 2)
        notes.push_back(
            rampNote(model.pathOf(rampKey), ramp->at(0), ramp->at(1), chosen.microBatchSize * plan.devices));
}

bool fits(const ConfigText& text)
{
    const auto root = text.root(Dialect::OmegaConf);
    if (!root || !root->hasSection("trainer"))
        return false;
    const ConfigSection model = root->sectionIfAny("model");
    return model.find(microKey) || model.find(globalKey);
}

ConfigContents read(const ConfigText& text)
{
    const ConfigSection root = *text.root(Dialect::OmegaConf);
    const BatchPlan plan = readPlan(root);
    ConfigContents contents{.train = plan, .eval = plan};
    warnOfMegatronBatch(plan, parallelismOf(root), readBatch(ModelSection(root)).position, contents.warnings);
    contents.model = networkOrError([&] { return readNetwork(root, contents); });
    refuseAdaptersOfOthers(root, contents);
    readRunInto(root, contents);
    notePlaces(root, placeKeys, contents);
    return contents;
}

SplicedText splice(const ConfigText& text, const ChosenSize& chosen)
{
    const ConfigSection root = *text.root(Dialect::OmegaConf);
    constexpr GlobalKeys keys{.microBatchSize = microKey, .batchSize = globalKey};
    const BatchPlan plan = readPlan(root);
    const WholeBatch batch = wholeBatch(plan, chosen, root.section("model")->positionOf(globalKey));
    ChosenSize written{.phase = chosen.phase, .microBatchSize = chosen.microBatchSize};
    SplicedText spliced = withChanges(root, globalBatchChanges({"model"}, keys, written));
    // If the batch is already the same, it stays as it is written, as an interpolation.
    const YamlDocument changed(spliced.text);
    if (readPlan(*ConfigSection::root(changed, root.dialect())).globalBatchSize != batch.globalBatchSize) {
        written.globalBatchSize = batch.globalBatchSize;
        spliced = withChanges(root, globalBatchChanges({"model"}, keys, written));
    }
    noteConstraints(root, chosen, spliced.notes);
    return spliced;
}

} // namespace

constinit const Format nemoFormat{
    .name = "NeMo",
    .mark = "trainer, and model.micro_batch_size or model.global_batch_size",
    .neededKeys = "trainer model.micro_batch_size|model.global_batch_size",
    .defaultKeys =
        "trainer model.micro_batch_size model.global_batch_size model.tensor_model_parallel_size exp_manager",
    .fits = fits,
    .read = read,
    .splice = splice};

} // namespace batchpeak::config
