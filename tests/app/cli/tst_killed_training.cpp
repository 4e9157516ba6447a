// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/test_main.h"

#include <QDir>
#include <QElapsedTimer>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMap>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <chrono>
#include <csignal>

using namespace std::chrono_literals;

namespace {

const QString lastCheckpoint = QStringLiteral("step-000006");

/// A training run of the example into a folder, with dropout and an evaluation, whose checkpoints take a
/// considerable part of its time.
class Training
{
public:
    Training(const QString& config, const QString& folder) : m_config(config), m_folder(folder) {}

    QStringList arguments() const
    {
        QStringList arguments =
            QStringList{QStringLiteral("train"), m_config} +
            words("--device cpu --sequence-length 16 --setting 96 --steps 6 --quiet "
                  "--eval-split 32 --evaluate-every 2 --checkpoint-every 1") +
            QStringList{QStringLiteral("--checkpoint"), m_folder, QStringLiteral("--events"), eventsPath()};
        if (!checkpoints(QStringLiteral("step-??????")).isEmpty())
            arguments += {QStringLiteral("--resume"), m_folder};
        return arguments;
    }

    bool isWritingACheckpoint() const { return !checkpoints(QStringLiteral("*.unfinished")).isEmpty(); }
    bool isDone() const { return checkpoints(lastCheckpoint).size() == 1; }

    /// Returns the loss of each step and evaluation in the events of the last run; the last line may be
    /// incomplete.
    QMap<QString, double> losses() const
    {
        QMap<QString, double> losses;
        for (const QByteArray& line : bytesOf(eventsPath()).split('\n')) {
            const QJsonObject event = QJsonDocument::fromJson(line).object();
            if (event.contains(QLatin1String("loss")))
                losses.insert(nameOf(event) + event.value(QLatin1String("step")).toVariant().toString(),
                              event.value(QLatin1String("loss")).toDouble());
        }
        return losses;
    }

    QByteArray tensors() const
    {
        return bytesOf(m_folder + u'/' + lastCheckpoint + QLatin1String("/tensors.safetensors"));
    }

private:
    QString eventsPath() const { return m_folder + QStringLiteral(".jsonl"); }
    QStringList checkpoints(const QString& name) const
    {
        return QDir(m_folder).entryList({name}, QDir::Dirs);
    }

    QString m_config;
    QString m_folder;
};

} // namespace

/// Tests `train --resume` after kills at any moment: the result is bit for bit the same as without them.
class KilledTrainingTest : public QObject
{
    Q_OBJECT

private slots:
    void producesTheSameResultDespiteKills()
    {
        const QTemporaryDir folder;
        const QString config = folder.filePath(QStringLiteral("config.yaml"));
        QVERIFY(writeBytes(
            config,
            bytesOf(examplePath("gpt2-tiny.yaml")).replace("dropout_rate: 0.0", "dropout_rate: 0.1")));
        const Training whole(config, folder.filePath(QStringLiteral("whole")));
        QElapsedTimer watch;
        watch.start();
        const ProgramRun run = runProgram(whole.arguments());
        const qint64 duration = watch.nsecsElapsed() / 1000;
        QVERIFY2(run.succeeded(), run.text());
        QVERIFY(!whole.tensors().isEmpty());
        const QMap<QString, double> losses = whole.losses();
        QVERIFY(losses.size() > 6);

        QRandomGenerator chance(7);
        int inCheckpoints = 0;
        int kills = 0;
        for (int trainings = 0; kills < 30; ++trainings) {
            const Training training(config, folder.filePath(QString::number(trainings)));
            while (!training.isDone() && kills < 30) {
                RunningProgram program(training.arguments());
                if (kills % 2 == 0)
                    QThread::usleep(chance.bounded(static_cast<int>(duration)));
                else
                    waitForACheckpoint(training, program, chance);
                program.send(SIGKILL);
                QVERIFY(program.waitForEnd());
                ++kills;
                inCheckpoints += training.isWritingACheckpoint() ? 1 : 0;
                compare(training.losses(), losses);
            }
            if (!training.isDone()) {
                const ProgramRun last = runProgram(training.arguments());
                QVERIFY2(last.succeeded(), last.text());
                QVERIFY(!training.isWritingACheckpoint());
                compare(training.losses(), losses);
            }
            QVERIFY(training.tensors() == whole.tensors());
        }
        qInfo("%d kills, %d of them while a checkpoint was written", kills, inCheckpoints);
        QVERIFY(inCheckpoints > 0);
    }

private:
    static void waitForACheckpoint(const Training& training, RunningProgram& program,
                                   QRandomGenerator& chance)
    {
        // The unfinished checkpoint of an earlier kill is removed when the next checkpoint begins.
        const bool hadOne = training.isWritingACheckpoint();
        bool wasGone = !hadOne;
        while (program.process().state() != QProcess::NotRunning) {
            const bool isWriting = training.isWritingACheckpoint();
            wasGone = wasGone || !isWriting;
            if (wasGone && isWriting)
                break;
            program.process().waitForFinished(0);
            QThread::usleep(100);
        }
        QThread::usleep(chance.bounded(20000));
    }

    static void compare(const QMap<QString, double>& some, const QMap<QString, double>& all)
    {
        for (auto loss = some.begin(); loss != some.end(); ++loss)
            QCOMPARE(loss.value(), all.value(loss.key()));
    }
};

BATCHPEAK_TEST(KilledTrainingTest)
#include "tst_killed_training.moc"
