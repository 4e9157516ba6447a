// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "approximations.h"
#include "axolotl_tuning.h"
#include "batch_schemes.h"
#include "format.h"
#include "networks/peft_adapter.h"
#include "packing.h"
#include "run_reader.h"
#include "sharding.h"
#include "syntax/words.h"
#include "syntax/yaml_scalar.h"
#include "training_arguments.h"
#include "unmodeled_features.h"

#include <algorithm>
#include <array>

namespace batchpeak::config {

/// Configs of axolotl. The launcher decides how many devices there are.
///
/// The batch is micro_batch_size with gradient_accumulation_steps; eval_batch_size defaults to
/// micro_batch_size. The deprecated batch_size replaces the steps when a config is checked, but does not set
/// them: they are 1 by default before normalize_config would divide batch_size by the size. It is used only
/// to count the steps of the run.
///
/// Sources: HyperparametersConfig in axolotl 0.12, utils/schemas/training.py; TrainingValidationMixin,
/// utils/schemas/validation.py; normalize_config, utils/config/__init__.py. Versions 0.6 and 0.19 do the
/// same.
namespace {

constexpr std::string_view microKey = "micro_batch_size";
constexpr std::string_view stepsKey = "gradient_accumulation_steps";
constexpr std::string_view batchKey = "batch_size";
constexpr std::string_view evalKey = "eval_batch_size";
// ModelInputConfig, utils/schemas/model.py.
constexpr NameKeys nameKeys{.name = "base_model", .revision = "revision_of_model"};
constexpr AccumulationKeys keys{.microBatchSize = microKey, .accumulationSteps = stepsKey};

constexpr RunKeys runKeys{.optimizer = "optimizer",
                          .adamW = torchAdamW,
                          .unfusedAdamW = unfusedTorchAdamW,
                          // The default in HyperparametersConfig is None, which is not passed on
                          // (core/builders/base.py), so the default of TrainingArguments applies.
                          .gradientNorm = "max_grad_norm",
                          .defaultGradientNorm = 1.0,
                          .learningRate = "learning_rate",
                          .weighsTokens = true,
                          .isOfTransformers = true};

/// If evaluation has no size of its own, it takes that of training.
constexpr PlaceKeys placeKeys{.network = "base_model",
                              .microBatch = microKey,
                              .accumulationSteps = stepsKey,
                              .evalMicroBatch = "eval_batch_size micro_batch_size",
                              .sequenceLength = "sequence_len",
                              .precisionSwitches = "bfloat16 bf16 fp16",
                              .tf32 = "tf32",
                              .checkpointing = "gradient_checkpointing"};

using enum UnmodeledFeature::When;

/// sequence_parallel_degree is the older name of context_parallel_size (utils/schemas/deprecated.py).
constexpr std::array<UnmodeledFeature, 10> unsupportedRuns{
    {{"rl", "trains on preferences or rewards ({})", On, {}, {}, reason::preferences},
     {"reward_model", "trains a network that scores texts ({})", On, {}, {}, reason::preferences},
     {"process_reward_model", "trains a network that scores texts ({})", On, {}, {}, reason::preferences},
     {"kd_trainer", "learns from another network ({})", On, {}, {}, reason::secondNetwork},
     {"use_onebitllms",
      "rounds weights as a quantized network has them ({})",
      On,
      {},
      {},
      reason::quantizationAware},
     {"lisa_n_layers", "trains other layers from time to time ({})", On, {}, {}, reason::partialTraining},
     {"tensor_parallel_size", cutOverDevices, AboveOne, {}, {}, reason::overDevices},
     {"context_parallel_size", cutOverDevices, AboveOne, {}, {}, reason::overDevices},
     {"sequence_parallel_degree", cutOverDevices, AboveOne, {}, {}, reason::overDevices},
     {"expert_parallel_size", cutOverDevices, AboveOne, {}, {}, reason::overDevices}}};

/// Returns the method for a word of RLType in utils/schemas/enums.py. IPO is another formula of the same two
/// passes; for the other words, the network writes texts.
model::Preference preferenceOf(const ConfigSection& root)
{
    using enum model::Preference;
    constexpr WordMap<model::Preference, 5> words{
        {{"dpo", Dpo}, {"ipo", Dpo}, {"orpo", Orpo}, {"simpo", Simpo}, {"kto", Kto}}};
    if (root.isOn("process_reward_model"))
        return None;
    if (root.isOn("rl"))
        return meaningOf(words, lowerCase(root.text("rl").value_or(""))).value_or(None);
    return root.isOn("reward_model") ? Reward : None;
}

constexpr std::string_view kernelsText =
    "{} runs kernels of its own; trials run PyTorch's, which take longer and more memory.";

/// Applies if sample_packing is on, whose value is the default.
constexpr std::array<UnmodeledFeature, 1> unpackedEvaluation{
    {{.key = "eval_sample_packing",
      .text = unpackedEvaluationText,
      .when = False,
      .approximation = approximation::unpackedEvaluation}}};

// Fields of AxolotlInputConfig, utils/schemas/config.py, and of the plugins in integrations.
constexpr std::array<UnmodeledFeature, 31> differences{
    {{.key = "activation_offloading",
      .text = hostActivationsText,
      .approximation = approximation::hostActivations},
     {.key = "layer_offloading",
      .text = "{} keeps frozen layers in the host's memory; trials keep them on the device, which takes more "
              "memory.",
      .approximation = approximation::hostWeights},
     {.key = "selective_checkpointing",
      .text = "{} checkpoints parts of layers; trials checkpoint whole layers.",
      .approximation = approximation::otherCheckpointing},
     {.key = "torch_compile",
      .text = "{} compiles the network; trials run it as it is, which takes longer.",
      .approximation = approximation::compiled},
     {.key = "deepcompile",
      .text = "{} compiles the network; trials run it as it is, which takes longer.",
      .approximation = approximation::compiled},
     {.key = "fp8", .text = fp8Text, .approximation = approximation::narrowProducts},
     {.key = "fp32_norms",
      .text = "{} keeps normalizations in fp32; trials have them in 16 bits, which takes less memory.",
      .approximation = approximation::fp32Norms},
     {.key = "large_head_attention",
      .text = "{} runs wide heads of attention by a kernel of its own; trials run PyTorch's.",
      .when = NoneOf,
      .known = "sdpa",
      .approximation = approximation::otherAttention},
     {.key = "scaling_softmax",
      .text = "{} scales attention by what it learns; trials do not, which takes less time.",
      .approximation = approximation::otherAttention},
     {.key = "use_eaft", .text = weighedTokensText, .approximation = approximation::otherLoss},
     {.key = "do_causal_lm_eval", .text = writtenTextsText, .approximation = approximation::writtenTexts},
     {.key = "use_scattermoe", .text = kernelsText, .approximation = approximation::otherKernels},
     {.key = "use_sonicmoe", .text = kernelsText, .approximation = approximation::otherKernels},
     {.key = "model_quantization_config",
      .text = "{} loads the network as another program has quantized it; trials hold it whole.",
      .approximation = approximation::otherQuantization},
     {.key = "lora_mlp_kernel", .text = kernelsText, .approximation = approximation::otherKernels},
     {.key = "lora_qkv_kernel", .text = kernelsText, .approximation = approximation::otherKernels},
     {.key = "lora_o_kernel", .text = kernelsText, .approximation = approximation::otherKernels},
     {.key = "lora_embedding_kernel", .text = kernelsText, .approximation = approximation::otherKernels},
     {.key = "fused_attn_kernel", .text = kernelsText, .approximation = approximation::otherKernels},
     {.key = "flash_optimum", .text = kernelsText, .approximation = approximation::otherKernels},
     {.key = "liger_rms_norm_gated", .text = ligerText, .approximation = approximation::otherKernels},
     {.key = "tiled_mlp",
      .text = "{} runs feed-forward layers a piece of a sample at a time; trials run them whole, which takes "
              "more memory.",
      .approximation = approximation::otherKernels},
     {.key = "use_kernels", .text = kernelsText, .approximation = approximation::otherKernels},
     {.key = "flash_attn_rms_norm", .text = kernelsText, .approximation = approximation::otherKernels},
     {.key = "flash_attn_cross_entropy", .text = kernelsText, .approximation = approximation::otherKernels},
     {.key = "flash_attn_fuse_mlp", .text = kernelsText, .approximation = approximation::otherKernels},
     {.key = "liger_rms_norm", .text = ligerText, .approximation = approximation::otherKernels},
     {.key = "liger_glu_activation", .text = ligerText, .approximation = approximation::otherKernels},
     {.key = "liger_layer_norm", .text = ligerText, .approximation = approximation::otherKernels},
     {.key = "liger_rope", .text = ligerText, .approximation = approximation::otherKernels},
     {.key = "liger_cross_entropy", .text = ligerText, .approximation = approximation::otherKernels}}};

/// Checks as check_batch_size_fields and check_gas_bsz of TrainingValidationMixin do.
/// \throws ConfigError if a number is illegal, or if not exactly two of the three are present
void checkBatch(const ConfigSection& root)
{
    if (root.has(stepsKey) && root.has(batchKey)) {
        root.fail(batchKey,
                  "stands beside gradient_accumulation_steps, of which axolotl takes one; remove batch_size");
    }
    for (std::string_view key : {microKey, root.has(batchKey) ? batchKey : stepsKey}) {
        if (!root.has(key)) {
            throw errorAt(root.positionOf(key),
                          "{} is missing; axolotl takes micro_batch_size with gradient_accumulation_steps or "
                          "with batch_size, so write it.",
                          key);
        }
    }
    const std::int64_t size = countOr(root, microKey, 1);
    const std::int64_t batch = countOr(root, batchKey, size);
    if (batch < size) {
        root.fail(batchKey, "is {}, less than micro_batch_size, which is {}; write a multiple of it", batch,
                  size);
    }
}

/// Returns nothing if no texts are set aside and no size is written.
std::optional<BatchPlan> evalPlan(const ConfigSection& root)
{
    if (!root.isOn("val_set_size") && !root.isOn("test_datasets") && !root.has(evalKey))
        return std::nullopt;
    // normalize_config: the default is the size of training.
    return readPlainBatch(root, evalKey, countOr(root, microKey, 1));
}

/// Whether packed samples are split over devices. check_context_parallel_size in utils/schemas/validation.py:
/// ring attention takes packed samples one by one.
bool packsOverDevices(const ConfigSection& root)
{
    return root.isOn("sample_packing") && (countOr(root, "context_parallel_size", 1) > 1 ||
                                           countOr(root, "sequence_parallel_degree", 1) > 1);
}

void warnOfBatch(const ConfigSection& root, const BatchPlan& train, std::vector<Warning>& warnings)
{
    if (root.has(batchKey)) {
        const bool isSize = countOr(root, batchKey, 1) == train.globalBatchSize;
        warn(warnings, root.positionOf(batchKey),
             isSize
                 ? "batch_size is deprecated in axolotl; write gradient_accumulation_steps in its place."
                 : "batch_size is deprecated in axolotl, which accumulates nothing by it: a step takes {} on "
                   "each device. Write gradient_accumulation_steps in its place.",
             samplesText(train.globalBatchSize));
    }
    // hint_eval_train_mbsz of TrainingValidationMixin.
    if (root.has(evalKey) && evalPlan(root)->presentSize != train.presentSize) {
        warn(warnings, root.positionOf(evalKey),
             "eval_batch_size differs from micro_batch_size; axolotl warns that memory may become unstable.");
    }
    if (packsOverDevices(root) && train.presentSize != 1) {
        warn(warnings, root.positionOf(microKey),
             "axolotl refuses a micro_batch_size other than 1 with sample_packing where a text is cut over "
             "devices.");
    }
}

/// Whether bf16 is on. The default is "auto" (AxolotlInputConfig.bf16, utils/schemas/config.py), which is
/// True on any GPU with bfloat16 unless fp16 is on. "full" is True.
bool isBf16(const ConfigSection& root)
{
    if (root.boolean("bfloat16").value_or(false))
        return true;
    const bool isAuto = !root.has("bf16") || root.text("bf16") == "auto";
    return isAuto ? !root.boolean("fp16").value_or(false) : root.isOn("bf16");
}

bool hasSixteenBits(const ConfigSection& root)
{
    return isBf16(root) || root.isOn("fp16") || root.isOn("float16") || root.isOn("load_in_8bit");
}

bool hasPlugin(const ConfigSection& root, std::string_view name)
{
    return std::ranges::any_of(readTexts(root, "plugins"),
                               [name](const std::string& plugin) { return plugin.ends_with(name); });
}

/// Whether CutCrossEntropyPlugin takes effect: it does unless it is turned off
/// (integrations/cut_cross_entropy/args.py).
bool cutsCrossEntropy(const ConfigSection& root)
{
    return hasPlugin(root, "CutCrossEntropyPlugin") && root.boolean("cut_cross_entropy").value_or(true);
}

/// Returns attn_implementation, or the older switch that is on (AxolotlInputConfig in axolotl 0.13,
/// utils/schemas/config.py); empty if neither is set.
std::string_view attentionKey(const ConfigSection& root)
{
    for (std::string_view key :
         {"attn_implementation", "flash_attention", "xformers_attention", "flex_attention", "sdp_attention",
          "eager_attention", "s2_attention", "sage_attention"}) {
        if (root.isOn(key))
            return key;
    }
    return {};
}

std::string attentionName(const ConfigSection& root)
{
    constexpr std::string_view namesKey = "attn_implementation";
    const std::string_view key = attentionKey(root);
    if (key == namesKey)
        return root.text(namesKey).value_or("");
    return std::string(key.substr(0, key.find('_')));
}

/// Whether embeddings stay in fp32. _configure_embedding_dtypes in loaders/model.py converts normalizations
/// and the two embeddings to fp32, and back for adapters and for attention that requires 16 bits
/// (attn_needs_dtype_cast, utils/schemas/config.py).
bool keepsFp32Embeddings(const ConfigSection& root)
{
    const std::string attention = attentionName(root);
    const bool isCast = !attention.empty() && !isAmong(attention, "sdpa sdp eager");
    return !isCast && !cutsCrossEntropy(root) && !root.isOn("fsdp") && !root.isOn("fsdp_config") &&
           !root.isOn("deepspeed");
}

/// Returns the precision in TrainingArguments: core/builders/base.py.
model::Precision readMixed(const ConfigSection& root)
{
    if (isBf16(root))
        return model::Precision::Bf16;
    return root.isOn("fp16") ? model::Precision::Fp16 : model::Precision::Fp32;
}

bool isFsdp2(const ConfigSection& root)
{
    constexpr std::string_view key = "fsdp_version";
    return root.integer(key).value_or(root.sectionIfAny("fsdp_config").integer(key).value_or(1)) == 2;
}

/// Whether parameters keep the type in which they were loaded: with FSDP 2, which axolotl prepares itself
/// (monkeypatch/accelerate/fsdp2.py), and if bf16 is "full", which turns mixed precision off
/// (prepare_optim_env in utils/trainer.py).
bool keepsTypeInFsdp(const ConfigSection& root)
{
    return !root.isOn("deepspeed") && (isFsdp2(root) || root.text("bf16") == "full");
}

/// Returns the precision. resolve_dtype, utils/config/__init__.py, decides the type of the parameters too;
/// adapters are fp32 unless peft_autocast_adapter_dtype is off (cast_adapter_dtype in PEFT 0.18).
model::Precision readPrecision(const ConfigSection& root, std::vector<Warning>& warnings)
{
    if (!hasSixteenBits(root)) {
        // "auto" means True on any GPU with TF32, as does an absent key (AxolotlInputConfig.tf32 in axolotl
        // 0.13, utils/schemas/config.py).
        const bool isOff = root.has("tf32") && !root.isOn("tf32");
        return isOff ? model::Precision::Fp32 : model::Precision::Tf32;
    }
    const auto ofType = [&root](model::Precision precision) {
        return isBf16(root) ? precision : model::inFloat16(precision);
    };
    if (root.isOn("adapter")) {
        return ofType(root.boolean("peft_autocast_adapter_dtype").value_or(true)
                          ? model::Precision::Bf16
                          : model::Precision::PlainBf16);
    }
    if (keepsFp32Embeddings(root)) {
        warnOfApproximation(
            warnings, root.positionOf(attentionKey(root)), approximation::fp32Embeddings,
            "axolotl keeps embeddings and normalizations in fp32 where attention does without "
            "16 bits; trials have them in 16 bits, which takes less memory.");
    }
    return ofType(model::Precision::PlainBf16);
}

void resolvePrecision(const ConfigSection& root, ConfigContents& contents)
{
    contents.precision = readPrecision(root, contents.warnings);
    // "full" is passed on only for evaluation: core/builders/base.py.
    const bool isCast = model::isMixed(readMixed(root)) && root.text("bf16") != "full";
    if (isCast && (root.isOn("adapter") || !keepsFp32Embeddings(root)))
        warnOfWideNormalizations(root.positionOf("bf16"), contents);
}

/// Whether activations are recomputed. gradient_checkpointing is True, False, or a word for where activations
/// are stored (AxolotlInputConfig): "offload", "offload_disk", "unsloth". The default is False.
bool readCheckpointing(const ConfigSection& root, std::vector<Warning>& warnings)
{
    constexpr std::string_view key = "gradient_checkpointing";
    const bool isOn = root.isOn(key);
    if (isOn && !asBoolean(*root.value(key))) {
        warnOfApproximation(
            warnings, root.positionOf(key), approximation::hostActivations,
            "{} moves checkpointed activations off the device; trials keep them there, which takes more "
            "memory.",
            root.pathOf(key));
    }
    return isOn;
}

void readAttention(const ConfigSection& root, ConfigContents& contents)
{
    const std::string_view key = attentionKey(root);
    if (key.empty())
        return;
    const std::string name = attentionName(root);
    contents.step.attention = attentionNamed(name);
    contents.places.attention = root.placeOf(key);
    warnOfOtherAttention(name, root.positionOf(key), contents.warnings);
    // _apply_sdpa_varlen_patch in loaders/patch_manager.py: on by default.
    if (isAmong(name, "sdpa sdp") && root.isOn("sample_packing") &&
        root.boolean("sdpa_varlen").value_or(true)) {
        warnOfApproximation(
            contents.warnings, root.positionOf(key), approximation::otherAttention,
            "axolotl cuts packed texts apart before attention (sdpa_varlen); trials mask them, "
            "which takes longer and more memory.");
    }
}

void readPacking(const ConfigSection& root, ConfigContents& contents)
{
    constexpr std::string_view key = "sample_packing";
    if (!root.isOn(key))
        return;
    packTexts(root.positionOf(key), key, contents);
    warnOf(root, unpackedEvaluation, contents.warnings);
}

/// Warns of eval_sequence_len in utils/schemas/config.py; the default is the length of training.
void warnOfEvalLength(const ConfigSection& root, std::int64_t length, std::vector<Warning>& warnings)
{
    constexpr std::string_view key = "eval_sequence_len";
    const std::int64_t own = readLength(root, key).value_or(length);
    if (own == length)
        return;
    warn(warnings, root.positionOf(key),
         "Evaluation has texts of {} tokens ({}), training of {}, which trials take for both; give "
         "--sequence-length where you explore evaluation.",
         own, key, length);
}

/// Reads losses that are computed together with the projection onto the vocabulary.
void readLoss(const ConfigSection& root, ConfigContents& contents)
{
    for (std::string_view key : {"liger_fused_linear_cross_entropy", "chunked_cross_entropy"}) {
        if (root.isOn(key)) {
            takeLossInChunks(contents, root.positionOf(key));
            return;
        }
    }
    if (cutsCrossEntropy(root))
        takeLossInChunks(contents, root.positionOf("plugins"));
}

void refuseOtherPlugins(const ConfigSection& root)
{
    const TextPosition position = root.positionOf("plugins");
    if (hasPlugin(root, "DiffusionPlugin"))
        refuseRun(position, "learns to fill in masked tokens (plugins)");
    if (hasPlugin(root, "KDPlugin"))
        refuseRun(position, "learns from another network (plugins)", reason::secondNetwork);
    if (hasPlugin(root, "SpectrumPlugin"))
        refusePartialTraining(position, "layers that a file of the plugin chooses (plugins)");
}

void warnOfPlugins(const ConfigSection& root, std::vector<Warning>& warnings)
{
    if (hasPlugin(root, "KernelsPlugin")) {
        warnOfApproximation(warnings, root.positionOf("plugins"), approximation::otherKernels, kernelsText,
                            "KernelsPlugin");
    }
    if (hasPlugin(root, "LLMCompressorPlugin")) {
        warnOfApproximation(warnings, root.positionOf("plugins"), approximation::sparseWeights,
                            "LLMCompressorPlugin keeps weights at 0; trials have none of those.");
    }
}

/// Warns of kernels that axolotl turns on by itself: check_auto_enable_lora_kernels in
/// utils/schemas/validation.py does so if no such key is written and dropout is 0. With FSDP 1 they stay off
/// on several devices.
void warnOfUnaskedKernels(const ConfigSection& root, std::vector<Warning>& warnings)
{
    constexpr std::array<std::string_view, 3> kernels{"lora_mlp_kernel", "lora_qkv_kernel", "lora_o_kernel"};
    const bool areWritten = std::ranges::any_of(kernels, [&root](auto key) { return root.has(key); });
    const bool isFsdp1 = root.isOn("fsdp") && !isFsdp2(root);
    if (!isAmong(root.text("adapter").value_or(""), "lora qlora") || areWritten || isFsdp1 ||
        root.isOn("trust_remote_code") || root.isOn("load_in_8bit") ||
        root.number("lora_dropout").value_or(1.0) != 0.0)
        return;
    warnOfApproximation(
        warnings, root.positionOf("lora_dropout"), approximation::otherKernels,
        "axolotl switches its kernels for LoRA on where lora_dropout is 0; trials run "
        "PyTorch's, which take longer and more memory. Write lora_mlp_kernel, lora_qkv_kernel "
        "and lora_o_kernel as false to have them off.");
}

bool fits(const ConfigText& text)
{
    const auto root = text.root();
    return root && root->find("base_model") &&
           hasOneOf(*root,
                    "micro_batch_size datasets pretraining_dataset sequence_len sample_packing num_epochs");
}

ConfigContents read(const ConfigText& text)
{
    const ConfigSection root = *text.root();
    checkBatch(root);
    ConfigContents contents{.train = readAccumulatedBatch(root, keys), .eval = evalPlan(root)};
    warnOfBatch(root, *contents.train, contents.warnings);
    warnOfBatchFinder(root, contents.warnings);
    readSharding(root, /*takesConfigAlone=*/true, contents);
    if (contents.step.sharding != model::Sharding::None && !root.isOn("deepspeed") && !isFsdp2(root))
        contents.step.shardingLibrary = model::ShardingLibrary::Fsdp1;
    warnOf(root, differences, contents.warnings);
    // If it is off, axolotl ignores the other keys: _configure_torch_compile() in axolotl 0.13,
    // core/builders/base.py.
    if (root.isOn("torch_compile"))
        readCompilation(root, "torch_compile_mode", "torch_compile_backend", contents);
    readPacking(root, contents);
    warnOfPlugins(root, contents.warnings);
    warnOfUnaskedKernels(root, contents.warnings);
    contents.model = networkOrError([&] {
        refuseOtherRun(root, unsupportedRuns, preferenceOf(root), contents);
        refuseSharedCuts(root);
        refuseOtherPlugins(root);
        contents.tuningFor = withAxolotlQat(readAxolotlTuning(root, hasSixteenBits(root), contents.warnings),
                                            root, contents.warnings);
        return readNamedModel(root, nameKeys, text.networks(), contents);
    });
    resolveTuning(contents);
    // Default of AxolotlInputConfig.sequence_len.
    contents.sequenceLength = readLength(root, "sequence_len").value_or(512);
    warnOfEvalLength(root, contents.sequenceLength, contents.warnings);
    resolveLengths(contents);
    readRun(root, withSharedOptimizer(root, runKeys), contents);
    if (keepsTypeInFsdp(root) ||
        !resolveSharedPrecision(root, /*takesConfigAlone=*/true, readMixed(root), contents))
        resolvePrecision(root, contents);
    const bool isCheckpointed = readCheckpointing(root, contents.warnings);
    contents.step.activationCheckpointing = contents.step.activationCheckpointing || isCheckpointed;
    readAttention(root, contents);
    resolveAttention(contents);
    readLoss(root, contents);
    contents.training.halvesAutomatically = findsBatchSize(root);
    notePlaces(root, placeKeys, contents);
    return contents;
}

std::vector<EntryChange> trainChanges(const ConfigSection& root, const ChosenSize& chosen)
{
    if (packsOverDevices(root) && chosen.microBatchSize != 1) {
        throw errorAt(root.positionOf(microKey),
                      "axolotl takes a micro_batch_size of 1 alone with sample_packing where a text is cut "
                      "over devices (context_parallel_size); write 1, or switch either off.");
    }
    if (!root.has(batchKey))
        return accumulatedBatchChanges(root, keys, chosen);
    const WholeBatch batch = wholeBatch(readAccumulatedBatch(root, keys), chosen, root.positionOf(batchKey));
    if (batch.accumulationSteps != 1) {
        root.fail(batchKey,
                  "accumulates nothing in axolotl; write gradient_accumulation_steps in its place, and {} "
                  "micro-batches can make a step",
                  batch.accumulationSteps);
    }
    return {countChange(microKey, chosen.microBatchSize), countChange(batchKey, batch.globalBatchSize)};
}

void noteEvaluation(const ConfigSection& root, std::int64_t microBatchSize, std::vector<std::string>& notes)
{
    const auto plan = evalPlan(root);
    if (plan && !root.has(evalKey)) {
        notes.emplace_back("Evaluation takes the same size, since there is no eval_batch_size.");
    } else if (plan && plan->presentSize != microBatchSize) {
        notes.push_back(
            sentence("eval_batch_size stays {}; axolotl warns of a size other than micro_batch_size.",
                     *plan->presentSize));
    }
}

SplicedText splice(const ConfigText& text, const ChosenSize& chosen)
{
    const ConfigSection root = *text.root();
    checkBatch(root);
    if (chosen.phase == model::Phase::Train) {
        std::vector<EntryChange> changes = trainChanges(root, chosen);
        std::vector<std::string> notes;
        switchOffBatchFinder(root, changes, notes);
        noteEvaluation(root, chosen.microBatchSize, notes);
        noteDeepSpeed(root, notes);
        return withChanges(root, changes, notes);
    }
    if (!evalPlan(root)) {
        throw ConfigError(
            "The config sets nothing aside to evaluate on; choose the other phase, or write val_set_size.");
    }
    return withChanges(root, {plainBatchChange(evalKey, microKey, chosen)});
}

} // namespace

constinit const Format axolotlFormat{
    .name = "axolotl",
    .mark = "base_model with micro_batch_size, datasets or sequence_len",
    .neededKeys = "base_model micro_batch_size|datasets|sequence_len",
    .defaultKeys =
        "base_model micro_batch_size gradient_accumulation_steps sequence_len datasets adapter val_set_size",
    .fits = fits,
    .read = read,
    .splice = splice};

} // namespace batchpeak::config
