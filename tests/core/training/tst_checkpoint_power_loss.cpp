// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/program_lock.h"
#include "support/files.h"
#include "support/recorded_disk.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "syntax/config_error.h"
#include "training/checkpoints/checkpoint_folder.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <memory>
#include <vector>

using namespace batchpeak;
using namespace batchpeak::test;
using training::CheckpointFolder;

namespace {

/// Returns tensors of several sectors, which differ between checkpoints so that torn writes show.
QByteArray tensorsOf(int checkpoint)
{
    return QByteArray(4000, static_cast<char>('a' + checkpoint));
}

} // namespace

class CheckpointPowerLossTest : public QObject
{
    Q_OBJECT

private slots:
    // Each number is the step of a checkpoint.
    void keepsTheNewestIntactCheckpoint_data()
    {
        rows<std::vector<int>>({{"one after the other", {10, 20, 30, 40}},
                                {"begun anew", {30, 40, 10, 20}},
                                {"in the place of one", {10, 20, 20, 20}},
                                {"in the place of the only one", {10, 10, 10}}});
    }
    void keepsTheNewestIntactCheckpoint()
    {
        const auto& steps = row<std::vector<int>>();
        const QTemporaryDir folder;
        RecordedDisk disk(folder.path());
        // Number of operations until each checkpoint was complete.
        std::vector<std::size_t> returned;
        const auto lock = CheckpointFolder(runIn(folder.path())).claim(QStringLiteral("7d9c"));
        for (std::size_t i = 0; i < steps.size(); ++i) {
            CheckpointFolder checkpoints(runIn(folder.path()));
            // The worker has written the tensors, but not flushed them to the disk.
            writeFile(checkpoints.begin(steps[i]), tensorsOf(static_cast<int>(i)));
            (void)checkpoints.commit(
                {.step = steps[i], .epoch = static_cast<int>(i), .training = QStringLiteral("7d9c")});
            returned.push_back(disk.operations());
        }
        disk.stop();

        const QTemporaryDir after;
        const QString left = after.filePath(QStringLiteral("disk"));
        std::size_t points = 0;
        std::size_t promised = 0;
        for (std::size_t cut = 0; cut <= disk.operations(); ++cut) {
            while (promised < returned.size() && returned[promised] <= cut)
                ++promised;
            for (const Unsynced unsynced : {Unsynced::Lost, Unsynced::Some, Unsynced::Torn}) {
                for (std::uint32_t seed = 0; seed < 5; ++seed) {
                    ++points;
                    disk.restore(left, cut, unsynced, seed);
                    const QString problem = problemOf(runIn(left), static_cast<int>(promised));
                    QVERIFY2(problem.isEmpty(),
                             qPrintable(QStringLiteral("Power loss before operation %1 of %2, variant %3: %4")
                                            .arg(cut)
                                            .arg(disk.operations())
                                            .arg(static_cast<int>(unsynced))
                                            .arg(problem)));
                }
            }
        }
        qInfo("%zu power losses", points);
        QVERIFY2(points >= 200, "So few cuts are no test of what a power loss leaves.");
    }

private:
    static QString runIn(const QString& folder) { return folder + QStringLiteral("/runs/first"); }

    /// Returns the reason why the newest checkpoint is not as expected; empty if it is.
    /// \param promised  number of checkpoints that had been completed
    static QString problemOf(const QString& folder, int promised)
    {
        try {
            const auto found = CheckpointFolder(folder).newest();
            const auto which = static_cast<int>(found.state.epoch);
            if (readFile(found.tensors) != tensorsOf(which))
                return QStringLiteral("the tensors in %1 are not whole").arg(found.path);
            // The checkpoint that was being written may exist already.
            if (which + 1 < promised || which > promised)
                return QStringLiteral("checkpoint %1 of %2 is the newest").arg(which + 1).arg(promised);
            // The training can resume there.
            (void)CheckpointFolder(folder).claim(QStringLiteral("7d9c"));
        } catch (const config::ConfigError& error) {
            if (promised > 0)
                return QString::fromUtf8(error.what());
        }
        return {};
    }
};

BATCHPEAK_TEST(CheckpointPowerLossTest)
#include "tst_checkpoint_power_loss.moc"
