// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_document.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <string>

using namespace batchpeak;
using namespace batchpeak::config;
using test::row;
using test::rows;

/// Tests the short reasons for refused configs, by which a table of many configs is grouped.
class RefusalReasonsTest : public QObject
{
    Q_OBJECT

private slots:
    void areShort_data()
    {
        const std::string axolotl = "base_model: gpt2\nmicro_batch_size: 1\ngradient_accumulation_steps: 1\n";
        const std::string factory = "model_name_or_path: gpt2\ncutoff_len: 64\n";
        const std::string torchtune = "model: {_component_: torchtune.models.llama3_1.llama3_1_8b}\n"
                                      "dataset: {}\noptimizer: {}\nbatch_size: 1\n";
        rows<std::string, std::string>({
            {"unknown id",
             {"base_model: nobody/nothing\nmicro_batch_size: 1\n"
              "gradient_accumulation_steps: 1\n",
              "a hub id that is not known"}},
            {"no network", {"per_device_train_batch_size: 1", "a network that the config does not describe"}},
            {"family",
             {"{\"model_type\": \"gemma3\", \"architectures\": []}",
              "a network family that is not run here"}},
            {"pictures",
             {"{\"model_type\": \"gemma3\", \"architectures\": [], \"vision_config\": {}}",
              "a network of more than texts"}},
            {"part",
             {"{\"model_type\": \"gpt2\", \"architectures\": [\"GPT2LMHeadModel\"], "
              "\"add_cross_attention\": true}",
              "a part of a network that is not run here"}},
            {"preferences", {axolotl + "rl: dpo", "preferences or rewards"}},
            {"another stage", {factory + "finetuning_type: full\nstage: rm", "preferences or rewards"}},
            {"over devices", {axolotl + "tensor_parallel_size: 2", "a network or texts cut over devices"}},
            {"quantization-aware", {axolotl + "qat: {weight_dtype: mxfp4}", "quantization-aware training"}},
            {"another adapter", {factory + "finetuning_type: oft", "an adapter of another kind (OFT)"}},
            {"nothing trained", {factory + "template: a\nexport_dir: b", "a config that trains nothing"}},
            {"of torchtune", {torchtune + "tensor_parallel_dim: 2", "a network or texts cut over devices"}},
            {"of DeepSpeed",
             {"{\"train_micro_batch_size_per_gpu\": 1}", "a network that the config does not describe"}},
        });
    }

    void areShort()
    {
        const auto& [text, reason] = row<std::string, std::string>();
        const ConfigContents contents = recognize(text)->read();
        const auto* unsupported = std::get_if<UnsupportedModel>(&contents.model);
        QVERIFY(unsupported);
        QCOMPARE(unsupported->reason, reason);
    }
};

BATCHPEAK_TEST(RefusalReasonsTest)
#include "tst_refusal_reasons.moc"
