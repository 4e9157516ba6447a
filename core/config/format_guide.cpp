// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "format_guide.h"

#include "format.h"

#include <array>

namespace batchpeak::config {

namespace {

FormatGuide guideTo(const Format& format, std::string_view network, std::string_view writes,
                    std::string_view example)
{
    return {
        .name = format.name, .mark = format.mark, .network = network, .writes = writes, .example = example};
}

} // namespace

std::span<const FormatGuide> formatGuides()
{
    static const std::array guides{
        guideTo(ownFormat, "model", "micro_batch_size eval_micro_batch_size",
                "batchpeak explore run.yaml --in-place"),
        guideTo(cerebrasTrainerFormat, "trainer.init.model", "csx.performance.micro_batch_size",
                "batchpeak explore params.yaml --in-place"),
        guideTo(cerebrasParamsFormat, "model", "micro_batch_size",
                "batchpeak explore params.yaml --in-place"),
        guideTo(axolotlFormat, "base_model", "micro_batch_size gradient_accumulation_steps eval_batch_size",
                "batchpeak explore axolotl.yaml --in-place"),
        guideTo(gptNeoxFormat, "num_layers, hidden_size",
                "train_micro_batch_size_per_gpu gradient_accumulation_steps train_batch_size",
                "batchpeak explore 125M.yml --in-place"),
        guideTo(swiftMegatronFormat, "--model", "--micro_batch_size --global_batch_size",
                "batchpeak explore megatron_sft.sh --in-place"),
        guideTo(swiftFormat, "--model",
                "--per_device_train_batch_size --per_device_eval_batch_size --gradient_accumulation_steps",
                "batchpeak explore sft.sh --in-place"),
        guideTo(openRlhfSftFormat, "--pretrain",
                "--micro_train_batch_size --train_batch_size --train.micro_batch_size --train.batch_size",
                "batchpeak explore train_sft.sh --in-place"),
        guideTo(verlSftFormat, "model.partial_pretrain",
                "data.micro_batch_size_per_gpu data.train_batch_size",
                "batchpeak explore run_sft.sh --in-place"),
        guideTo(verlEngineFormat, "model.path", "data.micro_batch_size_per_gpu data.train_batch_size",
                "batchpeak explore run_sft_engine.sh --in-place"),
        guideTo(torchtitanFormat, "model.name, model.flavor",
                "training.local_batch_size training.global_batch_size validation.local_batch_size",
                "batchpeak explore llama3_8b.toml --in-place"),
        guideTo(nanotronFormat, "model.model_config",
                "tokens.micro_batch_size tokens.batch_accumulation_per_replica",
                "batchpeak explore config_tiny_llama.yaml --in-place"),
        guideTo(litgptFormat, "checkpoint_dir, model_name or model_config",
                "train.micro_batch_size train.global_batch_size", "batchpeak explore full.yaml --in-place"),
        guideTo(olmoFormat, "model",
                "device_train_microbatch_size global_train_batch_size device_eval_batch_size",
                "batchpeak explore OLMo-1B.yaml --in-place"),
        guideTo(llamaBoardFormat, "top.model_name", "train.batch_size train.gradient_accumulation_steps",
                "batchpeak explore llamaboard_config.yaml --in-place"),
        guideTo(
            accelerateFormat, "--model",
            "deepspeed_config.train_micro_batch_size_per_gpu deepspeed_config.gradient_accumulation_steps "
            "deepspeed_config.train_batch_size",
            "batchpeak explore accelerate.yaml --model config.json --in-place"),
        guideTo(deepSpeedFormat, "--model",
                "train_micro_batch_size_per_gpu gradient_accumulation_steps train_batch_size",
                "batchpeak explore ds_config.json --model config.json --in-place"),
        guideTo(huggingFaceConfigFormat, "the file itself", "",
                "batchpeak explore config.json --phase eval --sequence-length 1024"),
        guideTo(checkpointParamsFormat, "the file itself", "",
                "batchpeak explore params.json --sequence-length 1024"),
        guideTo(llamaFactoryV1Format, "model", "micro_batch_size global_batch_size",
                "batchpeak explore train_full_fsdp2.yaml --in-place"),
        guideTo(huggingFaceTrainingFormat, "model_name_or_path",
                "per_device_train_batch_size per_device_eval_batch_size gradient_accumulation_steps "
                "auto_find_batch_size",
                "batchpeak explore config_full.yaml --in-place"),
        guideTo(llamaFactoryFormat, "model_name_or_path",
                "per_device_train_batch_size per_device_eval_batch_size gradient_accumulation_steps "
                "auto_find_batch_size",
                "batchpeak explore full_sft.yaml --in-place"),
        guideTo(llmFoundryFormat, "model", "device_train_microbatch_size device_eval_batch_size",
                "batchpeak explore mpt-125m.yaml --in-place"),
        guideTo(megatronFormat, "the script's arguments", "--micro-batch-size --global-batch-size",
                "batchpeak explore pretrain_gpt.sh --in-place"),
        guideTo(nemoFormat, "model", "model.micro_batch_size model.global_batch_size",
                "batchpeak explore megatron_gpt_config.yaml --in-place"),
        guideTo(torchtuneFormat, "model._component_", "batch_size gradient_accumulation_steps",
                "batchpeak explore full_finetune.yaml --in-place")};
    static_assert(guides.size() == formats.size(), "each format has a guide");
    return guides;
}

} // namespace batchpeak::config
