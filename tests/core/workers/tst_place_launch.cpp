// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "workers/place_launch.h"
#include "workers/place_session.h"
#include "workers/run_devices.h"

#include <QProcess>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::engine;

namespace {

QString commandOn(const QString& place, const device::LocalDevice& device, const ExplorationOptions& options)
{
    return workerCommand(options, placedDevice(placeFromText(place), device), QStringLiteral("/nowhere"))
        .text();
}

} // namespace

class PlaceLaunchTest : public QObject
{
    Q_OBJECT

private slots:
    void startsAWorker_data()
    {
        using device::LocalDevice;
        const LocalDevice second{.kind = "cuda", .index = 1};
        rows<Text, LocalDevice, Text>(
            {{"behind a prefix", {"env -i", {.kind = "cpu"}, "env -i ./mine --fast"}},
             {"with the number of the device",
              {"run --gpu={index} --as={device}", second, "run --gpu=1 --as=cuda:1 ./mine --fast"}},
             {"in a container",
              {"podman:box --user me", {.kind = "cpu"}, "podman exec -i --user me box ./mine --fast"}},
             {"by the uuid of its device",
              {"podman:box",
               {.kind = "cuda", .index = 1, .uuid = "GPU-b"},
               "podman exec -i box env CUDA_VISIBLE_DEVICES=GPU-b ./mine --fast"}}});
    }
    void startsAWorker()
    {
        const auto& [place, device, command] = row<Text, device::LocalDevice, Text>();
        QCOMPARE(commandOn(place, device, {.workerCommand = QStringLiteral("./mine --fast")}),
                 QString(command));
    }

    /// ssh joins its arguments for a shell, which must read the words as they were.
    void quotesForTheShellOfAHost()
    {
        const WorkerCommand command = workerCommand(
            {.workerCommand = QStringLiteral("printf %s,%s \"a'  b\" $HOME")},
            placedDevice(placeFromText(QStringLiteral("ssh:gpu7 -p 2222")), {.kind = "cpu"}), {});
        QCOMPARE(command.program, QStringLiteral("ssh"));
        QCOMPARE(command.arguments.mid(0, 2), (QStringList{QStringLiteral("-p"), QStringLiteral("2222")}));
        QVERIFY(command.arguments.contains(QStringLiteral("BatchMode=yes")));
        QCOMPARE(command.arguments[command.arguments.size() - 2], QStringLiteral("gpu7"));
        QProcess shell;
        shell.start(QStringLiteral("sh"), {QStringLiteral("-c"), command.arguments.last()});
        QVERIFY(shell.waitForFinished());
        QCOMPARE(shell.readAllStandardOutput(), QByteArray("a'  b,$HOME"));
    }

    void namesEachDevice()
    {
        std::vector<PlacedDevice> devices;
        for (const char* place : {"env", "env", "ssh:a", "ssh:a", "ssh:b"})
            addDevice(devices, placedDevice(placeFromText(QString::fromUtf8(place)), {.kind = "cpu"}));
        QStringList ids;
        for (const PlacedDevice& device : devices) {
            ids << device.id;
            QCOMPARE(kindOfDevice(device.id), QStringLiteral("cpu"));
        }
        QCOMPARE(ids.join(QLatin1Char(' ')), QStringLiteral("cpu cpu#2 a/cpu a/cpu#2 b/cpu"));
    }

    void readsTheNodesOfAnAllocation()
    {
        const auto nodes = slurmNodesIn("salloc: noise\n"
                                        "batchpeak-node n1 0-3,8 gpu:2(IDX:0-1)\n"
                                        "batchpeak-node n2 0-15 gpu:a100:4(IDX:0-3),nic:1\n"
                                        "batchpeak-node n3 7 \n"
                                        "batchpeak-node n4 0-1\n"
                                        "batchpeak-job 17\n");
        QStringList texts;
        for (const SlurmNode& node : nodes)
            texts << QStringLiteral("%1:%2:%3").arg(node.name).arg(node.processors).arg(node.gpus);
        QCOMPARE(texts.join(QLatin1Char(' ')), QStringLiteral("n1:5:2 n2:16:4 n3:1:0 n4:2:0"));
    }

    void startsAStepForEachDevice_data()
    {
        rows<Text, Text>({{"every GPU, else the CPU", {"", "n1/cuda:0 n1/cuda:1 n2/cpu"}},
                          {"processors alone", {"cpu", "n1/cpu n2/cpu"}},
                          {"one GPU", {"cuda:1", "n1/cuda:1"}},
                          {"none of them", {"cuda:5", ""}}});
    }
    void startsAStepForEachDevice()
    {
        const auto& [words, expected] = row<Text, Text>();
        const Place place = placeFromText(QStringLiteral("slurm"));
        const std::vector<SlurmNode> nodes{{.name = QStringLiteral("n1"), .processors = 8, .gpus = 2},
                                           {.name = QStringLiteral("n2"), .processors = 8}};
        QStringList ids;
        ExplorationOptions options;
        options.devices = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
        for (const PlacedDevice& placed : devicesOfNodes(place, QStringLiteral("17"), nodes, options)) {
            ids << placed.id;
            QVERIFY(placed.launcher.contains(QStringLiteral("--jobid=17")));
            const bool isGpu = placed.id.contains(QLatin1String("cuda"));
            QCOMPARE(placed.launcher.contains(QStringLiteral("--gpus=1")), isGpu);
            QVERIFY(placed.launcher.contains(isGpu ? QStringLiteral("--cpus-per-task=4")
                                                   : QStringLiteral("--cpus-per-task=8")));
        }
        QCOMPARE(ids.join(QLatin1Char(' ')), QString(expected));
    }

    void startsAStepForProcessesTogether_data()
    {
        // Processes on a node, nodes, devices, launcher.
        rows<int, int, Text, Text>(
            {{"all GPUs of a node", {4, 1, "n1/cuda:0-3 n2/cuda:0-3 n3/cuda:0-3", "--nodes=1 --gpus=4"}},
             {"half of a node",
              {2, 1, "n1/cuda:0-1 n1/cuda:2-3 n2/cuda:0-1 n2/cuda:2-3 n3/cuda:0-1 n3/cuda:2-3",
               "--nodes=1 --gpus=2 --cpus-per-task=4"}},
             {"two nodes", {4, 2, "n1+n2/cuda:0-3", "--nodes=2 --ntasks-per-node=1 --gpus-per-node=4"}},
             {"too many nodes", {4, 4, "", ""}},
             {"too many GPUs", {5, 1, "", ""}}});
    }
    void startsAStepForProcessesTogether()
    {
        const auto& [processes, together, expected, words] = row<int, int, Text, Text>();
        ExplorationOptions options;
        options.python = anyPython;
        options.processesPerNode = processes;
        options.nodes = together;
        std::vector<SlurmNode> nodes;
        for (const char* name : {"n1", "n2", "n3"})
            nodes.push_back({.name = QString::fromUtf8(name), .processors = 8, .gpus = 4});
        const auto find = [&] {
            return devicesOfNodes(placeFromText(QStringLiteral("slurm")), QStringLiteral("1"), nodes,
                                  options);
        };
        if (expected.isEmpty()) {
            QVERIFY_THROWS_EXCEPTION(ExplorationError, find());
            return;
        }
        QStringList ids;
        for (const PlacedDevice& placed : find()) {
            ids << placed.id;
            for (const QString& word : words.split(QLatin1Char(' ')))
                QVERIFY2(placed.launcher.contains(word), qPrintable(placed.launcher.join(QLatin1Char(' '))));
            const QString all = workerCommand(options, placed, QStringLiteral("/")).text();
            QVERIFY2(all.contains(QStringLiteral("--nproc-per-node=%1").arg(processes)), qPrintable(all));
            QCOMPARE(all.contains(QLatin1String("--nnodes=2")), together > 1);
        }
        QCOMPARE(ids.join(QLatin1Char(' ')), QString(expected));
    }

    /// A job with fewer processors than GPUs cannot run a step for each of them at the same time.
    void leavesGpusWithoutAProcessor()
    {
        const std::vector<SlurmNode> nodes{{.name = QStringLiteral("n1"), .processors = 2, .gpus = 4}};
        QCOMPARE(
            devicesOfNodes(placeFromText(QStringLiteral("slurm")), QStringLiteral("1"), nodes, {}).size(),
            2U);
    }

    void tellsALostConnectionFromAWorker_data()
    {
        // Place, exit code, last line, and what is expected: "worker", "gone" or "returns".
        rows<Text, int, Text, Text>(
            {{"the worker's own exit code", {"ssh:a", 1, "Segmentation fault", "worker"}},
             {"a connection that was reset", {"ssh:a", 255, "Connection reset by peer", "returns"}},
             {"a host that is not there yet", {"ssh:a", 255, "Could not resolve hostname a", "returns"}},
             {"a refused key", {"ssh:a", 255, "a: Permission denied (publickey).", "gone"}},
             {"an unknown host", {"ssh:a", 255, "Host key verification failed.", "gone"}},
             {"a step of a job that was canceled",
              {"slurm", 1, "slurmstepd: error: *** STEP 3.0 ON n1 CANCELLED AT 2026-11-30T10:00:00 ***",
               "returns"}},
             {"a time limit",
              {"slurm", 1, "*** STEP 3.0 ON n1 CANCELLED AT 2026-11-30T10:00:00 DUE TO TIME LIMIT ***",
               "gone"}},
             {"the state of a job at its time limit", {"slurm", 1, "TIMEOUT", "gone"}},
             {"the state of a job that was preempted", {"slurm", 1, "PREEMPTED", "returns"}},
             {"a worker of Slurm",
              {"slurm", 1, "srun: error: n1: task 0: Exited with exit code 1", "worker"}},
             {"a prefix", {"env", 255, "Connection reset by peer", "worker"}}});
    }
    void tellsALostConnectionFromAWorker()
    {
        const auto& [place, code, line, expected] = row<Text, int, Text, Text>();
        const auto loss =
            lostConnection(placeFromText(place), {.lastLines = {QString(line)}, .exitCode = code});
        QCOMPARE(QString(!loss             ? QStringLiteral("worker")
                         : loss->mayReturn ? QStringLiteral("returns")
                                           : QStringLiteral("gone")),
                 QString(expected));
    }
};

BATCHPEAK_TEST(PlaceLaunchTest)
#include "tst_place_launch.moc"
