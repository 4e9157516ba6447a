// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "plain_format.h"
#include "plain_networks.h"

#include "approximations.h"
#include "training_arguments.h"

#include <array>

namespace batchpeak::config {

/// The tables of trainers that PlainFormat describes. Each names the source of its keys and defaults.
namespace {

using enum UnmodeledFeature::When;

constexpr std::string_view compiledText =
    "{} compiles the network; trials run it as it is, which takes longer.";
constexpr std::string_view selectiveText =
    "{} recomputes a part of the activations; trials recompute all, which takes longer and less memory.";

// torchtitan/config/job_config.py of torchtitan 0.2; older names: config_manager.py before pull request 1148.
constexpr std::array<UnmodeledFeature, 4> ofTorchtitan{
    {{.key = "compile.enable", .text = compiledText, .approximation = approximation::compiled},
     {.key = "training.compile", .text = compiledText, .approximation = approximation::compiled},
     {.key = "float8.enable_float8_linear", .text = fp8Text, .approximation = approximation::narrowProducts},
     {.key = "activation_checkpoint.mode",
      .text = selectiveText,
      .when = NoneOf,
      .known = "full none",
      .approximation = approximation::otherCheckpointing}}};

constexpr PlainFormat torchtitan{
    .needed = "training.local_batch_size|training.batch_size|training.global_batch_size|training.seq_len "
              "model.name|model.flavor|job.dump_folder",
    .dialect = Dialect::Json,
    .micro = "training.local_batch_size|training.batch_size",
    .defaultMicro = 8,
    .global = "training.global_batch_size",
    .evalMicro = "validation.local_batch_size",
    .defaultEvalMicro = 8,
    .evaluates = "validation.enable",
    .replicas = "parallelism.data_parallel_shard_degree|training.data_parallel_shard_degree|"
                "training.data_parallel_degree parallelism.data_parallel_replicate_degree|"
                "training.data_parallel_replicate_degree",
    .perReplica = "parallelism.tensor_parallel_degree|training.tensor_parallel_degree "
                  "parallelism.context_parallel_degree|experimental.context_parallel_degree "
                  "parallelism.pipeline_parallel_degree|experimental.pipeline_parallel_degree",
    .length = "training.seq_len",
    .defaultLength = 2048,
    .precision = "training.mixed_precision_param",
    .checkpointing = "activation_checkpoint.mode",
    .checkpointsByDefault = true,
    .run = {.optimizer = "optimizer.name",
            .gradientNorm = "training.max_norm",
            .defaultGradientNorm = 1.0,
            .learningRate = "optimizer.lr"},
    .network = readTorchtitanNetwork,
    .differences = ofTorchtitan};

// src/nanotron/config of nanotron 0.4: config.py, parallelism_config.py, models_config.py.
constexpr PlainFormat nanotron{
    .needed = "tokens.micro_batch_size parallelism.dp",
    .micro = "tokens.micro_batch_size",
    .steps = "tokens.batch_accumulation_per_replica",
    .replicas = "parallelism.dp",
    .perReplica = "parallelism.tp parallelism.pp parallelism.context_parallel_size",
    .length = "tokens.sequence_length",
    .precision = "model.dtype",
    .defaultPrecision = "bfloat16",
    .narrowsWeights = true,
    .checkpointing = "parallelism.recompute_layer|parallelism.recompute_granularity",
    .run = {.optimizer = "optimizer.optimizer_factory.name",
            .adamW = "adamW",
            .gradientNorm = "optimizer.clip_grad",
            .learningRate = "optimizer.learning_rate_scheduler.learning_rate"},
    .network = readNanotronNetwork};

// litgpt/args.py and litgpt/finetune/*.py of LitGPT 0.5.
constexpr PlainFormat litgpt{.needed = "train.micro_batch_size train.global_batch_size",
                             .micro = "train.micro_batch_size",
                             .defaultMicro = 4,
                             .global = "train.global_batch_size",
                             .evalMicro = "train.micro_batch_size",
                             .dropsRest = true,
                             .devices = "devices num_nodes",
                             .length = "train.max_seq_length|model_config.block_size",
                             .precision = "precision",
                             .defaultPrecision = "bf16-mixed",
                             .run = {.optimizer = "optimizer.class_path",
                                     .adamW = "torch.optim.AdamW AdamW",
                                     .optimizerArguments = "optimizer.init_args",
                                     .gradientNorm = "train.max_norm",
                                     .learningRate = "optimizer.init_args.lr"},
                             .network = readLitgptNetwork};

// megatron/neox_arguments of GPT-NeoX 2.0: neox_args.py, deepspeed_args.py, arguments.py
// (calculate_batch_parameters). Keys may have dashes in place of underscores.
constexpr PlainFormat gptNeox{
    .needed =
        "train_micro_batch_size_per_gpu|train-micro-batch-size-per-gpu|train_batch_size "
        "num_layers|num-layers|pipe_parallel_size|pipe-parallel-size|model_parallel_size|model-parallel-size|"
        "train_iters|train-iters",
    .micro = "train_micro_batch_size_per_gpu|train-micro-batch-size-per-gpu",
    .steps = "gradient_accumulation_steps|gradient-accumulation-steps",
    .defaultSteps = 1,
    .global = "train_batch_size|train-batch-size",
    .evalMicro = "train_micro_batch_size_per_gpu|train-micro-batch-size-per-gpu",
    .perReplica = "model_parallel_size|model-parallel-size pipe_parallel_size|pipe-parallel-size",
    .length = "seq_length|seq-length",
    .precision = "precision",
    .defaultPrecision = "fp32",
    .fp16 = "fp16.enabled|fp16.fp16",
    .bf16 = "bf16.enabled|bfloat16.enabled",
    .narrowsWeights = true,
    .checkpointing = "checkpoint_activations|checkpoint-activations",
    .run = {.optimizer = "optimizer.type",
            .adamW = "Adam",
            .gradientNorm = "gradient_clipping",
            .defaultGradientNorm = 1.0,
            .learningRate = "optimizer.params.lr"},
    .network = readNeoxNetwork};

// olmo/config.py of OLMo 0.6, and olmo/train.py: its batch is over all devices.
constexpr PlainFormat olmo{.needed = "model.d_model device_train_microbatch_size|global_train_batch_size",
                           .without = "model.name",
                           .dialect = Dialect::OmegaConf,
                           .micro = "device_train_microbatch_size",
                           .defaultMicro = 16,
                           .global = "global_train_batch_size",
                           .defaultGlobal = 512,
                           .evalMicro = "device_eval_batch_size",
                           .defaultEvalMicro = 16,
                           .alwaysEvaluates = true,
                           .length = "model.max_sequence_length",
                           .defaultLength = 1024,
                           .precision = "precision",
                           .defaultPrecision = "amp_bf16",
                           .checkpointing = "activation_checkpointing",
                           .run = {.optimizer = "optimizer.name",
                                   .unfusedLion = "lionw",
                                   .gradientNorm = "max_grad_norm",
                                   .learningRate = "optimizer.learning_rate"},
                           .defaultOptimizer = "lionw",
                           .network = readOlmoNetwork};

// verl/trainer/config/sft_trainer.yaml and fsdp_sft_trainer.py of verl 0.6.
// data.micro_batch_size is read by nothing since January 2025 (commit f2a76acd).
constexpr PlainFormat verlSft{
    .needed = "data.micro_batch_size_per_gpu|data.micro_batch_size|data.train_batch_size",
    .programs = "verl.trainer.fsdp_sft_trainer|fsdp_sft_trainer.py",
    .micro = "data.micro_batch_size_per_gpu",
    .defaultMicro = 4,
    .global = "data.train_batch_size",
    .defaultGlobal = 256,
    .evalMicro = "data.micro_batch_size_per_gpu",
    .alwaysEvaluates = true,
    .perReplica = "ulysses_sequence_parallel_size",
    .length = "data.max_length",
    .defaultLength = 1024,
    .precision = "model.fsdp_config.mixed_precision.param_dtype",
    .checkpointing = "model.enable_gradient_checkpointing",
    .checkpointsByDefault = true,
    .run = {.gradientNorm = "optim.clip_grad", .defaultGradientNorm = 1.0, .learningRate = "optim.lr"},
    .network = readVerlNetwork};

// verl/trainer/config/sft_trainer_engine.yaml: micro-batches are budgets of tokens unless the switch is off.
constexpr PlainFormat verlEngine = [] {
    PlainFormat format = verlSft;
    format.programs = "verl.trainer.sft_trainer";
    format.off = "data.use_dynamic_bsz";
    format.perReplica = "engine.ulysses_sequence_parallel_size|engine.ulysses_parallel_size "
                        "engine.tensor_model_parallel_size engine.pipeline_model_parallel_size "
                        "engine.context_parallel_size";
    return format;
}();

// openrlhf/cli/train_sft.py of OpenRLHF 0.8, and the names with sections of later releases.
constexpr PlainFormat openRlhfSft{
    .needed = "micro_train_batch_size|train.micro_batch_size|train_batch_size|train.batch_size",
    .programs = "openrlhf.cli.train_sft|train_sft.py",
    .micro = "micro_train_batch_size|train.micro_batch_size",
    .defaultMicro = 8,
    .global = "train_batch_size|train.batch_size",
    .defaultGlobal = 128,
    .evalMicro = "micro_train_batch_size|train.micro_batch_size",
    .alwaysEvaluates = true,
    .perReplica = "ring_attn_size|ds.ring_attn_size ds_tensor_parallel_size|ds.tensor_parallel_size",
    .length = "max_len|data.max_len",
    .defaultLength = 2048,
    .precision = "param_dtype|ds.param_dtype",
    .bf16 = "bf16",
    .narrowsWeights = true,
    .checkpointing = "gradient_checkpointing|model.gradient_checkpointing_enable",
    .run = {.gradientNorm = "max_norm", .defaultGradientNorm = 1.0, .learningRate = "learning_rate"},
    .network = readOpenRlhfNetwork};

// swift/arguments of ms-swift 4.3, and the older names of 2.x and 3.x.
constexpr std::string_view swiftPrograms = "swift sft|swift pt|swift rlhf|swift/cli/sft.py|swift/cli/pt.py";

constexpr PlainFormat swift{.needed = "model|model_id_or_path|model_type "
                                      "dataset|train_type|tuner_type|sft_type|per_device_train_batch_size",
                            .programs = swiftPrograms,
                            .fileMarks = "tuner_type|train_type|sft_type dataset",
                            .micro = "per_device_train_batch_size|batch_size",
                            .steps = "gradient_accumulation_steps",
                            .evalMicro = "per_device_eval_batch_size|eval_batch_size",
                            .defaultEvalMicro = 1,
                            .fillsBatchOf16 = true,
                            .perReplica = "sequence_parallel_size",
                            .length = "max_length",
                            .precision = "torch_dtype|dtype",
                            .fp16 = "fp16",
                            .bf16 = "bf16",
                            .checkpointing = "gradient_checkpointing",
                            .checkpointsByDefault = true,
                            .run = {.optimizer = "optim",
                                    .adamW = torchAdamW,
                                    .unfusedAdamW = unfusedTorchAdamW,
                                    .gradientNorm = "max_grad_norm",
                                    .defaultGradientNorm = 1.0,
                                    .learningRate = "learning_rate",
                                    .attention = "attn_impl",
                                    .weighsTokens = true,
                                    .isOfTransformers = true},
                            .network = readSwiftNetwork};

// swift/megatron/arguments of ms-swift 4.3. Megatron's rule for the batch; its network comes from --model.
constexpr PlainFormat swiftMegatron{
    .needed = "micro_batch_size|global_batch_size model|load|mcore_model|model_type|load_safetensors",
    .programs = "megatron sft|megatron pt|megatron rlhf",
    .fileMarks = "micro_batch_size|global_batch_size "
                 "tuner_type|train_type|mcore_model|load_safetensors|save_safetensors|tensor_model_parallel_"
                 "size dataset",
    .micro = "micro_batch_size",
    .global = "global_batch_size",
    .defaultGlobal = 16,
    .evalMicro = "micro_batch_size",
    .perReplica = "tensor_model_parallel_size pipeline_model_parallel_size context_parallel_size",
    .length = "max_length",
    .precision = "torch_dtype",
    .fp16 = "fp16",
    .bf16 = "bf16",
    .narrowsWeights = true,
    .checkpointing = "recompute_granularity",
    .checkpointsByDefault = true,
    .run = {.gradientNorm = "clip_grad", .defaultGradientNorm = 1.0, .learningRate = "lr"},
    .network = readSwiftMegatronNetwork};

// src/llamafactory/webui of LLaMA-Factory 0.9: the file in which its web page saves a run.
constexpr PlainFormat llamaBoard{.needed = "train.batch_size top.model_name",
                                 .micro = "train.batch_size",
                                 .defaultMicro = 2,
                                 .steps = "train.gradient_accumulation_steps",
                                 .length = "train.cutoff_len",
                                 .defaultLength = 2048,
                                 .precision = "train.compute_type",
                                 .checkpointsByDefault = true,
                                 .run = {.gradientNorm = "train.max_grad_norm",
                                         .defaultGradientNorm = 1.0,
                                         .learningRate = "train.learning_rate",
                                         .weighsTokens = true},
                                 .network = readLlamaBoardNetwork};

// accelerate/utils/dataclasses.py and commands/config of accelerate 1.x: settings of DeepSpeed in
// accelerate's file.
constexpr PlainFormat accelerate{
    .needed = "num_processes distributed_type "
              "deepspeed_config.train_micro_batch_size_per_gpu|deepspeed_config.gradient_accumulation_steps",
    .micro = "deepspeed_config.train_micro_batch_size_per_gpu",
    .defaultMicro = 0,
    .steps = "deepspeed_config.gradient_accumulation_steps",
    .global = "deepspeed_config.train_batch_size",
    .devices = "num_processes",
    .precision = "mixed_precision",
    .defaultPrecision = "no",
    .run = {.gradientNorm = "deepspeed_config.gradient_clipping"},
    .network = readNoNetwork};

template<const PlainFormat& format>
bool fits(const ConfigText& text)
{
    return fitsPlain(format, text);
}

template<const PlainFormat& format>
ConfigContents read(const ConfigText& text)
{
    return readPlain(format, text);
}

template<const PlainFormat& format>
SplicedText splice(const ConfigText& text, const ChosenSize& chosen)
{
    return splicePlain(format, text, chosen);
}

/// Returns the format of a table.
/// \param mark, neededKeys  as in Format
template<const PlainFormat& format>
constexpr Format formatOf(std::string_view name, std::string_view mark, std::string_view neededKeys)
{
    return {.name = name,
            .mark = mark,
            .neededKeys = neededKeys,
            .defaultKeys = {},
            .fits = fits<format>,
            .read = read<format>,
            .splice = splice<format>};
}

} // namespace

constinit const Format torchtitanFormat = formatOf<torchtitan>(
    "torchtitan", "training.local_batch_size, with model.name", "training.local_batch_size");
constinit const Format nanotronFormat = formatOf<nanotron>(
    "nanotron", "tokens.micro_batch_size and parallelism.dp", "tokens.micro_batch_size parallelism.dp");
constinit const Format litgptFormat =
    formatOf<litgpt>("LitGPT", "train.micro_batch_size and train.global_batch_size",
                     "train.micro_batch_size train.global_batch_size");
constinit const Format gptNeoxFormat =
    formatOf<gptNeox>("GPT-NeoX", "train_micro_batch_size_per_gpu, with num_layers or model_parallel_size",
                      "train_micro_batch_size_per_gpu num_layers|model_parallel_size");
constinit const Format olmoFormat = formatOf<olmo>("OLMo", "model.d_model and device_train_microbatch_size",
                                                   "model.d_model device_train_microbatch_size");
constinit const Format verlSftFormat =
    formatOf<verlSft>("verl SFT script", "data.micro_batch_size_per_gpu for verl.trainer.fsdp_sft_trainer",
                      "data.micro_batch_size_per_gpu");
constinit const Format verlEngineFormat = formatOf<verlEngine>(
    "verl engine SFT script", "data.micro_batch_size_per_gpu for verl.trainer.sft_trainer",
    "data.micro_batch_size_per_gpu");
constinit const Format openRlhfSftFormat = formatOf<openRlhfSft>(
    "OpenRLHF SFT script", "--micro_train_batch_size for openrlhf.cli.train_sft", "micro_train_batch_size");
constinit const Format swiftFormat = formatOf<swift>(
    "ms-swift", "swift sft with --per_device_train_batch_size", "per_device_train_batch_size");
constinit const Format swiftMegatronFormat =
    formatOf<swiftMegatron>("ms-swift Megatron", "megatron sft with --micro_batch_size", "micro_batch_size");
constinit const Format llamaBoardFormat = formatOf<llamaBoard>(
    "LLaMA-Factory web page", "train.batch_size and top.model_name", "train.batch_size top.model_name");
constinit const Format accelerateFormat = formatOf<accelerate>(
    "accelerate", "deepspeed_config with num_processes", "deepspeed_config num_processes");

} // namespace batchpeak::config
