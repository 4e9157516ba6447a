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
