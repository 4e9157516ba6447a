// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/files.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "text/errors.h"
#include "workers/python_stack.h"
#include "workers/run_devices.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

using namespace batchpeak;
using device::LocalDevices;

namespace {

const LocalDevices withGpus{.devices = {{.kind = "cuda", .index = 0, .uuid = "GPU-a"},
                                        {.kind = "cuda", .index = 1, .uuid = "GPU-b"},
                                        {.kind = "cpu"}}};
const LocalDevices cpuOnly{.devices = {{.kind = "cpu"}}};

} // namespace

class WorkerChoiceTest : public QObject
{
    Q_OBJECT

private slots:
    void cleanup() { qunsetenv("BATCHPEAK_WORKER"); }

    void choosesDevices_data()
    {
        rows<bool, Text, Text>({{"every GPU by default", {true, "", "cuda:0 cuda:1"}},
                                {"else the CPU", {false, "", "cpu"}},
                                {"the CPU beside GPUs", {true, "cpu", "cpu"}},
                                {"every GPU", {true, "cuda", "cuda:0 cuda:1"}},
                                {"one GPU", {true, "cuda:1", "cuda:1"}},
                                {"each once", {true, "cuda:1 cuda cpu", "cuda:1 cuda:0 cpu"}},
                                {"absent", {true, "cuda:2", "There is no device cuda:2 on this computer"}},
                                {"no GPU at all", {false, "cuda", "There is no device cuda on"}},
                                {"no device", {true, "gpu", "\"gpu\" is no device"}},
                                {"no number", {true, "cuda:x", "\"cuda:x\" is no device"}},
                                {"negative", {true, "cuda:-1", "is no device"}}});
    }
    void choosesDevices()
    {
        const auto& [hasGpus, words, chosen] = row<bool, Text, Text>();
        QStringList ids;
        try {
            for (const auto& device : engine::chooseDevices(words.split(QLatin1Char(' '), Qt::SkipEmptyParts),
                                                            hasGpus ? withGpus : cpuOnly))
                ids.append(QString::fromStdString(device.id()));
            QCOMPARE(ids.join(QLatin1Char(' ')), chosen);
        } catch (const engine::ExplorationError& error) {
            QVERIFY2(error.sentence().contains(chosen), error.what());
        }
    }

    // An unusable GPU is no reason to explore on the CPU without the user's request.
    void usesNoCpuInsteadOfAGpuUnasked_data()
    {
        const LocalDevices broken{.devices = {{.kind = "cpu"}},
                                  .gpuProblem = "Driver/library version mismatch."};
        LocalDevices hidden = broken;
        hidden.restriction = "CUDA_VISIBLE_DEVICES=";
        rows<LocalDevices, Text, Text>({{"not said", {broken, "", ""}},
                                        {"asked for", {broken, "cpu", "cpu"}},
                                        {"the job wants none", {hidden, "", "cpu"}}});
    }
    void usesNoCpuInsteadOfAGpuUnasked()
    {
        const auto& [local, words, chosen] = row<LocalDevices, Text, Text>();
        const QStringList asked = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
        if (chosen.isEmpty()) {
            QVERIFY_THROWS_EXCEPTION(engine::UnusableGpuError, engine::chooseDevices(asked, local));
            return;
        }
        QCOMPARE(QString::fromStdString(engine::chooseDevices(asked, local).front().id()), chosen);
    }

    void findsTheWorker()
    {
        const QTemporaryDir prefix;
        const QString bin = prefix.filePath(QStringLiteral("bin"));
        QVERIFY(QDir().mkpath(bin));
        QVERIFY_THROWS_EXCEPTION(engine::ExplorationError, engine::workerPath(bin));

        const QString named = prefix.filePath(QStringLiteral("elsewhere/worker"));
        qputenv("BATCHPEAK_WORKER", named.toLocal8Bit());
        QVERIFY_THROWS_EXCEPTION(engine::ExplorationError, engine::workerPath(bin));
        test::writeProgram(named, {});
        QCOMPARE(engine::workerPath(bin), named);

        const QString installed = prefix.filePath(QStringLiteral("libexec/batchpeak/batchpeak-worker"));
        test::writeProgram(installed, {});
        QCOMPARE(engine::workerPath(bin), installed);
        const QString sibling = prefix.filePath(QStringLiteral("bin/batchpeak-worker"));
        test::writeProgram(sibling, {});
        QCOMPARE(engine::workerPath(bin), sibling);
    }

    /// Otherwise, a torch without CUDA would use the CPU instead of the GPU without request, and another
    /// torch the GPU instead of the CPU.
    void passesItsDeviceToPython_data()
    {
        using device::LocalDevice;
        rows<LocalDevice, Text, Text>(
            {{"the CPU", {{.kind = "cpu"}, "", "--device cpu"}},
             {"a GPU by its uuid", {withGpus.devices[1], "", "--device cuda"}},
             {"a GPU without one", {{.kind = "cuda", .index = 1}, "", "--device cuda:1"}},
             {"behind a launcher",
              {{.kind = "cuda", .index = 1},
               "ssh host",
               "python3 -m batchpeak_trial.transformers --device cuda:1"}}});
    }
    void passesItsDeviceToPython()
    {
        const auto& [device, launcher, words] = row<device::LocalDevice, Text, Text>();
        engine::ExplorationOptions options;
        options.python = launcher.isEmpty() ? QStringLiteral("/venv/bin/python3") : engine::anyPython;
        const QString folder = QCoreApplication::applicationDirPath();
        const auto command =
            launcher.isEmpty()
                ? engine::workerCommand(options, engine::DeviceGroup{.device = device}, folder)
                : engine::workerCommand(
                      options, engine::placedDevice(engine::placeFromText(launcher), device), folder);
        QVERIFY2(command.arguments.join(QLatin1Char(' ')).endsWith(words), qPrintable(command.text()));
        QCOMPARE(command.program, launcher.isEmpty() ? options.python : QStringLiteral("ssh"));
    }

    void startsProcessesByTorchrun_data()
    {
        rows<int, bool, Text, Text>({{"each by itself", {1, true, "cuda:0 cuda:1", "GPU-a GPU-b"}},
                                     {"together", {2, true, "cuda:0-1", "GPU-a,GPU-b"}},
                                     {"on a CPU", {2, false, "cpu", ""}},
                                     {"too few GPUs", {3, true, "", ""}}});
    }
    void startsProcessesByTorchrun()
    {
        const auto& [processes, hasGpus, expected, uuids] = row<int, bool, Text, Text>();
        engine::ExplorationOptions options;
        options.python = QStringLiteral("/venv/bin/python3");
        const auto devices = engine::chooseDevices({}, hasGpus ? withGpus : cpuOnly);
        if (expected.isEmpty()) {
            QVERIFY_THROWS_EXCEPTION(engine::ExplorationError, engine::groupsOf(devices, processes));
            return;
        }
        QStringList ids;
        QStringList visible;
        for (const engine::DeviceGroup& group : engine::groupsOf(devices, processes)) {
            ids << group.id;
            visible << QString::fromStdString(group.device.uuid);
            const auto command =
                engine::workerCommand(options, group, QCoreApplication::applicationDirPath());
            QCOMPARE(command.program, options.python);
            const QString words = command.arguments.join(QLatin1Char(' '));
            QCOMPARE(words.contains(QStringLiteral("--nproc-per-node=%1").arg(processes)), processes > 1);
            QVERIFY2(words.endsWith(QLatin1String(hasGpus ? "--device cuda" : "--device cpu")),
                     qPrintable(words));
        }
        QCOMPARE(ids.join(QLatin1Char(' ')), QString(expected));
        QCOMPARE(visible.join(QLatin1Char(' ')), QString(uuids));
    }

    void buildsTheCommand()
    {
        const QTemporaryDir folder;
        test::writeProgram(folder.filePath(QStringLiteral("batchpeak-worker")), {});
        engine::ExplorationOptions options;
        const auto own =
            engine::workerCommand(options, engine::DeviceGroup{.device = withGpus.devices[1]}, folder.path());
        QCOMPARE(own.arguments, (QStringList{QStringLiteral("--device"), QStringLiteral("cuda")}));
        QCOMPARE(own.environment, QStringList(QStringLiteral("CUDA_VISIBLE_DEVICES=GPU-b")));

        const auto placed =
            engine::placedDevice(engine::placeFromText(QStringLiteral("srun --gpus=1")), {.kind = "cpu"});
        options.workerCommand = QStringLiteral("python3 \"my step.py\" --fast");
        const auto launched = engine::workerCommand(options, placed, folder.path());
        QCOMPARE(launched.program, QStringLiteral("srun"));
        QCOMPARE(launched.arguments, (QStringList{QStringLiteral("--gpus=1"), QStringLiteral("python3"),
                                                  QStringLiteral("my step.py"), QStringLiteral("--fast")}));
        QVERIFY(launched.environment.isEmpty());
    }
};

BATCHPEAK_TEST(WorkerChoiceTest)
#include "tst_worker_choice.moc"
