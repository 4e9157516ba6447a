// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "syntax/shell_script.h"

#include <QTest>

using namespace batchpeak::config;

namespace {

/// Returns each run on a line: its words, and behind "|" the names of its options.
std::string runsOf(const std::string& text)
{
    const ShellScript script(text);
    std::string lines;
    for (const ShellRun& run : script.runs()) {
        lines += run.words + " |";
        for (const ShellArgument* argument : run.arguments)
            lines += " " + argument->name;
        lines += "\n";
    }
    return lines;
}

std::string processesOf(const std::string& text)
{
    const auto processes = ShellScript(text).processes();
    return processes ? std::to_string(*processes) : "unknown";
}

struct Assumption
{
    std::string text;
    std::string value;
    bool isAssumed = false;
};

} // namespace

class ShellRunsTest : public QObject
{
    Q_OBJECT

private slots:
    void gathersOptionsOfCommands_data()
    {
        rows<std::string, std::string>({
            {"one command", {"run --a 1 --b", "run --a 1 --b | --a --b\n"}},
            {"two commands", {"run --a 1\nrun --b 2", "run --a 1 | --a\nrun --b 2 | --b\n"}},
            {"separated on one line",
             {"run --a 1; other && run --b 2", "run --a 1 | --a\nrun --b 2 | --b\n"}},
            {"a command without options", {"mkdir x\nrun --a 1", "run --a 1 | --a\n"}},
            {"settings of Hydra", {"run +a.b=1 c.d=x", "run +a.b=1 c.d=x | a.b c.d\n"}},
            {"options with sections", {"run --a.b_c 1 --d.e=2", "run --a.b_c 1 --d.e=2 | --a.b-c --d.e\n"}},
            {"an array", {"A=(--a 1)\nrun \"${A[@]}\" --b", "run ? --a 1 --b | --a --b\n"}},
            {"an array that grows", {"A=(--a 1)\nA+=(--b)\nrun ${A[*]}", "run ? --a 1 --b | --a --b\n"}},
            {"an array in two commands",
             {"A=(--a 1)\nrun ${A[@]}\nother ${A[@]} --b",
              "run ? --a 1 | --a\nother ? --a 1 --b | --a --b\n"}},
            {"an array in an array",
             {"A=(--a 1)\nB=(${A[@]} --b)\nrun ${B[@]}", "run ? ? --a 1 --b | --a --b\n"}},
            {"an array that no command uses", {"A=(--a 1)\nrun --b", "run --b | --b\n--a 1 | --a\n"}},
            {"a quoted list", {"A='--a 1 --b'\nrun $A", "run --a 1 --b --a 1 --b | --a --b\n"}},
            {"a command in a variable", {"A=\"torchrun x.py\"\n$A --a 1", "torchrun x.py --a 1 | --a\n"}},
            {"printed", {"echo run --a 1\nrun --b", "run --b | --b\n"}},
            {"in a comment", {"# run --a 1\nrun --b # --c", "run --b | --b\n"}},
            {"a comment in a continued command",
             {"run \\\n --a 1 \\\n # --b \\\n --c", "run --a 1 | --a\n--c | --c\n"}},
            {"a blank behind a backslash", {"run --a 1 \\ \n --b 2", "run --a 1   | --a\n--b 2 | --b\n"}},
        });
    }
    void gathersOptionsOfCommands()
    {
        const auto& [text, runs] = row<std::string, std::string>();
        QCOMPARE(runsOf(text), runs);
    }

    void endsListsThatUseThemselves()
    {
        std::string text = "A0=(--a 1)\n";
        for (int i = 1; i < 64; ++i) {
            const std::string before = "${A" + std::to_string(i - 1) + "[@]}";
            text += "A" + std::to_string(i) + "=(" + before + " " + before + ")\n";
        }
        QVERIFY(runsOf(text + "run ${A63[@]}").size() < 100'000);
        QVERIFY(runsOf("A=(--a ${A[@]})\nrun ${A[@]}").size() < 100'000);
    }

    void countsProcesses_data()
    {
        rows<std::string, std::string>({
            {"torchrun", {"torchrun --nproc_per_node 4 x.py", "4"}},
            {"torchrun on several nodes", {"torchrun --nnodes=2 --nproc-per-node=4 x.py", "8"}},
            {"torchrun on unknown nodes", {"torchrun --nnodes=$N --nproc_per_node=4 x.py", "unknown"}},
            {"a word", {"torchrun --nproc_per_node=gpu x.py", "unknown"}},
            {"accelerate", {"accelerate launch --num_processes 6 x.py", "6"}},
            {"accelerate, of all machines",
             {"accelerate launch --num_machines 2 --num_processes 6 x.py", "6"}},
            {"deepspeed", {"deepspeed --num_gpus 4 x.py", "4"}},
            {"deepspeed on several nodes", {"deepspeed --num_gpus 4 --num_nodes 2 x.py", "8"}},
            {"a list of devices", {"deepspeed --include localhost:0,2,5 x.py", "3"}},
            {"lists of devices on two hosts", {"deepspeed --include a:0,1@b:3 x.py", "3"}},
            {"all devices of a host", {"deepspeed --include localhost x.py", "unknown"}},
            {"a list that another command uses",
             {"deepspeed --include=localhost:0,1 --num_gpus 1 x.py", "1"}},
            {"a variable", {"N=4\ntorchrun --nproc_per_node $N x.py", "4"}},
            {"variables of a launcher", {"export NPROC_PER_NODE=4\nNNODES=2 swift sft", "8"}},
            {"variables of a launcher, one unknown", {"NPROC_PER_NODE=4 NNODES=$1 swift sft", "unknown"}},
            {"tasks of Slurm", {"#SBATCH --ntasks=8\nsrun python x.py", "8"}},
            {"nodes and tasks of Slurm",
             {"#SBATCH -N 2\n#SBATCH --ntasks-per-node=4\nsrun python x.py", "8"}},
            {"tasks of srun", {"#SBATCH --ntasks=8\nsrun --ntasks 2 python x.py", "2"}},
            {"tasks of Slurm without srun", {"#SBATCH --ntasks=8\npython x.py", "unknown"}},
            {"devices of Slurm",
             {"#SBATCH --gres=gpu:a100:4\ntorchrun --nproc_per_node $SLURM_GPUS_ON_NODE x.py", "4"}},
            {"another resource of Slurm",
             {"#SBATCH --gres=nvme:4\ntorchrun --nproc_per_node $SLURM_GPUS_ON_NODE x.py", "unknown"}},
            {"a comment that is no longer one of Slurm",
             {"##SBATCH --ntasks=8\nsrun python x.py", "unknown"}},
            {"one visible device", {"CUDA_VISIBLE_DEVICES=3 python x.py", "1"}},
            {"several visible devices", {"CUDA_VISIBLE_DEVICES=0,1 python x.py", "unknown"}},
            {"none", {"torchrun --nproc_per_node=0 x.py", "unknown"}},
            {"too many", {"torchrun --nproc_per_node=2000000 --nnodes=2000000 x.py", "unknown"}},
            {"nothing said", {"python x.py --a 1", "unknown"}},
        });
    }
    void countsProcesses()
    {
        const auto& [text, count] = row<std::string, std::string>();
        QCOMPARE(processesOf(text), count);
    }

    void findsThePlaceOfProcesses()
    {
        const ShellScript script("N=4\ntorchrun --nproc_per_node $N x.py");
        QVERIFY(script.placeOfProcesses().has_value());
        QCOMPARE(script.placeOfProcesses()->key, std::string("--nproc-per-node"));
        QCOMPARE(script.placeOfProcesses()->position, (TextPosition{.line = 1, .column = 3}));
        QVERIFY(!ShellScript("NPROC_PER_NODE=2 swift sft").placeOfProcesses().has_value());
    }

    void assumesCountsForSizes_data()
    {
        rows<Assumption>({
            {"a calculation with a count",
             {.text = "run --size $((64 / NUM_GPUS))", .value = "64", .isAssumed = true}},
            {"a calculation in an assignment",
             {.text = "A=$((64 / (4 * WORLD_SIZE)))\nrun --size $A", .value = "16", .isAssumed = true}},
            {"a count that is assigned",
             {.text = "NUM_GPUS=4\nrun --size $((64 / NUM_GPUS))", .value = "16"}},
            {"a count by Slurm",
             {.text = "#SBATCH --nodes=4\nrun --size $((64 / SLURM_NNODES))", .value = "16"}},
            {"a count in small letters",
             {.text = "run --size $((64 / num_gpus))", .value = "64", .isAssumed = true}},
            {"the name of a launcher's option",
             {.text = "torchrun --nproc_per_node $DEV x.py --size $((64 / DEV))",
              .value = "64",
              .isAssumed = true}},
            {"another name", {.text = "run --size $((64 / PARTS))", .value = "none"}},
            {"a number", {.text = "run --size 4", .value = "4"}},
        });
    }
    void assumesCountsForSizes()
    {
        const auto& [text, value, isAssumed] = row<Assumption>();
        const ShellScript script(text);
        QCOMPARE(script.value("--size").value_or("none"), value);
        QCOMPARE(script.isAssumed(script.argument("--size")->values.front()), isAssumed);
    }
};

BATCHPEAK_TEST(ShellRunsTest)
#include "tst_shell_runs.moc"
