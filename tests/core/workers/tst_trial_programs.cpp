// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/approximations.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "workers/trial_programs.h"

#include <QTest>

#include <algorithm>

using namespace batchpeak;
using namespace batchpeak::engine;
using test::row;
using test::rows;

namespace {

constexpr const char* gpt2 =
    R"({"model_type": "gpt2", "vocab_size": 10, "n_embd": 8, "n_layer": 1, "n_head": 1,
                                 "n_positions": 8})";
constexpr const char* compiled = R"(base_model: Qwen/Qwen2.5-0.5B
micro_batch_size: 2
gradient_accumulation_steps: 2
sequence_len: 2048
torch_compile: true
)";
constexpr const char* lora = R"(
base_model: Qwen/Qwen2.5-0.5B
adapter: lora
lora_r: 8
lora_alpha: 16
lora_target_linear: true
micro_batch_size: 2
gradient_accumulation_steps: 2
sequence_len: 2048
)";
constexpr const char* gptOss = R"({"model_type": "gpt_oss", "vocab_size": 10})";
constexpr const char* sounds = R"({"model_type": "encodec", "sampling_rate": 24000})";

PythonStack pythonWith(const QString& torch, const QString& problem = {})
{
    return {.program = QStringLiteral("/p"),
            .version = QStringLiteral("3.11"),
            .torch = torch,
            .problem = problem};
}

struct Choice
{
    std::string config;
    std::optional<PythonStack> python;
    bool advisesPython = false;
    test::Text advice;
};

struct Compiled
{
    std::string config;
    model::Compilation compilation = model::Compilation::None;
    /// Part of the warning about a compiler that trials do not use; empty if there is none.
    test::Text warning;
};

} // namespace

/// Tests the advice for the trials of a config.
class TrialProgramsTest : public QObject
{
    Q_OBJECT

private slots:
    void advisesAProgram_data()
    {
        const QString same = workerTorch();
        rows<Choice>(
            {{"not asked yet", {gpt2, std::nullopt, false, ""}},
             {"no Python", {gpt2, PythonStack(), false, "worker is advised: there is no Python here"}},
             {"the same torch",
              {gpt2, pythonWith(same), false, "worker is advised: your Python has the same"}},
             {"the same for GPUs",
              {gpt2, pythonWith(same + QStringLiteral("+cu128")), false, "has the same torch"}},
             {"another torch", {gpt2, pythonWith(QStringLiteral("2.9.1")), true, "it has torch 2.9.1"}},
             {"a compiled network", {compiled, pythonWith(same), true, "it compiles the network"}},
             {"a compiled network, without Python", {compiled, PythonStack(), false, "worker is advised"}},
             {"no trials there",
              {gpt2, pythonWith(QStringLiteral("2.9.1"), QStringLiteral("No.")), false, "cannot run trials"}},
             {"a torch without the GPUs that are here",
              {gpt2,
               {{.program = QStringLiteral("/p"),
                 .torch = QStringLiteral("2.9.1+cpu"),
                 .unusedDevices = {QStringLiteral("NVIDIA H200")}}},
               false,
               "torch 2.9.1+cpu of your Python was not built for GPUs"}},
             {"no PEFT for adapters",
              {lora,
               {{.program = QStringLiteral("/p"),
                 .torch = QStringLiteral("2.9.1"),
                 .lacks = {{QStringLiteral("peft"), QStringLiteral("No.")}}}},
               false,
               "your Python lacks what this run needs"}},
             {"a network that only Python runs, without Python",
              {gptOss, PythonStack(), false, "a Python with all that it needs can"}},
             {"a network that only Python runs", {gptOss, pythonWith(same), true, "cannot run this network"}},
             {"a network that no program runs", {sounds, pythonWith(QStringLiteral("2.9.1")), false, ""}}});
    }
    void advisesAProgram()
    {
        const auto& [config, python, advisesPython, advice] = row<Choice>();
        const auto file = ConfigFile::fromText(QStringLiteral("config.json"), config);
        const TrialPrograms programs = trialProgramsFor(file, python);
        QCOMPARE(programs.advisesPython, advisesPython);
        QVERIFY2(programs.advice.contains(advice), qPrintable(programs.advice));
        QCOMPARE(programs.advice.isEmpty(), advice.isEmpty());
        QCOMPARE(programs.workerProblem.isEmpty(), config != gptOss && config != sounds);
    }

    /// If Python uses the run's own library, its kernels are no approximation.
    void usesTheKernelsOfTheRunInPython_data()
    {
        const std::string run = lora;
        namespace approximation = config::approximation;
        rows<std::string, std::string_view, bool>(
            {{"bitsandbytes' 8-bit AdamW",
              {run + "optimizer: adamw_bnb_8bit\n", approximation::step8bit, false}},
             {"that of torchao", {run + "optimizer: ao_adamw_8bit\n", approximation::torchaoStep8bit, true}},
             {"torchao's 4-bit AdamW", {run + "optimizer: ao_adamw_4bit\n", approximation::step4bit, false}},
             {"Lion", {run + "optimizer: lion_32bit\n", approximation::lionByOperations, false}},
             {"LLM.int8", {run + "load_in_8bit: true\n", approximation::integerProducts, false}},
             {"a paged optimizer",
              {run + "optimizer: paged_adamw_32bit\n", approximation::pagedOptimizer, true}}});
    }
    void usesTheKernelsOfTheRunInPython()
    {
        const auto& [text, phrase, remains] = row<std::string, std::string_view, bool>();
        const auto file = ConfigFile::fromText(QStringLiteral("run.yaml"), text);
        const auto says = [phrase = phrase](const config::ConfigContents& contents) {
            return std::ranges::any_of(contents.warnings, [&](const config::Warning& warning) {
                return warning.approximation == phrase;
            });
        };
        QVERIFY(says(file.contents()));
        QCOMPARE(says(file.contentsForPython()), remains);
    }

    void compilesInPythonIfTheRunDoes()
    {
        const auto file = ConfigFile::fromText(QStringLiteral("run.yaml"), compiled);
        const auto warnsOfIt = [](const config::ConfigContents& contents) {
            return std::ranges::any_of(contents.warnings, [](const config::Warning& warning) {
                return warning.approximation == config::approximation::compiled;
            });
        };
        QVERIFY(warnsOfIt(file.contents()));
        QCOMPARE(file.contents().step.compilation, model::Compilation::None);
        QVERIFY(!warnsOfIt(file.contentsForPython()));
        QCOMPARE(file.contentsForPython().step.compilation, model::Compilation::Default);
        QVERIFY(!file.isForPythonAlone());
        // The same applies to another network.
        QCOMPARE(file.withModel(QStringLiteral("gpt2")).contentsForPython().step.compilation,
                 model::Compilation::Default);
    }

    void compilesInPythonInTheModeOfTheRun_data()
    {
        const std::string mode = "torch_compile_mode: max-autotune\n";
        const std::string axolotl = "base_model: Qwen/Qwen2.5-0.5B\nmicro_batch_size: 2\n"
                                    "gradient_accumulation_steps: 2\nsequence_len: 2048\n";
        const std::string transformers = "output_dir: out\nmodel_name_or_path: Qwen/Qwen2.5-0.5B\n"
                                         "per_device_train_batch_size: 2\n";
        const std::string foundry = "max_seq_len: 128\nmodel:\n  name: mpt_causal_lm\n  d_model: 64\n"
                                    "  n_heads: 2\n  n_layers: 2\n  vocab_size: 512\n"
                                    "global_train_batch_size: 8\ndevice_train_microbatch_size: 2\n"
                                    "compile_config:\n";
        using enum model::Compilation;
        rows<Compiled>(
            {{"axolotl, a mode", {compiled + mode, MaxAutotune}},
             {"axolotl, a mode alone", {axolotl + mode, None}},
             {"axolotl, another compiler",
              {compiled + std::string("torch_compile_backend: aot_eager\n"), Default, "by inductor"}},
             {"transformers, a mode alone",
              {transformers + "torch_compile_mode: reduce-overhead\n", ReduceOverhead}},
             {"transformers, no graphs",
              {transformers + "torch_compile: true\ntorch_compile_mode: max-autotune-no-cudagraphs\n",
               MaxAutotuneNoCudagraphs}},
             {"transformers, the usual compiler",
              {transformers + "torch_compile_backend: inductor\n", Default}},
             {"transformers, no such mode",
              {transformers + "torch_compile_mode: none\n", Default, "in the default mode"}},
             {"LLM-Foundry, a mode", {foundry + "  mode: max-autotune\n", MaxAutotune}},
             {"LLM-Foundry, no mode", {foundry + "  fullgraph: false\n", Default}},
             {"LLM-Foundry, another compiler",
              {foundry + "  backend: cudagraphs\n", Default, "by inductor"}}});
    }
    void compilesInPythonInTheModeOfTheRun()
    {
        const auto& [config, compilation, warning] = row<Compiled>();
        const auto file = ConfigFile::fromText(QStringLiteral("run.yaml"), config);
        const config::ConfigContents& contents = file.contentsForPython();
        QCOMPARE(contents.step.compilation, compilation);
        QCOMPARE(file.contents().step.compilation, model::Compilation::None);
        const auto other =
            std::ranges::find(contents.warnings, std::string(config::approximation::otherCompiler),
                              &config::Warning::approximation);
        QCOMPARE(other != contents.warnings.end(), !warning.isEmpty());
        if (!warning.isEmpty())
            QVERIFY(QString::fromStdString(other->sentence).contains(warning));
    }
};

BATCHPEAK_TEST(TrialProgramsTest)
#include "tst_trial_programs.moc"
