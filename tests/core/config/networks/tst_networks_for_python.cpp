// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/approximations.h"
#include "config/config_document.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <optional>
#include <string>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

constexpr const char* unknownFamily = R"({
  "model_type": "gpt_oss", "architectures": ["GptOssForCausalLM"], "vocab_size": 1000,
  "max_position_embeddings": 4096, "num_hidden_layers": 2
})";

NetworkSource sourceOf(const std::string& text)
{
    return [text](const NetworkName& name) {
        return NetworkLookup{.file = NetworkFile{.path = "/cache/config.json", .text = text},
                             .name = name.name};
    };
}

struct Published
{
    std::string text;
    /// No value if Python is not offered either.
    std::optional<bool> takesTexts;
    std::int64_t positions = 0;
};

struct Preferences
{
    std::string text;
    /// None if the user's Python does not run it either.
    model::Preference preference = model::Preference::None;
};

struct Adapter
{
    std::string lines;
    model::ModuleNames names;
};

} // namespace

class NetworksForPythonTest : public QObject
{
    Q_OBJECT

private slots:
    void areOfferedIfTheyAreNotRunHere_data()
    {
        rows<Published>(
            {{"another family", {unknownFamily, true, 4096}},
             {"no limit", {R"({"model_type": "mamba2", "vocab_size": 1000})", true, 0}},
             {"a part that is not run here",
              {R"({"model_type": "gpt2", "vocab_size": 10, "n_embd": 8, "n_layer": 1, "n_head": 1,
                   "n_positions": 8, "add_cross_attention": true})",
               true, 0}},
             {"texts beside images",
              {R"({"model_type": "mllama", "text_config": {"vocab_size": 10, "max_position_embeddings": 64},
                   "vision_config": {"image_size": 32}})",
               true, 64}},
             {"images", {R"({"model_type": "swin", "image_size": 32, "num_channels": 3})", false, 0}},
             {"neither", {R"({"model_type": "encodec", "sampling_rate": 24000})", std::nullopt, 0}}});
    }
    void areOfferedIfTheyAreNotRunHere()
    {
        const auto& [text, takesTexts, positions] = row<Published>();
        const auto document = recognize(text);
        const auto here = document->read();
        QVERIFY(std::holds_alternative<UnsupportedModel>(here.model));
        const std::string& sentence = std::get<UnsupportedModel>(here.model).sentence;
        QCOMPARE(sentence.find("--with python") != std::string::npos, takesTexts.has_value());

        const auto there = document->readForPython();
        const auto* spec = std::get_if<model::ModelSpec>(&there.model);
        QCOMPARE(spec != nullptr, takesTexts.has_value());
        QCOMPARE(there.notRunHere.has_value(), takesTexts.has_value());
        if (!spec)
            return;
        const auto& network = std::get<model::TransformersSpec>(spec->architecture);
        QCOMPARE(network.config, text);
        QCOMPARE(network.takesTexts, *takesTexts);
        QCOMPARE(network.positions, positions);
        QVERIFY(!model::problemWith(*spec));
    }

    void areUnchangedIfTheyAreRunHere()
    {
        const auto document = recognize(R"({"model_type": "gpt2", "vocab_size": 10, "n_embd": 8, "n_layer": 1,
                                            "n_head": 1, "n_positions": 8})");
        const auto there = document->readForPython();
        QVERIFY(!there.notRunHere);
        QVERIFY(std::get<model::ModelSpec>(there.model) ==
                std::get<model::ModelSpec>(document->read().model));
    }

    void keepAdaptersByName_data()
    {
        rows<Adapter>({{"named",
                        {"adapter: lora\nlora_r: 4\nlora_alpha: 8\nlora_target_modules: [q_proj, v_proj]\n"
                         "lora_modules_to_save: [lm_head]\n",
                         {.targets = {"q_proj", "v_proj"}, .saved = {"lm_head"}}}},
                       {"all linear layers",
                        {"adapter: lora\nlora_r: 4\nlora_alpha: 8\nlora_target_linear: true\n",
                         {.targets = {"all-linear"}, .isPattern = true}}},
                       {"a pattern",
                        {"adapter: lora\nlora_r: 4\nlora_alpha: 8\nlora_target_modules: '.*q_proj'\n",
                         {.targets = {".*q_proj"}, .isPattern = true}}},
                       {"parameters",
                        {"adapter: lora\nlora_r: 4\nlora_alpha: 8\nlora_target_modules: [q_proj]\n"
                         "lora_target_parameters: [mlp.experts.gate_up_proj]\n",
                         {.targets = {"q_proj"}, .parameters = {"mlp.experts.gate_up_proj"}}}},
                       {"none", {"", {}}}});
    }
    void keepAdaptersByName()
    {
        const auto& [lines, names] = row<Adapter>();
        const auto document = recognize("base_model: some/network\ndatasets: []\nmicro_batch_size: 2\n"
                                        "gradient_accumulation_steps: 4\nsequence_len: 128\n" +
                                            lines,
                                        sourceOf(unknownFamily));
        const auto there = document->readForPython();
        QVERIFY(std::holds_alternative<model::ModelSpec>(there.model));
        QCOMPARE(there.modelSource, std::string("/cache/config.json"));
        QCOMPARE(there.sequenceLength, std::int64_t{128});
        QVERIFY(there.tuning.modules == names);
        QCOMPARE(model::hasAdapters(there.tuning), !lines.empty());

        const auto here = document->read();
        const auto& why = std::get<UnsupportedModel>(here.model);
        QVERIFY(why.sentence.starts_with("/cache/config.json:2:17: The model_type \"gpt_oss\""));
        QCOMPARE(why.position.line, 1);
        QCOMPARE(here.train->globalBatchSize, there.train->globalBatchSize);
    }

    void keepTrainedParametersByName()
    {
        const auto contents =
            recognize(
                "base_model: some/network\ndatasets: []\nmicro_batch_size: 2\n"
                "gradient_accumulation_steps: 4\nsequence_len: 128\n"
                "unfrozen_parameters: ['^lm_head.weight$', 'model.layers.1[0-9]+', 'model.embed[:100]']\n",
                sourceOf(unknownFamily))
                ->readForPython();
        const model::ModuleNames names{
            .trained = {"^lm_head\\.weight$", "model\\.layers\\.1[0-9]+", "model\\.embed"}};
        QVERIFY(contents.tuning.modules == names);
        QVERIFY(!model::trainsAll(contents.tuning));
    }

    void replaceTheNetworkOfAConfig()
    {
        const auto own = recognize("base_model: some/network\ndatasets: []\nmicro_batch_size: 2\n"
                                   "gradient_accumulation_steps: 4\nsequence_len: 128\n",
                                   sourceOf(R"({"model_type": "gpt2", "vocab_size": 10, "n_embd": 8,
                                                "n_layer": 1, "n_head": 1, "n_positions": 8})"));
        const auto other = withModelOf(own->readForPython(), recognize(unknownFamily)->readForPython());
        QVERIFY(other.notRunHere);
        QVERIFY(model::needsPython(std::get<model::ModelSpec>(other.model)));
        QVERIFY(std::holds_alternative<UnsupportedModel>(asRunHere(other).model));
    }

    void learnFromPreferences_data()
    {
        using enum model::Preference;
        const std::string axolotl = "base_model: gpt2\nmicro_batch_size: 1\ngradient_accumulation_steps: 1\n";
        const std::string factory =
            "model_name_or_path: gpt2\nper_device_train_batch_size: 1\nfinetuning_type: full\n";
        const std::string trl = "model_name_or_path: gpt2\nper_device_train_batch_size: 1\nmax_length: 64\n";
        const std::string torchtune =
            "model: {_component_: torchtune.models.llama2.llama2_7b}\n"
            "dataset: {}\noptimizer: {_component_: torch.optim.AdamW}\nbatch_size: 1\n";
        rows<Preferences>(
            {{"axolotl, DPO", {axolotl + "rl: dpo\n", Dpo}},
             {"axolotl, IPO", {axolotl + "rl: ipo\n", Dpo}},
             {"axolotl, ORPO", {axolotl + "rl: orpo\n", Orpo}},
             {"axolotl, SimPO", {axolotl + "rl: simpo\n", Simpo}},
             {"axolotl, KTO", {axolotl + "rl: kto\n", Kto}},
             {"axolotl, a reward model", {axolotl + "reward_model: true\n", Reward}},
             {"axolotl, texts that are written", {axolotl + "rl: grpo\n", None}},
             {"axolotl, rewards of steps", {axolotl + "process_reward_model: true\n", None}},
             {"LLaMA-Factory, DPO", {factory + "stage: dpo\n", Dpo}},
             {"LLaMA-Factory, ORPO", {factory + "stage: dpo\npref_loss: orpo\n", Orpo}},
             {"LLaMA-Factory, SimPO", {factory + "stage: dpo\npref_loss: simpo\n", Simpo}},
             {"LLaMA-Factory, KTO", {factory + "stage: kto\n", Kto}},
             {"LLaMA-Factory, a reward model", {factory + "stage: rm\n", ValueHead}},
             {"LLaMA-Factory, PPO", {factory + "stage: ppo\n", None}},
             {"TRL, DPO", {trl + "beta: 0.1\n", Dpo}},
             {"TRL, ORPO by its name", {trl + "beta: 0.1\noutput_dir: data/zephyr-ORPO\n", Orpo}},
             {"TRL, ORPO of a loss", {trl + "beta: 0.1\nloss_type: ipo\noutput_dir: ORPO\n", Dpo}},
             {"TRL, losses of DPO", {trl + "beta: 0.1\nloss_type: [sigmoid, sft]\n", Dpo}},
             {"TRL, DPO by its losses alone", {trl + "loss_type: [sigmoid, sft]\n", Dpo}},
             {"TRL, DPO by its loss alone", {trl + "loss_type: hinge\n", Dpo}},
             {"TRL, KTO by its loss alone", {trl + "loss_type: kto\n", Kto}},
             {"TRL, SimPO by its loss alone", {trl + "loss_type: simpo\n", Simpo}},
             {"TRL, GRPO by its loss alone", {trl + "loss_type: dr_grpo\n", None}},
             {"TRL, GRPO by its loss", {trl + "beta: 0.1\nloss_type: dapo\n", None}},
             {"TRL, KTO", {trl + "undesirable_weight: 1.0\n", Kto}},
             {"TRL, KTO by its loss", {trl + "beta: 0.1\nloss_type: apo_zero_unpaired\n", Kto}},
             {"TRL, KTO by its name", {trl + "beta: 0.1\nrun_name: gpt2-kto\n", Kto}},
             {"TRL, SimPO", {trl + "loss_type: simpo\ncpo_alpha: 0.0\n", Simpo}},
             {"TRL, a reward model", {trl + "center_rewards_coefficient: 0.01\n", Reward}},
             {"TRL, GRPO", {trl + "beta: 0.1\nnum_generations: 8\n", None}},
             {"torchtune, DPO",
              {torchtune + "loss: {_component_: torchtune.rlhf.loss.DPOLoss}\nref_checkpointer: {a: 1}\n",
               Dpo}},
             {"torchtune, PPO", {torchtune + "loss: {_component_: torchtune.rlhf.loss.PPOLoss}\n", None}}});
    }
    void learnFromPreferences()
    {
        const auto& [text, preference] = row<Preferences>();
        const auto document = recognize(text);
        const auto here = document->read();
        const auto& why = std::get<UnsupportedModel>(here.model);
        QCOMPARE(why.reason, std::string("preferences or rewards"));
        QVERIFY(here.step.preference == model::Preference::None);
        const auto there = document->readForPython();
        QCOMPARE(std::holds_alternative<model::ModelSpec>(there.model),
                 preference != model::Preference::None);
        QVERIFY(there.step.preference == preference);
        QCOMPARE(here.train->writtenSize(), there.train->writtenSize());
    }

    /// Replacing the network does not change the run.
    void learnFromPreferencesWithAnotherNetwork()
    {
        const auto own = recognize("model_name_or_path: gpt2\nper_device_train_batch_size: 1\n"
                                   "finetuning_type: full\nstage: dpo\n");
        const auto source = recognize(R"({"model_type": "gpt2", "vocab_size": 10, "n_embd": 8, "n_layer": 1,
                                          "n_head": 1, "n_positions": 8})");
        const auto there = withModelOf(own->readForPython(), source->readForPython());
        QVERIFY(there.notRunHere && there.step.preference == model::Preference::Dpo);
        const auto here = withModelOf(own->read(), source->read());
        QVERIFY(!here.notRunHere && here.step.preference == model::Preference::None);
        QVERIFY(std::holds_alternative<model::ModelSpec>(here.model));
    }

    void warnOfModulesThatReplaceTheTrainers_data()
    {
        const std::string foundry = "global_train_batch_size: 8\ndevice_train_microbatch_size: 4\n"
                                    "max_seq_len: 16\n";
        rows<std::string, bool>(
            {{"torchtune",
              {"model: {_component_: torchtune.models.llama2.llama2_7b}\ndataset: {}\nbatch_size: 1\n"
               "optimizer: {_component_: torch.optim.AdamW}\n",
               true}},
             {"Cerebras",
              {"train_input: {batch_size: 8, micro_batch_size: 4, max_sequence_length: 16}\n"
               "model: {model_name: gpt2, vocab_size: 64, hidden_size: 8, num_hidden_layers: 1, num_heads: "
               "2,\n"
               "  filter_size: 16, max_position_embeddings: 16}\n"
               "optimizer: {optimizer_type: AdamW, learning_rate: 0.1}\nrunconfig: {max_steps: 1}\n",
               true}},
             {"LLM-Foundry's own",
              {foundry +
                   "model: {name: mpt_causal_lm, d_model: 8, n_heads: 2, n_layers: 1, max_seq_len: 16,\n"
                   "  vocab_size: 64}\n",
               true}},
             {"LLM-Foundry with one of a hub",
              {foundry + "model: {name: hf_causal_lm, pretrained_model_name_or_path: gpt2}\n", false}},
             {"TRL", {"model_name_or_path: gpt2\nper_device_train_batch_size: 1\n", false}}});
    }
    void warnOfModulesThatReplaceTheTrainers()
    {
        const auto& [text, isWarned] = row<std::string, bool>();
        const auto hasWarning = [](const ConfigContents& contents) {
            return std::ranges::any_of(contents.warnings, [](const Warning& warning) {
                return warning.approximation == approximation::otherModules;
            });
        };
        const ConfigContents contents = recognize(text)->readForPython();
        QVERIFY(std::holds_alternative<model::ModelSpec>(contents.model));
        QVERIFY(!hasWarning(contents));
        QCOMPARE(hasWarning(asPythonRuns(contents)), isWarned);
    }

    void areNotWrittenAsBatchpeakConfigs()
    {
        const auto contents = recognize(unknownFamily)->readForPython();
        QVERIFY_EXCEPTION_THROWN(toOwnYaml(contents), ConfigError);
        QVERIFY_EXCEPTION_THROWN(
            recognize("batchpeak: 1\nmodel: {family: transformers, config: '{}'}\nbatch_size: 8\n")->read(),
            ConfigError);
    }

    void haveALimitedLength()
    {
        const std::string padding(300 * 1024, 'x');
        const auto contents =
            recognize("{\"model_type\": \"gpt_oss\", \"vocab_size\": 10, \"note\": \"" + padding + "\"}")
                ->readForPython();
        const auto problem = model::problemWith(std::get<model::ModelSpec>(contents.model));
        QVERIFY(problem && problem->find("256 KiB") != std::string::npos);
    }
};

BATCHPEAK_TEST(NetworksForPythonTest)
#include "tst_networks_for_python.moc"
