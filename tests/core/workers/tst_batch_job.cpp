// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/files.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "workers/batch_job.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::engine;

namespace {

/// What a script does in place of Slurm and of batchpeak, whose words end up in a file.
struct Run
{
    QString words;
    QString requeued;
    int code = 0;
};

} // namespace

class BatchJobTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        test::writeProgram(path("scontrol"), "echo \"$@\" >requeued\n");
    }

    void asksForNodes_data()
    {
        rows<Text, Text>({{"whole nodes", {"slurm", "--exclusive\n#SBATCH --mem=0"}},
                          {"a partition", {"slurm:gpu", "--partition=gpu"}},
                          {"so many", {"slurm -N 4 --time=1:00:00", "-N 4\n#SBATCH --time=1:00:00"}},
                          {"a value with a blank", {"slurm \"--comment=a b\"", "'--comment=a b'"}}});
    }
    void asksForNodes()
    {
        const auto& [place, directive] = row<Text, Text>();
        const QString script =
            batchScript({.place = placeFromText(place), .prefix = QStringLiteral("/x/50%j")});
        QVERIFY2(script.contains(QStringLiteral("\n#SBATCH ") + directive), qPrintable(script));
        QVERIFY(script.contains(QStringLiteral("#SBATCH --output=/x/50%%j-%j.log")));
    }

    void leavesTheOthersOnANode()
    {
        const QString script = batchScript({.place = placeFromText(QStringLiteral("slurm --gpus=2"))});
        QVERIFY(!script.contains(QStringLiteral("--exclusive")));
    }

    void beginsAndContinues_data()
    {
        rows<Text, Text, Text>(
            {{"a first start",
              {"0", "", "explore|my config.yaml|--max 5|--events|FOLDER/job-17.jsonl|--in-place"}},
             {"a restart",
              {"1", R"({"event":"recorded","exploration":12,"time":"now"})",
               "explore|--resume|12|--events|FOLDER/job-17.jsonl|--in-place"}},
             {"a restart before anything was recorded",
              {"1", R"({"event":"started"})",
               "explore|my config.yaml|--max 5|--events|FOLDER/job-17.jsonl|--in-place"}}});
    }
    void beginsAndContinues()
    {
        const auto& [restarts, events, words] = row<Text, Text, Text>();
        if (!events.isEmpty())
            test::writeFile(path("job-17.jsonl"), events.toUtf8() + '\n');
        const Run run = runScript(restarts, "for word; do printf '%s|' \"$word\"; done >words\nexit 3\n");
        QCOMPARE(run.words.chopped(1), QString(words).replace(QStringLiteral("FOLDER"), m_folder->path()));
        QCOMPARE(run.code, 3);
        QCOMPARE(run.requeued, QString());
    }

    void goesBackIntoTheQueue_data()
    {
        rows<Text, Text, Text>(
            {{"with a trial", {R"({"event":"trial_finished"})", "RUNNING", "requeue 17\n"}},
             {"without one", {R"({"event":"started"})", "RUNNING", ""}},
             {"when it is canceled", {R"({"event":"trial_finished"})", "COMPLETING", ""}}});
    }
    /// TERM comes before the time limit.
    void goesBackIntoTheQueue()
    {
        const auto& [event, state, requeued] = row<Text, Text, Text>();
        test::writeProgram(path("squeue"), "echo " + state.toUtf8() + '\n');
        const QByteArray program = "trap 'exit 130' TERM\necho '" + event.toUtf8() +
                                   "' >>job-17.jsonl\nkill -TERM $PPID\nwhile :; do sleep 0.05; done\n";
        const Run run = runScript(QStringLiteral("0"), program);
        QCOMPARE(run.code, 130);
        QCOMPARE(run.requeued, QString(requeued));
    }

private:
    QString path(const char* name) const { return m_folder->filePath(QString::fromUtf8(name)); }

    /// \param program  what stands for batchpeak, as the text of a shell script
    Run runScript(const QString& restarts, const QByteArray& program)
    {
        test::writeProgram(path("batchpeak"), program);
        const QString script =
            batchScript({.place = placeFromText(QStringLiteral("slurm")),
                         .program = path("batchpeak"),
                         .prefix = path("job"),
                         .exploreWords = {QStringLiteral("my config.yaml"), QStringLiteral("--max 5")},
                         .outputWords = {QStringLiteral("--in-place")}});
        QProcess shell;
        shell.setWorkingDirectory(m_folder->path());
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("PATH"),
                           m_folder->path() + QLatin1Char(':') + qEnvironmentVariable("PATH"));
        environment.insert(QStringLiteral("SLURM_JOB_ID"), QStringLiteral("17"));
        environment.insert(QStringLiteral("SLURM_RESTART_COUNT"), restarts);
        shell.setProcessEnvironment(environment);
        shell.start(QStringLiteral("sh"), {QStringLiteral("-c"), script});
        if (!shell.waitForFinished())
            shell.kill();
        return {.words = QString::fromUtf8(test::readFile(path("words"))),
                .requeued = QString::fromUtf8(test::readFile(path("requeued"))),
                .code = shell.exitCode()};
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

BATCHPEAK_TEST(BatchJobTest)
#include "tst_batch_job.moc"
