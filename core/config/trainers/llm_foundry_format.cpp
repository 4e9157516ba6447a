// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "approximations.h"
#include "batch_schemes.h"
#include "format.h"
#include "networks/named_network.h"
#include "networks/network_readers.h"
#include "networks/peft_adapter.h"
#include "packing.h"
#include "run_reader.h"
#include "sharding.h"
#include "syntax/words.h"
#include "syntax/yaml_scalar.h"
#include "unmodeled_features.h"

#include <array>

namespace batchpeak::config {

/// A training config of MosaicML's LLM-Foundry, which Composer runs: global_train_batch_size is the batch
/// over all GPUs, device_train_microbatch_size how much of it one GPU takes at a time.
///
/// The launcher decides how many GPUs there are, so the plan is that of one GPU that takes the whole batch. A
/// batch need not be a whole multiple of the micro-batch (calculate_batch_size_info in
/// llmfoundry/utils/config_utils.py of LLM-Foundry 0.22), so every size keeps it.
///
/// Defaults are those of TrainConfig in llmfoundry/utils/config_utils.py of LLM-Foundry 0.22.
namespace {

constexpr std::string_view globalKey = "global_train_batch_size";
constexpr std::string_view microKey = "device_train_microbatch_size";
constexpr std::string_view evalKey = "device_eval_batch_size";
constexpr GlobalKeys keys{.microBatchSize = microKey, .batchSize = globalKey};

constexpr RunKeys runKeys{.optimizer = "optimizer.name",
                          // It keeps two moments per parameter, as AdamW does: DecoupledAdamW in
                          // composer/optim/decoupled_weight_decay.py.
                          .adamW = "decoupled_adamw",
                          .decoupledAdamW = "decoupled_adamw",
                          // step_update of DecoupledLionW in llmfoundry/optim/lion.py runs operation by
                          // operation.
                          .unfusedLion = "decoupled_lionw",
                          .optimizerArguments = "optimizer",
                          .learningRate = "optimizer.lr",
                          .checkpointing = "fsdp_config.activation_checkpointing",
                          .attention = "model.attn_config.attn_impl"};

/// Values that are not set for evaluation are taken from training (readEvalPlan).
constexpr PlaceKeys placeKeys{.network = "model.pretrained_model_name_or_path model",
                              .globalBatch = globalKey,
                              .microBatch = microKey,
                              .evalMicroBatch = "device_eval_batch_size device_train_microbatch_size",
                              .sequenceLength = "max_seq_len",
                              .precision = "precision"};

using enum UnmodeledFeature::When;

constexpr std::array<UnmodeledFeature, 1> unsupportedRuns{
    {{"tp_config", "cuts each layer over several GPUs ({})", There, {}, {}, reason::overDevices}}};

constexpr std::array<UnmodeledFeature, 1> shardingDifferences{
    {{.key = "activation_cpu_offload",
      .text =
          "Trials keep activations on the GPU, which a run with activation_cpu_offload moves to the host's "
          "memory.",
      .when = True,
      .approximation = approximation::hostActivations}}};

constexpr std::string_view compileKey = "compile_config";

constexpr std::array<UnmodeledFeature, 2> differences{
    {{.key = compileKey,
      .text = "Trials run the network as it is, not compiled (compile_config).",
      .when = There,
      .approximation = approximation::compiled},
     // update_config_with_batch_size_info in llmfoundry/utils/config_utils.py.
     {.key = "device_train_grad_accum",
      .text = "LLM-Foundry computes device_train_grad_accum itself and passes over the value here.",
      .when = There}}};

/// Returns the number of samples at a time; nothing, with a warning, if it is a fraction of a sample, such as
/// 0.5.
std::optional<std::int64_t> readSize(const ConfigSection& root, std::string_view key,
                                     std::vector<Warning>& warnings)
{
    const YamlNode& value = *root.find(key)->target;
    const auto number = asNumber(value);
    const bool isInteger = asInteger(value) || isTooLarge(value);
    if (!number && !isInteger && !isNull(value)) {
        root.fail(key, "must be a whole number{}, but is {}", key == microKey ? " or auto" : "",
                  described(value));
    }
    if (number && *number > 0 && !isInteger) {
        warn(warnings, root.positionOf(key),
             "{} is {}, in parts of samples; trials take whole ones, and a whole number replaces it.", key,
             value.value);
        return std::nullopt;
    }
    const auto size = root.integer(key);
    if (!size)
        root.fail(key, "is empty; write a whole number, or remove the key");
    if (*size < 1)
        root.fail(key, "is {}, but a micro-batch has at least 1 sample", *size);
    return size;
}

/// Whether the size is 'auto', which is the default.
bool isAuto(const ConfigSection& root)
{
    const auto entry = root.find(microKey);
    return !entry || (entry->target->kind == NodeKind::Scalar && entry->target->value == "auto");
}

bool hasEvaluation(const ConfigSection& root)
{
    return root.has("eval_loader") || root.has("icl_tasks") || root.has(evalKey);
}

std::int64_t readGlobalBatch(const ConfigSection& root)
{
    const auto batch = root.integer(globalKey);
    if (!batch)
        root.fail(globalKey, "is empty; write how many samples one optimizer step takes over all GPUs");
    if (*batch < 1)
        root.fail(globalKey, "is {}, but a batch has at least 1 sample", *batch);
    return *batch;
}

BatchPlan readTrainPlan(const ConfigSection& root, const Launch& launch, std::vector<Warning>& warnings)
{
    BatchPlan plan{.globalBatchSize = readGlobalBatch(root),
                   .setting = Auto{},
                   .knowsDevices = false,
                   .microBatchKey = std::string(microKey),
                   .globalBatchKey = std::string(globalKey)};
    if (!launch.processes) {
        warn(warnings, root.positionOf(globalKey),
             "The launcher decides how many GPUs share the {} samples of {}; no micro-batch is larger than a "
             "GPU's share. Figures here are for one GPU.",
             plan.globalBatchSize, globalKey);
    }
    if (isAuto(root))
        return plan;
    plan.setting = Explore{};
    plan.presentSize = readSize(root, microKey, warnings);
    if (plan.presentSize && *plan.presentSize > plan.globalBatchSize) {
        warn(warnings, root.positionOf(microKey),
             "{} is {}, more than a batch has; LLM-Foundry lowers it to the batch of one GPU.", microKey,
             *plan.presentSize);
        plan.presentSize = plan.globalBatchSize;
    }
    return plan;
}

std::optional<BatchPlan> readEvalPlan(const ConfigSection& root, const BatchPlan& train,
                                      std::vector<Warning>& warnings)
{
    if (!hasEvaluation(root))
        return std::nullopt;
    // The default is 1 if the size of training is 'auto', else the size of training:
    // update_config_with_batch_size_info in llmfoundry/utils/config_utils.py of LLM-Foundry 0.22.
    if (!root.find(evalKey))
        return plainBatch(evalKey, isAuto(root) ? std::optional<std::int64_t>(1) : train.presentSize);
    return plainBatch(evalKey, readSize(root, evalKey, warnings));
}

/// Returns what is trained of any network of the Hugging Face hub: LoraConfig of PEFT, to which
/// get_peft_config in llmfoundry/models/hf/hf_base.py passes the section. It refuses other types.
/// \throws NotRun if weights in 8 bits would be trained, or trials do not support the adapter
decltype(ConfigContents::tuningFor) readTuning(const ConfigSection& section, std::vector<Warning>& warnings)
{
    constexpr std::string_view adapterKey = "peft_config";
    constexpr std::string_view typeKey = "peft_type";
    constexpr std::string_view narrowKey = "load_in_8bit";
    const bool isNarrow = section.boolean(narrowKey).value_or(false);
    if (!section.isOn(adapterKey)) {
        // transformers does not train weights in 8 bits: validate_quantization_for_training in transformers
        // 5.23, trainer.py.
        if (isNarrow)
            refuseNetwork(section, narrowKey, "weights in 8 bits");
        return nullptr;
    }
    const ConfigSection peft = *section.section(adapterKey);
    const std::string type = lowerCase(peft.text(typeKey).value_or(""));
    if (type != "lora")
        peft.fail(typeKey, "is \"{}\", but LLM-Foundry has LORA alone; write that", type);
    PeftAdapter adapter = readPeftConfig(peft);
    if (isNarrow) {
        adapter.frozenWeights = model::FrozenWeights::Int8;
        warnOfIntegerKernels(section, narrowKey, warnings);
    }
    return tuningBy(std::move(adapter));
}

/// Reads the network by its name: mpt_causal_lm describes a network; hf_causal_lm, hf_prefix_lm and hf_t5
/// name one of the Hugging Face hub (llmfoundry/models/__init__.py of LLM-Foundry 0.22).
model::ModelSpec readNetwork(const ConfigSection& root, const NetworkSource& networks,
                             ConfigContents& contents)
{
    constexpr std::string_view hubKey = "pretrained_model_name_or_path";
    const auto section = root.section("model");
    if (!section) {
        throw networkElsewhere(root.document().positionOf(root.mapping()),
                               "The config has no model; give one with --model.");
    }
    if (section->isOn("pretrained_lora_id_or_path"))
        refuseAdapter(section->positionOf("pretrained_lora_id_or_path"), "lora");
    const std::string name = section->text("name").value_or("");
    if (name == "mpt_causal_lm") {
        model::ModelSpec network = readMptModel(*section, contents.warnings);
        warnOfMptKernels(*section, contents.warnings);
        contents.hasOwnModules = true;
        return network;
    }
    const auto id = section->text(hubKey);
    if (name.starts_with("hf_") && id) {
        contents.tuningFor = readTuning(*section, contents.warnings);
        return readNamedNetwork({.name = *id}, section->positionOf(hubKey), networks, contents,
                                section->section("config_overrides"));
    }
    throw networkElsewhere(
        section->positionOf("name"),
        "The network is built as \"{}\", which is not known here; give its config.json with --model.", name);
}

void readLengths(const ConfigSection& root, ConfigContents& contents)
{
    contents.sequenceLength =
        readLength(root, "max_seq_len", longestLength(contents), "lower it, or raise those of the network")
            .value_or(defaultLength(contents));
    // Targets are padded to the same length: _process_and_batch_encoder_decoder in
    // llmfoundry/data/finetuning/collator.py.
    const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
    if (spec && model::defaultTargetLength(*spec))
        contents.targetLength = contents.sequenceLength;
}

model::Precision readPrecision(const ConfigSection& root, std::vector<Warning>& warnings)
{
    constexpr std::string_view key = "precision";
    const std::string word = root.text(key).value_or("amp_bf16");
    // Composer turns TF32 on: DeviceGPU in composer/devices/device_gpu.py of Composer 0.32.
    if (word == "fp32")
        return model::Precision::Tf32;
    if (word == "amp_fp16")
        return model::Precision::Fp16;
    if (word == "amp_fp8") {
        warnOfApproximation(
            warnings, root.positionOf(key), approximation::narrowProducts,
            "Trials run in bfloat16 (amp_bf16) in place of {}; its 8-bit products are not run "
            "here.",
            word);
    } else if (word != "amp_bf16") {
        root.fail(key, "is \"{}\"; write amp_bf16, amp_fp16, amp_fp8 or fp32", word);
    }
    return model::Precision::Bf16;
}

/// Reads the type of the weights. build_composer_model in llmfoundry/utils/builders.py converts the weights
/// themselves to this type. The optimizer keeps no wider copy, and its own state has the same type.
void readTypeOfWeights(const ConfigSection& root, ConfigContents& contents)
{
    constexpr std::string_view key = "master_weights_dtype";
    const ConfigSection model = root.sectionAt("model");
    const std::string type = model.text(key).value_or("fp32");
    if (type == "fp32" || type == "float32")
        return;
    const bool isFloat16 = type == "fp16" || type == "float16";
    contents.precision = isFloat16 ? model::Precision::PlainFp16 : model::Precision::PlainBf16;
    contents.places.precision = model.placeOf(key);
}

void readClipping(const ConfigSection& clipping, ConfigContents& contents)
{
    constexpr std::string_view typeKey = "clipping_type";
    const std::string type = clipping.text(typeKey).value_or("");
    if (type != "norm" && type != "value" && type != "adaptive")
        clipping.fail(typeKey, "is \"{}\"; write norm, value or adaptive", type);
    if (type == "norm") {
        contents.places.gradientNorm = clipping.placeOf("clipping_threshold");
        contents.step.maxGradientNorm = readGradientNorm(clipping, "clipping_threshold", 0.0);
        return;
    }
    warn(contents.warnings, clipping.positionOf(typeKey),
         "Trials do not clip gradients by {}; that takes little of a step.", type);
}

void readAlgorithms(const ConfigSection& root, ConfigContents& contents)
{
    const ConfigSection algorithms = root.sectionAt("algorithms");
    for (std::string_view name : algorithms.keys()) {
        if (name == "gradient_clipping" && algorithms.hasSection(name)) {
            readClipping(*algorithms.section(name), contents);
        } else {
            warnOfApproximation(contents.warnings, algorithms.positionOf(name), approximation::algorithms,
                                "Trials leave out the algorithm {}.", name);
        }
    }
}

// The default is FULL_SHARD: FSDPConfig in composer/utils/parallelism.py of Composer 0.32.
model::Sharding shardingOf(const ConfigSection& fsdp)
{
    constexpr std::string_view key = "sharding_strategy";
    constexpr WordMap<model::Sharding, 5> words{{{"FULL_SHARD", model::Sharding::Parameters},
                                                 {"HYBRID_SHARD", model::Sharding::Parameters},
                                                 {"SHARD_GRAD_OP", model::Sharding::Gradients},
                                                 {"_HYBRID_SHARD_ZERO2", model::Sharding::Gradients},
                                                 {"NO_SHARD", model::Sharding::None}}};
    const std::string word = fsdp.text(key).value_or("FULL_SHARD");
    const auto known = meaningOf(words, word);
    if (!known)
        fsdp.fail(key, "is \"{}\"; write FULL_SHARD, SHARD_GRAD_OP or NO_SHARD", word);
    return fsdp.integer("data_parallel_shard_degree").value_or(-1) == 1 ? model::Sharding::None : *known;
}

/// Reads what differs on one GPU. There, train() in llmfoundry/command_utils/train.py does not use FSDP, and
/// only FSDP checkpoints activations or moves them to the host (prepare_fsdp_module in
/// composer/distributed/dist_strategy.py of Composer 0.32).
void readOneGpu(const ConfigSection& fsdp, ConfigContents& contents)
{
    constexpr std::string_view offloadKey = "activation_cpu_offload";
    if (fsdp.isOn(offloadKey)) {
        contents.alone.droppedApproximation = approximation::hostActivations;
        warn(contents.warnings, fsdp.positionOf(offloadKey),
             "On one GPU, LLM-Foundry leaves FSDP out, and with it {}: there trials are as the run.",
             fsdp.pathOf(offloadKey));
    }
    if (!contents.step.activationCheckpointing)
        return;
    contents.alone.activationCheckpointing = false;
    warn(contents.warnings, fsdp.positionOf("activation_checkpointing"),
         "On one GPU, LLM-Foundry leaves FSDP out, and with it {}: so do trials.",
         fsdp.pathOf("activation_checkpointing"));
}

/// Warns if FSDP gathers weights in fp32: get_mixed_precision in composer/distributed/mosaic_parallelism.py
/// of Composer 0.32. With other words it gathers narrow weights, as trials do.
void warnOfWideWeights(const ConfigSection& fsdp, std::vector<Warning>& warnings)
{
    constexpr std::string_view key = "mixed_precision";
    const YamlNode* value = fsdp.value(key);
    if (!value || value->kind != NodeKind::Scalar || lowerCase(value->value) != "full")
        return;
    warn(
        warnings, fsdp.positionOf(key),
        "On several GPUs, FSDP gathers weights in fp32 ({}); trials gather them in 16 bits, which takes less "
        "memory.",
        fsdp.pathOf(key));
}

void readFsdp(const ConfigSection& root, ConfigContents& contents)
{
    const auto fsdp = root.section("fsdp_config");
    if (!fsdp)
        return;
    warnOf(*fsdp, shardingDifferences, contents.warnings);
    contents.step.sharding = shardingOf(*fsdp);
    // Composer 0.32 takes FSDP 2 only from fsdp2_config.
    contents.step.shardingLibrary = model::ShardingLibrary::Fsdp1;
    if (contents.step.sharding != model::Sharding::None) {
        warnOfSharding(
            root.positionOf("fsdp_config"),
            "FSDP spreads weights, gradients and optimizer state over GPUs, whose number the launcher "
            "decides",
            contents);
        readOneGpu(*fsdp, contents);
        warnOfWideWeights(*fsdp, contents.warnings);
    }
}

/// Warns if only some modules, or those of only some layers, are checkpointed: activation_checkpointing_fn in
/// llmfoundry/models/mpt/modeling_mpt.py, whose default is each block.
void warnOfCheckpointing(const ConfigSection& root, ConfigContents& contents)
{
    constexpr std::string_view key = "activation_checkpointing_target";
    const ConfigSection model = root.sectionIfAny("model");
    const YamlNode* target = model.value(key);
    const bool isBlock = target && target->kind == NodeKind::Scalar && lowerCase(target->value) == "mptblock";
    if (!contents.step.activationCheckpointing || !target || isBlock)
        return;
    warnOfApproximation(
        contents.warnings, model.positionOf(key), approximation::otherCheckpointing,
        "The run checkpoints some modules ({}), trials each layer, which takes more time and less "
        "memory.",
        model.pathOf(key));
}

/// Reads packing. Samples are packed into sequences of full length, as those of trials are, and attend to
/// each other unless attn_uses_sequence_id turns that off: BinPackCollator in llmfoundry/data/packing.py.
void readPacking(const ConfigSection& root, ConfigContents& contents)
{
    constexpr std::string_view key = "packing_ratio";
    const ConfigSection dataset = root.sectionIfAny("train_loader").sectionIfAny("dataset");
    const ConfigSection attention = root.sectionIfAny("model").sectionIfAny("attn_config");
    if (!dataset.has(key))
        return;
    constexpr std::string_view masksTexts = "attn_uses_sequence_id";
    if (attention.boolean(masksTexts).value_or(false)) {
        packTexts(dataset.positionOf(key), key, contents);
        return;
    }
    warn(contents.warnings, dataset.positionOf(key),
         "Samples are packed into sequences (packing_ratio); a sample of a trial is one packed sequence of "
         "full "
         "length.");
}

/// Reads attention as __init__ of BaseHuggingFaceModel in llmfoundry/models/hf/hf_base.py does. For MPT the
/// default is "flash" (attn_config_defaults in llmfoundry/models/utils/config_defaults.py).
void readAttention(const ConfigSection& root, ConfigContents& contents)
{
    constexpr std::string_view flashKey = "use_flash_attention_2";
    constexpr std::string_view nameKey = "attn_implementation";
    const ConfigSection model = root.sectionIfAny("model");
    if (model.text("name") == "mpt_causal_lm" && !model.sectionAt("attn_config").has("attn_impl")) {
        contents.step.attention = model::Attention::Flash;
        return;
    }
    if (model.boolean(flashKey).value_or(false)) {
        contents.step.attention = model::Attention::Flash;
        contents.places.attention = model.placeOf(flashKey);
    } else if (const auto name = model.text(nameKey)) {
        contents.step.attention = attentionNamed(*name);
        contents.places.attention = model.placeOf(nameKey);
    }
}

void readRunInto(const ConfigSection& root, ConfigContents& contents)
{
    contents.precision = readPrecision(root, contents.warnings);
    readTypeOfWeights(root, contents);
    readRun(root, runKeys, contents);
    if (contents.optimizer == model::Optimizer::Lion && contents.precision == model::Precision::PlainBf16) {
        // exp_avg is created as zeros_like(p): DecoupledLionW in llmfoundry/optim/lion.py.
        warnOfApproximation(contents.warnings, root.positionOf("optimizer"), approximation::otherOptimizer,
                            "DecoupledLionW keeps its state in bfloat16 with the weights; trials keep it in "
                            "fp32, which takes more memory.");
    }
    readAttention(root, contents);
    notePlaces(root, placeKeys, contents);
    resolveAttention(contents);
    readAlgorithms(root, contents);
    readFsdp(root, contents);
    warnOfCheckpointing(root, contents);
    warnOf(root, differences, contents.warnings);
    if (root.has(compileKey))
        readCompilation(root.sectionIfAny(compileKey), "mode", "backend", contents);
    readPacking(root, contents);
    // The default is True since LLM-Foundry 0.14 (pull request 1618).
    contents.training.weighsTokens = root.boolean("accumulate_train_batch_on_tokens").value_or(true);
    contents.training.halvesAutomatically = isAuto(root);
}

bool fits(const ConfigText& text)
{
    const auto root = text.root(Dialect::OmegaConf);
    return root && root->find(globalKey) && (root->find(microKey) || root->hasSection("train_loader"));
}

ConfigContents read(const ConfigText& text)
{
    const ConfigSection root = *text.root(Dialect::OmegaConf);
    ConfigContents contents;
    contents.train = readTrainPlan(root, text.launch(), contents.warnings);
    contents.eval = readEvalPlan(root, *contents.train, contents.warnings);
    contents.model = networkOrError([&] {
        if (root.section("model"))
            refuseOtherRun(root, unsupportedRuns);
        return readNetwork(root, text.networks(), contents);
    });
    resolveTuning(contents);
    readLengths(root, contents);
    readRunInto(root, contents);
    return contents;
}

/// Notes the remainder. Composer splits the batch of a device into as many micro-batches of that size as fit,
/// and one with the remaining samples: _split_tensor in composer/core/data_spec.py.
void noteRest(std::int64_t batch, std::int64_t size, std::vector<std::string>& notes)
{
    const std::int64_t rest = batch % size;
    if (rest == 0)
        return;
    notes.push_back(sentence("On one GPU, the {} samples of {} run as {} micro-batches of {} and one of {}; "
                             "on several, each GPU splits its share so.",
                             batch, globalKey, batch / size, size, rest));
}

SplicedText spliceTrain(const ConfigSection& root, const ChosenSize& chosen)
{
    const std::int64_t present = readGlobalBatch(root);
    const std::int64_t batch = chosen.globalBatchSize.value_or(present);
    if (chosen.microBatchSize > batch) {
        refuseSizeAboveBatch(errorAt(root.positionOf(globalKey),
                                     "The micro-batch size {} is above the {} samples of {}, to which "
                                     "LLM-Foundry would lower it; choose a smaller size, or raise the batch.",
                                     chosen.microBatchSize, batch, globalKey),
                             {.globalBatchSize = present}, chosen);
    }
    std::vector<std::string> notes;
    noteRest(batch, chosen.microBatchSize, notes);
    if (hasEvaluation(root) && !root.find(evalKey))
        notes.push_back(sentence("Evaluation takes this size too, because {} is not set.", evalKey));
    return withChanges(root, globalBatchChanges({}, keys, chosen), notes);
}

SplicedText spliceEval(const ConfigSection& root, const ChosenSize& chosen)
{
    if (!hasEvaluation(root)) {
        throw ConfigError("The config has no eval_loader and no icl_tasks, so it does not evaluate; choose "
                          "the other phase.");
    }
    return withChanges(root, {plainBatchChange(evalKey, root.find(microKey) ? microKey : globalKey, chosen)});
}

SplicedText splice(const ConfigText& text, const ChosenSize& chosen)
{
    if (chosen.microBatchSize < 1) {
        throw errorAt({},
                      "The micro-batch size is {}, but a micro-batch has at least 1 sample; choose another.",
                      chosen.microBatchSize);
    }
    const ConfigSection root = *text.root(Dialect::OmegaConf);
    return chosen.phase == model::Phase::Train ? spliceTrain(root, chosen) : spliceEval(root, chosen);
}

} // namespace

constinit const Format llmFoundryFormat{
    .name = "LLM-Foundry",
    .mark = "global_train_batch_size with train_loader or device_train_microbatch_size",
    .neededKeys = "global_train_batch_size train_loader|device_train_microbatch_size",
    .defaultKeys = "global_train_batch_size device_train_microbatch_size device_eval_batch_size train_loader "
                   "max_seq_len max_duration",
    .rules = {.runsRestOfBatch = true},
    .fits = fits,
    .read = read,
    .splice = splice};

} // namespace batchpeak::config
