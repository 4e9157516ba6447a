// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "approximations.h"
#include "format.h"
#include "networks/network_readers.h"
#include "networks/peft_adapter.h"
#include "packing.h"
#include "run_reader.h"
#include "sharding.h"
#include "syntax/json_text.h"
#include "syntax/words.h"
#include "training_arguments.h"
#include "unmodeled_features.h"

#include <algorithm>
#include <array>
#include <string>

namespace batchpeak::config {

/// Configs of programs around transformers' Trainer: its own scripts, those of TRL and those of
/// alignment-handbook, in YAML or JSON.
///
/// The micro-batch size is under per_device_train_batch_size and per_device_eval_batch_size. What a script
/// decides in its own code is not known here, such as the length of texts if no key sets it.
namespace {

// ModelConfig of TRL 1.x, trl/trainer/model_config.py, and ModelArguments of transformers' example scripts.
constexpr NameKeys nameKeys{.name = "model_name_or_path", .revision = "model_revision"};

constexpr std::string_view lossKey = "loss_type";

/// Steps that involve more than a network and its texts.
constexpr std::string_view orRewards = "trains on preferences or rewards ({})";
constexpr std::array<UnmodeledFeature, 3> otherSteps{
    {{"num_generations",
      "trains on texts that the network writes itself ({})",
      UnmodeledFeature::When::On,
      {},
      {},
      reason::preferences},
     {"beta", orRewards, UnmodeledFeature::When::On, {}, {}, reason::preferences},
     {"max_prompt_length", orRewards, UnmodeledFeature::When::On, {}, {}, reason::preferences}}};

/// Keys of KTOConfig, CPOConfig and RewardConfig in TRL 1.16 that no other trainer has.
constexpr WordMap<model::Preference, 5> keysOfMethods{
    {{"desirable_weight", model::Preference::Kto},
     {"undesirable_weight", model::Preference::Kto},
     {"cpo_alpha", model::Preference::Simpo},
     {"simpo_gamma", model::Preference::Simpo},
     {"center_rewards_coefficient", model::Preference::Reward}}};
constexpr auto stepsOfMethods = [] {
    std::array<UnmodeledFeature, keysOfMethods.size()> steps{};
    std::ranges::transform(keysOfMethods, steps.begin(), [](const auto& method) {
        return UnmodeledFeature{.key = method.first,
                                .text = orRewards,
                                .when = UnmodeledFeature::When::There,
                                .why = reason::preferences};
    });
    return steps;
}();

/// Losses of DPOConfig, KTOConfig and GRPOConfig in TRL 1.16. CPOConfig has some of DPO's losses, and simpo.
constexpr std::string_view lossesOfDpo =
    "sigmoid hinge ipo exo_pair nca_pair robust bco_pair sppo_hard aot aot_unpaired apo_zero apo_down "
    "discopop sft sigmoid_norm";
constexpr std::string_view lossesOfKto = "kto apo_zero_unpaired";
constexpr std::string_view lossesOfGrpo = "grpo bnpo dr_grpo dapo luspo cispo sapo vespo";
constexpr std::array<UnmodeledFeature, 1> stepsOfLosses{
    {{.key = lossKey, .text = orRewards, .when = UnmodeledFeature::When::There, .why = reason::preferences}}};

/// Returns the method of a loss: None if the network writes the texts itself; nothing if the loss does not
/// identify a method.
std::optional<model::Preference> preferenceOfLoss(const ConfigSection& root)
{
    using enum model::Preference;
    const YamlNode* loss = root.value(lossKey);
    if (!loss)
        return std::nullopt;
    const std::string& name = loss->value;
    if (isAmong(name, lossesOfGrpo))
        return None;
    if (name == "simpo")
        return Simpo;
    if (isAmong(name, lossesOfKto))
        return Kto;
    // DPOConfig accepts a list, too.
    return loss->kind == NodeKind::Sequence || isAmong(name, lossesOfDpo) ? std::optional(Dpo) : std::nullopt;
}

/// Returns the method of preferences, which the script decides. A key or a loss that only one of TRL's
/// trainers has identifies it, else the name of the output; the default is DPO.
model::Preference preferenceOf(const ConfigSection& root)
{
    using enum model::Preference;
    if (root.isOn("num_generations"))
        return None;
    const auto method =
        std::ranges::find_if(keysOfMethods, [&](const auto& each) { return root.has(each.first); });
    if (method != keysOfMethods.end())
        return method->second;
    if (const auto ofLoss = preferenceOfLoss(root))
        return *ofLoss;
    const std::string places =
        lowerCase(root.text("output_dir").value_or("") + ' ' + root.text("run_name").value_or("") + ' ' +
                  root.text("hub_model_id").value_or(""));
    constexpr WordMap<model::Preference, 3> named{{{"orpo", Orpo}, {"kto", Kto}, {"simpo", Simpo}}};
    const auto found = std::ranges::find_if(
        named, [&](const auto& each) { return places.find(each.first) != std::string::npos; });
    return found == named.end() ? Dpo : found->second;
}

// SFTConfig of TRL 1.x, trl/trainer/sft_config.py.
constexpr std::array<UnmodeledFeature, 1> differences{{{.key = "activation_offloading",
                                                        .text = hostActivationsText,
                                                        .approximation = approximation::hostActivations}}};

/// Applies if packing is on, whose value is the default.
constexpr std::array<UnmodeledFeature, 1> unpackedEvaluation{
    {{.key = "eval_packing",
      .text = unpackedEvaluationText,
      .when = UnmodeledFeature::When::False,
      .approximation = approximation::unpackedEvaluation}}};

/// Whether the config has keys of SFTConfig and ModelConfig in TRL, or of ScriptArguments in
/// alignment-handbook, which is built on TRL.
bool isTrl(const ConfigSection& root)
{
    return hasOneOf(root, "max_length max_seq_length packing dataset_text_field dataset_mixture "
                          "dataset_mixer use_peft assistant_only_loss model_init_kwargs");
}

void warnOfTrlDefault(const ConfigSection& root, std::string_view key, ConfigContents& contents)
{
    if (!isTrl(root))
        return;
    warn(contents.warnings, root.positionOf(key),
         "{} is absent and taken for True, as in TRL since August 2025; write it, so the run does not depend "
         "on a release.",
         key);
}

// max_seq_length is the name in SFTConfig of older TRL releases, max_seq_len in PEFT's examples/sft of 2023;
// block_size and max_source_length are keys of transformers' example scripts, model_max_length one of
// FastChat's train.py and of the scripts made after it.
constexpr std::string_view lengthKeys =
    "max_length max_seq_length max_seq_len model_max_length block_size max_source_length";

// The older name of checkpointing is used if the newer is absent: TrainingArguments.__post_init__ in
// transformers 5.23.
constexpr PlaceKeys placeKeys{.sequenceLength = lengthKeys,
                              .precisionSwitches = "fp16 bf16",
                              .tf32 = "tf32",
                              .checkpointing = "activation_checkpointing gradient_checkpointing"};

void readLengths(const ConfigSection& root, ConfigContents& contents)
{
    // Default of SFTConfig.max_length in TRL 1.x, trl/trainer/sft_config.py.
    constexpr std::int64_t defaultOfTrl = 1024;
    const auto keys = splitWords(lengthKeys);
    const auto key = std::ranges::find_if(keys, [&](std::string_view k) { return root.has(k); });
    if (key != keys.end())
        contents.sequenceLength = readLength(root, *key).value();
    else if (isTrl(root) && !root.find("max_length"))
        contents.sequenceLength = defaultOfTrl;
    contents.targetLength = readLength(root, "max_target_length");
    resolveLengths(contents);
}

/// Reads the loss, whose default depends on the release: __post_init__ of SFTConfig since TRL 1.7,
/// trl/trainer/sft_config.py, which does not combine such a loss with Liger's.
void readLoss(const ConfigSection& root, ConfigContents& contents)
{
    if (root.isOn("use_liger_kernel")) {
        takeLossInChunks(contents, root.positionOf("use_liger_kernel"));
        return;
    }
    if (!isTrl(root) || contents.step.preference != model::Preference::None ||
        root.text(lossKey).value_or("chunked_nll") != "chunked_nll")
        return;
    // _CHUNKED_LM_HEAD_CHUNK_SIZE in trl/trainer/sft_trainer.py of TRL 1.7 to 1.14.
    constexpr std::int64_t rows = 256;
    contents.step.lossChunkRows = rows;
    contents.step.recomputesLossChunks = true;
    if (!root.has(lossKey)) {
        warn(
            contents.warnings, root.positionOf(lossKey),
            "{} is absent and taken for chunked_nll as TRL 1.7 to 1.14 compute it; earlier releases make all "
            "logits at once, and later ones go by a kernel of their own: write it, so the run does not "
            "depend on a release.",
            lossKey);
    }
}

/// Checks the precision of a loss in chunks. If parameters have 16 bits, trials compute the products of the
/// chunks in 16 bits, as the run does with autocast; without autocast, the run computes them in fp32 up to
/// TRL 1.14.
void resolveLoss(const ConfigSection& root, ConfigContents& contents)
{
    const bool autocasts = model::isMixed(readMixedPrecision(root, isTrl(root)));
    const bool isAsTheRuns =
        !computesInSixteenBits(contents) || (model::isPlain(contents.precision) && autocasts);
    if (!contents.step.recomputesLossChunks || isAsTheRuns)
        return;
    warnOfApproximation(contents.warnings, root.positionOf(lossKey), approximation::chunkedLoss,
                        "The run computes its loss from products in fp32; those of trials have 16 bits.");
}

/// Reads packing. The strategy "wrapped" cuts a stream of tokens; "bfd", the default, keeps texts separate
/// (pack_dataset in TRL 1.x, trl/data_utils.py).
void readPacking(const ConfigSection& root, ConfigContents& contents)
{
    constexpr std::string_view key = "packing";
    if (!root.isOn(key))
        return;
    warnOf(root, unpackedEvaluation, contents.warnings);
    if (root.text("packing_strategy") != "wrapped")
        packTexts(root.positionOf(key), key, contents);
}

/// Key of the arguments with which a network is loaded: SFTConfig in TRL 1.x, trl/trainer/sft_config.py.
/// use_cache among them has no effect, since the loss is computed without a cache (compute_loss in
/// trl/trainer/sft_trainer.py).
constexpr std::string_view trlLoadingKey = "model_init_kwargs";

/// Returns the section that sets the type: the root, or those arguments if the root does not set it.
ConfigSection trlLoading(const ConfigSection& root)
{
    const ConfigSection arguments = root.sectionIfAny(trlLoadingKey);
    return !hasOneOf(root, "dtype torch_dtype") && arguments.find("dtype") ? arguments : root;
}

/// \param loading  section that trlLoading() returns
std::string_view trlTypeKey(const ConfigSection& loading)
{
    // torch_dtype has been called dtype since transformers 4.56.
    return loading.find("dtype") ? "dtype" : "torch_dtype";
}

/// Returns the type in which weights are loaded, from dtype or its older name: "bfloat16", "auto". Returns
/// "float32" if the key is absent, "auto" if it is null.
std::string trlTypeOfWeights(const ConfigSection& root)
{
    const ConfigSection loading = trlLoading(root);
    const std::string_view key = trlTypeKey(loading);
    return loading.isWrittenNull(key) ? "auto" : loading.text(key).value_or("float32");
}

/// Warns which scripts use those arguments, and what trials do differently.
void warnOfTrlLoading(const ConfigSection& root, std::vector<Warning>& warnings)
{
    if (!root.isOn(trlLoadingKey))
        return;
    warn(warnings, root.positionOf(trlLoadingKey),
         "{} is heeded where a script hands the name of a network to SFTTrainer, which is taken for granted; "
         "TRL's own scripts and alignment-handbook pass over it, and take dtype and attn_implementation from "
         "beside it.",
         trlLoadingKey);
    const ConfigSection arguments = root.sectionIfAny(trlLoadingKey);
    // create_model_from_path in trl/trainer/utils.py then sets dtype to float32, which from_pretrained of
    // transformers 5.23 uses first.
    if (arguments.has("torch_dtype") && !arguments.find("dtype")) {
        warn(warnings, arguments.positionOf("torch_dtype"),
             "TRL 1.x passes over {} and loads weights in fp32; call it dtype to have it heeded.",
             arguments.pathOf("torch_dtype"));
    }
    if (arguments.isOn("quantization_config")) {
        warnOfApproximation(warnings, arguments.positionOf("quantization_config"),
                            approximation::otherQuantization,
                            "{} has the network quantized as it is loaded; trials hold it whole.",
                            arguments.pathOf("quantization_config"));
    }
}

constexpr std::string_view adapterKey = "use_peft";
constexpr std::string_view targetsKey = "lora_target_modules";
constexpr std::string_view savedKey = "lora_modules_to_save";
constexpr std::string_view narrowKey = "load_in_4bit";
constexpr std::string_view byteKey = "load_in_8bit";

/// Reads quantization as get_quantization_config in trl/trainer/utils.py does.
void readQuantization(const ConfigSection& root, PeftAdapter& adapter, std::vector<Warning>& warnings)
{
    const bool isNarrow = root.isOn(narrowKey);
    if (!isNarrow && !root.isOn(byteKey))
        return;
    const bool hasSixteenBits = trlTypeOfWeights(root) != "float32";
    if (isNarrow) {
        adapter.frozenWeights = model::FrozenWeights::Nf4;
        adapter.doubleQuantization = root.boolean("use_bnb_nested_quant").value_or(false);
        if (!hasSixteenBits) {
            warnOfApproximation(
                warnings, root.positionOf(narrowKey), approximation::fp32Products,
                "The run computes with weights in fp32 that it holds in 4 bits, since dtype is "
                "not bfloat16; trials compute in bfloat16, which takes less time.");
        }
    } else {
        adapter.frozenWeights = model::FrozenWeights::Int8;
        warnOfIntegerKernels(root, byteKey, warnings);
    }
    if (!hasSixteenBits) {
        warnOfApproximation(
            warnings, trlLoading(root).positionOf(trlTypeKey(trlLoading(root))), approximation::wideWeights,
            "The run holds embeddings and normalizations in fp32, since dtype is not bfloat16; "
            "trials hold them in bfloat16, which takes less memory.");
    }
}

/// Reads the adapter of a config of TRL, by ModelConfig (trl/trainer/model_config.py of TRL 1.x); empty if
/// use_peft is off.
/// \throws NotRun if trials do not support it
/// \throws ConfigError if a value is illegal
decltype(ConfigContents::tuningFor) readTrlAdapter(const ConfigSection& root, std::vector<Warning>& warnings)
{
    for (const std::string_view key : {narrowKey, byteKey}) {
        if (root.isOn(key) && !root.isOn(adapterKey)) {
            // validate_quantization_for_training in trainer_utils.py of transformers 5.23.
            root.fail(key, "is on, but transformers trains no quantized weights without adapters; add "
                           "use_peft: true, or leave it out");
        }
    }
    if (!root.isOn(adapterKey))
        return nullptr;
    const std::string_view placeKey = root.has(targetsKey) ? targetsKey : adapterKey;
    const bool hasSixteenBits = trlTypeOfWeights(root) != "float32";
    const bool isNarrow = hasSixteenBits || hasDeepSpeedPrecision(root, readMixedPrecision(root, true));
    PeftAdapter adapter{.rank = sizeOr(root, "lora_r", 16),
                        .alpha = root.number("lora_alpha").value_or(32.0),
                        .dropout = dropoutRateOr(root, "lora_dropout", 0.05),
                        .rankStabilized = root.boolean("use_rslora").value_or(false),
                        .usesDora = root.boolean("use_dora").value_or(false),
                        .targets = readModuleChoice(root, targetsKey),
                        .modulesToSave = readTexts(root, savedKey),
                        .place = {.path = std::string(placeKey), .position = root.positionOf(placeKey)},
                        .frozenWeights = isNarrow ? model::FrozenWeights::Bf16 : model::FrozenWeights::Fp32};
    // __post_init__ of ModelConfig: a list of one word becomes that word, and so a pattern for whole names.
    if (const auto* names = std::get_if<std::vector<std::string>>(&adapter.targets);
        names && names->size() == 1)
        adapter.targets = std::string(names->front());
    readTargetParameters(root, "lora_target_parameters", adapter);
    addSavedHeads(adapter, root.text("lora_task_type").value_or(""));
    readQuantization(root, adapter, warnings);
    adapter.takesConv1d = true;
    const bool areAlike = root.isOn(narrowKey) || root.isOn(byteKey) || !hasSixteenBits;
    if (!adapter.modulesToSave.empty() && !areAlike)
        warnOfNarrowCopies(root, savedKey, warnings);
    return tuningBy(std::move(adapter));
}

/// Sets the precision with adapters but without autocast: the network computes in the type of its weights,
/// the adapters in fp32, and PEFT casts between them (Linear.forward in PEFT 0.18,
/// peft/tuners/lora/layer.py). Copies of whole modules have the type of the network; trials hold that type
/// beside fp32 only with autocast.
void resolveUncastAdapters(const ConfigSection& root, const std::string& type, ConfigContents& contents)
{
    const ConfigSection loading = trlLoading(root);
    if (!contents.tuning.trainedParts.empty() || model::isQuantized(contents.tuning.frozenWeights)) {
        contents.precision = model::Precision::Bf16;
        warnOfFp32Adapters(root.positionOf("bf16"), "neither bf16 nor fp16 is on", contents.warnings);
        return;
    }
    if (type == "float16") {
        warnOfApproximation(contents.warnings, loading.positionOf(trlTypeKey(loading)),
                            approximation::float16,
                            "The run computes with weights in float16; trials do in bfloat16.");
    }
}

/// Reads the precision. Adapters are fp32 beside a network in 16 bits (cast_adapter_dtype in PEFT 0.18), but
/// bfloat16 beside one in fewer bits (SFTTrainer.__init__ in TRL 1.x, trl/trainer/sft_trainer.py).
void readPrecision(const ConfigSection& root, ConfigContents& contents)
{
    // The default is on in TRL (SFTConfig in TRL 1.x), and off elsewhere (TrainingArguments in transformers
    // 5.23).
    contents.precision = readMixedPrecision(root, isTrl(root));
    if (!root.has("bf16") && !root.has("fp16"))
        warnOfTrlDefault(root, "bf16", contents);
    if (resolveSharedPrecision(root, /*takesConfigAlone=*/false, contents.precision, contents))
        return;
    std::string type = trlTypeOfWeights(root);
    const ConfigSection loading = trlLoading(root);
    const std::string_view key = trlTypeKey(loading);
    // Outside of TRL the default is "auto": from_pretrained in modeling_utils.py of transformers 5.23.
    bool isAuto = type == "auto" || (!isTrl(root) && !loading.has(key));
    // TF32 applies to products in fp32, and GradScaler does not accept float16 gradients, so the file must be
    // in fp32.
    const bool isWideFile = !isTrl(root) && (contents.precision == model::Precision::Tf32 ||
                                             model::isFloat16(contents.precision));
    if (isAuto && !isWideFile && !contents.typeOfWeights.empty()) {
        type = contents.typeOfWeights;
        isAuto = false;
    }
    if (isAuto) {
        warnOfTypeOfFile(loading.positionOf(key),
                         isWideFile ? "fp32, which the run's precision wants" : asMostFiles, contents);
    }
    const bool isNarrow = contents.tuningFor && (root.isOn("load_in_4bit") || root.isOn("load_in_8bit"));
    if (type != "bfloat16" && type != "float16" && !isAuto && !isNarrow)
        return;
    if (isAuto && isWideFile)
        return;
    if (contents.tuningFor && !isNarrow && !model::isMixed(contents.precision)) {
        resolveUncastAdapters(root, type, contents);
        return;
    }
    const bool scalesLoss = model::isFloat16(contents.precision);
    const bool isCast = model::isMixed(contents.precision);
    contents.precision =
        contents.tuningFor && !isNarrow ? model::Precision::Bf16 : model::Precision::PlainBf16;
    contents.places.precision = loading.placeOf(key);
    if (scalesLoss || (type == "float16" && model::isPlain(contents.precision)))
        contents.precision = model::inFloat16(contents.precision);
    else if (type == "float16") {
        warnOfApproximation(
            contents.warnings, loading.positionOf(key), approximation::float16,
            "The run holds weights in float16 and computes in bfloat16, each with copies of its "
            "own; trials do both in bfloat16.");
    }
    if (isCast)
        warnOfWideNormalizations(loading.positionOf(key), contents);
}

void readCheckpointing(const ConfigSection& root, ConfigContents& contents)
{
    // The default is off in transformers (TrainingArguments in transformers 5.23) and on in TRL (SFTConfig in
    // TRL 1.x; pull request 3510).
    const auto isOn = root.boolean(root.has("activation_checkpointing") ? "activation_checkpointing"
                                                                        : "gradient_checkpointing");
    contents.step.activationCheckpointing =
        contents.step.activationCheckpointing || isOn.value_or(isTrl(root));
    if (!isOn)
        warnOfTrlDefault(root, "gradient_checkpointing", contents);
}

/// Returns JSON only if keys are in quotation marks: a text in braces may be YAML too.
Dialect dialectOf(const YamlDocument& document)
{
    const auto& keys = document.root().children;
    return document.isJson() && !keys.empty() && !keys.front()->plain ? Dialect::Json : Dialect::PyYaml;
}

bool fits(const ConfigText& text)
{
    const auto root = text.root();
    // Other programs have the other options too.
    const bool isScript = !text.launch().words.empty();
    // Options of that name mean other things to it, and the rest of its run are constants.
    if (text.launch().words.find("unsloth-cli") != std::string::npos)
        return false;
    return root &&
           (hasOneOf(*root, "per_device_train_batch_size per_device_eval_batch_size") ||
            (!isScript && hasOneOf(*root, "num_train_epochs model_name_or_path"))) &&
           !llamaFactoryFormat.fits(text);
}

ConfigContents read(const ConfigText& text)
{
    const ConfigSection root = *text.root(dialectOf(*text.document()));
    // HfArgumentParser.parse_json_file in transformers 5.23, hf_argparser.py, reads with json.loads.
    if (root.dialect() == Dialect::Json)
        requireJson(text.text(), JsonComments::Refused);
    ConfigContents contents;
    readTrainingArguments(root, contents);
    warnOf(root, differences, contents.warnings);
    warnOfTrlLoading(root, contents.warnings);
    readPacking(root, contents);
    contents.model = networkOrError([&] {
        const model::Preference preference = preferenceOf(root);
        refuseOtherRun(root, otherSteps, preference, contents);
        refuseOtherRun(root, stepsOfMethods, preference, contents);
        if (preferenceOfLoss(root))
            refuseOtherRun(root, stepsOfLosses, preference, contents);
        refuseSharedCuts(root);
        contents.tuningFor = readTrlAdapter(root, contents.warnings);
        return readNamedModel(root, nameKeys, text.networks(), contents);
    });
    resolveTuning(contents);
    readLengths(root, contents);
    readLoss(root, contents);
    readPrecision(root, contents);
    resolveLoss(root, contents);
    readCheckpointing(root, contents);
    notePlaces(root, placeKeys, contents);
    resolveAttention(contents);
    return contents;
}

SplicedText splice(const ConfigText& text, const ChosenSize& chosen)
{
    return withSizeInTrainingArguments(*text.root(dialectOf(*text.document())), chosen);
}

} // namespace

constinit const Format huggingFaceTrainingFormat{
    .name = "Hugging Face TrainingArguments",
    .mark = "per_device_train_batch_size, num_train_epochs or model_name_or_path",
    .neededKeys = "per_device_train_batch_size|num_train_epochs|model_name_or_path",
    .defaultKeys = "per_device_train_batch_size per_device_eval_batch_size gradient_accumulation_steps "
                   "model_name_or_path num_train_epochs output_dir learning_rate bf16",
    .fits = fits,
    .read = read,
    .splice = splice};

} // namespace batchpeak::config
