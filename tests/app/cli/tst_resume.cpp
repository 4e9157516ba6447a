// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "store/exploration_store.h"
#include "support/files.h"
#include "support/held_history.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <functional>
#include <memory>

using batchpeak::test::OtherProgram;

namespace {

struct Refusal
{
    const char* words;
    const char* sentence;
};

/// A history that cannot be read, and the message about it.
struct BadHistory
{
    std::function<void(const QString& path)> make;
    const char* said;
    const char* words = "--resume";
};

void runSql(const QString& path, const char* text)
{
    QVERIFY(OtherProgram(path).run(text));
}

} // namespace

/// Tests `explore --resume` after the program was killed in the middle of a trial.
class ResumeTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("XDG_DATA_HOME", m_folder->path().toUtf8());
        batchpeak::test::writeFile(config(), bytesOf(examplePath("gpt2-tiny.yaml")));
    }
    void cleanup()
    {
        m_other.reset();
        QDir::setCurrent(m_before);
    }

    void continuesWhereItWasKilled_data()
    {
        rows<QStringList>({{"the newest", {QStringLiteral("--resume")}},
                           {"of a number", {QStringLiteral("--resume"), QStringLiteral("1")}},
                           {"of a config", {QStringLiteral("--resume"), QStringLiteral("config.yaml")}}});
    }
    void continuesWhereItWasKilled()
    {
        killDuringATrial();
        QStringList words = row<QStringList>();
        words.replaceInStrings(QStringLiteral("config.yaml"), config());
        const QJsonObject before = exploration();
        QVERIFY(before.value(QStringLiteral("status")).isNull());
        const auto run = runProgram(QStringList{QStringLiteral("explore")} + words +
                                    QStringList{QStringLiteral("--in-place")});
        QVERIFY2(run.succeeded({"micro_batch_size: "}), run.text());
        QVERIFY2(run.remarks("Exploration 1, which was interrupted after "), run.text());
        QVERIFY2(bytesOf(config()) != bytesOf(examplePath("gpt2-tiny.yaml")), run.text());

        const QJsonObject after = exploration();
        QVERIFY(!after.value(QStringLiteral("status")).isNull());
        const QJsonArray trialsBefore = before.value(QStringLiteral("trials_run")).toArray();
        const QJsonArray trials = after.value(QStringLiteral("trials_run")).toArray();
        QVERIFY(trials.size() > trialsBefore.size());
        for (int i = 0; i < trialsBefore.size(); ++i)
            QCOMPARE(trials.at(i), trialsBefore.at(i));
        const QJsonArray told = before.value(QStringLiteral("search_calls")).toArray();
        QVERIFY(!told.isEmpty());
        for (int i = 0; i < told.size(); ++i)
            QCOMPARE(after.value(QStringLiteral("search_calls")).toArray().at(i), told.at(i));

        const auto again =
            runProgram({QStringLiteral("explore"), QStringLiteral("--resume"), QStringLiteral("1")});
        QVERIFY2(again.refused({"has already finished"}), again.text());
    }

    // The history was not writable during the exploration, and is writable now.
    void continuesAnExplorationStoredNextToTheHistory()
    {
        killDuringATrial();
        const QString history = m_folder->filePath(QStringLiteral("batchpeak/explorations.sqlite"));
        const QString beside = m_folder->filePath(QStringLiteral("batchpeak/explorations.beside-1.sqlite"));
        for (const char* ending : {"", "-wal"})
            QFile::rename(history + QLatin1String(ending), beside + QLatin1String(ending));
        {
            const batchpeak::store::ExplorationStore made(history);
        }
        const ProgramRun run = runProgram({QStringLiteral("explore"), QStringLiteral("--resume")});
        QVERIFY2(run.succeeded({"micro_batch_size: "}), run.text());
        QVERIFY2(run.remarks("Exploration 1, which was interrupted after "), run.text());
    }

    void continuesWhereItWasStopped_data()
    {
        rows<QStringList>({{"the newest", {QStringLiteral("--resume")}},
                           {"of a number", {QStringLiteral("--resume"), QStringLiteral("1")}}});
    }
    void continuesWhereItWasStopped()
    {
        // A scheduler sends SIGTERM when it preempts a job.
        endDuringATrial(SIGTERM);
        const QJsonObject before = exploration();
        QCOMPARE(before.value(QStringLiteral("status")).toString(), QStringLiteral("cancelled"));
        const auto run = runProgram(QStringList{QStringLiteral("explore")} + row<QStringList>());
        QVERIFY2(run.succeeded({"micro_batch_size: "}), run.text());
        QVERIFY2(run.remarks("Exploration 1, which was stopped after "), run.text());
        const QJsonObject after = exploration();
        QVERIFY(after.value(QStringLiteral("status")).toString() != QLatin1String("cancelled"));
        const QJsonArray told = before.value(QStringLiteral("search_calls")).toArray();
        QVERIFY(!told.isEmpty());
        for (int i = 0; i < told.size(); ++i)
            QCOMPARE(after.value(QStringLiteral("search_calls")).toArray().at(i), told.at(i));
    }

    void refusesWhatCannotContinue_data()
    {
        rows<Refusal>({{"an unknown number", {"--resume 99", "there is no exploration 99"}},
                       {"no number and no config", {"--resume nosuch", "'nosuch' is neither the number"}},
                       {"other options", {"--resume 1 --max-trials 3", "remove --max-trials"}},
                       {"of another config",
                        {"other.yaml --resume", "there is no interrupted or stopped exploration"}}});
    }
    void refusesWhatCannotContinue()
    {
        killDuringATrial();
        const auto& [asked, sentence] = row<Refusal>();
        const auto run = runProgram(QStringList{QStringLiteral("explore")} + words(asked));
        QVERIFY2(run.refused({sentence}), run.text());
    }

    void isNotDeletedWhileItRuns()
    {
        const QByteArray behavior = "trial=hang@4";
        RunningProgram program(exploreArguments(behavior.constData(), {}, config()));
        QVERIFY2(program.waitForAnswer("BEXP202"), program.out());
        for (const char* json : {"", " --json"}) {
            const auto run = runProgram(words("history delete 1") + words(json));
            QVERIFY2(run.refused({"Another program runs exploration 1; end that one first."}), run.text());
        }
        program.send(SIGKILL);
        QVERIFY(program.waitForEnd());
        const auto run = runProgram(words("history delete 1"));
        QVERIFY2(run.succeeded({"deleted 1"}), run.text());
    }

    // A new exploration with both options would be refused too.
    void refusesToWriteTheSizeOfASmallerNetwork()
    {
        killDuringATrial("--shrink");
        for (const char* place : {"--in-place", "--output o.yaml", "--diff"}) {
            const auto run = runProgram(words("explore --resume") + words(place));
            QVERIFY2(run.refused({"--shrink measures a smaller network"}), run.text());
        }
        const auto further = runProgram(words("explore --resume"));
        QVERIFY2(further.succeeded({"recommended"}), further.text());
    }

    void keepsAChangedConfig()
    {
        killDuringATrial();
        const QByteArray changed = bytesOf(config()) + "# changed\n";
        batchpeak::test::writeFile(config(), changed);
        const auto run =
            runProgram({QStringLiteral("explore"), QStringLiteral("--resume"), QStringLiteral("--in-place")});
        QVERIFY2(run.refused({"has changed since exploration 1 began"}), run.text());
        QCOMPARE(bytesOf(config()), changed);
        // Without an option that writes the size, the exploration continues.
        const auto further = runProgram({QStringLiteral("explore"), QStringLiteral("--resume")});
        QVERIFY2(further.succeeded(), further.text());
        QCOMPARE(bytesOf(config()), changed);
    }

    // The history stores the options: paths are valid in every folder, and sample lengths do not need their
    // file.
    void continuesInAnotherFolder()
    {
        QVERIFY(QDir::setCurrent(m_folder->path()));
        batchpeak::test::writeFile(m_folder->filePath(QStringLiteral("lengths.txt")), "3\n5\n8\n");
        batchpeak::test::writeFile(m_folder->filePath(QStringLiteral("network.yaml")), bytesOf(config()));
        killDuringATrial("--sample-lengths lengths.txt --model network.yaml");
        QVERIFY(QFile::remove(QStringLiteral("lengths.txt")));
        QVERIFY(QDir().mkdir(QStringLiteral("elsewhere")) && QDir::setCurrent(QStringLiteral("elsewhere")));
        const auto run = runProgram({QStringLiteral("explore"), QStringLiteral("--resume")});
        QVERIFY2(run.succeeded({"recommended"}), run.text());
        QVERIFY2(run.remarks("Exploration 1, which was interrupted after "), run.text());
    }

    void reportsWhyTheHistoryCannotBeRead_data()
    {
        const auto sql = [](const char* text) { return [text](const QString& path) { runSql(path, text); }; };
        const auto bytes = [](const QString& path) { QVERIFY(writeBytes(path, QByteArray(5000, 'x'))); };
        const auto hold = [this](const QString& path) {
            m_other = std::make_unique<OtherProgram>(path);
            QVERIFY(m_other->hold());
        };
        rows<BadHistory>(
            {{"a damaged one", {bytes, "is damaged"}},
             {"a damaged one, of a number", {bytes, "is damaged", "--resume 1"}},
             {"one of another program",
              {sql("CREATE TABLE other (x)"), "belongs to another program; move it away"}},
             {"one of no version of ours",
              {sql("PRAGMA user_version = -5"), "belongs to another program; move it away"}},
             {"one of a later version",
              {sql("PRAGMA user_version = 1000"), "was written by a newer Batchpeak", "--resume 7"}},
             {"a folder in its place",
              {[](const QString& path) { QVERIFY(QDir().mkpath(path)); }, "explorations.sqlite cannot be "}},
             {"one that another program holds", {hold, "another program"}}});
    }
    void reportsWhyTheHistoryCannotBeRead()
    {
        const auto& [make, said, asked] = row<BadHistory>();
        QVERIFY(QDir(m_folder->path()).mkdir(QStringLiteral("batchpeak")));
        make(m_folder->filePath(QStringLiteral("batchpeak/explorations.sqlite")));
        const auto run = runProgram(QStringList{QStringLiteral("explore")} + words(asked));
        QVERIFY2(run.refused({said}), run.text());
        const auto list = runProgram({QStringLiteral("history")});
        QVERIFY2(list.refused({said}), list.text());
    }

    void refusesWithoutAnExplorationToContinue()
    {
        const auto run = runProgram({QStringLiteral("explore"), QStringLiteral("--resume")});
        QVERIFY2(run.refused({"there is no interrupted or stopped exploration"}), run.text());
    }

private:
    QString config() const { return m_folder->filePath(QStringLiteral("config.yaml")); }

    void killDuringATrial(const char* further = "") { endDuringATrial(SIGKILL, further); }

    /// Sends a signal to an exploration during its third trial, which hangs. It hangs only once, so that
    /// later explorations end.
    void endDuringATrial(int signal, const char* further = "")
    {
        const QByteArray behavior =
            "trial=hang@4 once=" + m_folder->filePath(QStringLiteral("once")).toUtf8();
        RunningProgram program(exploreArguments(
            behavior.constData(), words("--max-trials 8 --min-confidence 0") + words(further), config()));
        QVERIFY2(program.waitForAnswer("BEXP202"), program.out());
        TRY_VERIFY(QFile::exists(m_folder->filePath(QStringLiteral("once"))));
        program.send(signal);
        QVERIFY(program.waitForEnd());
    }

    QJsonObject exploration() const
    {
        const auto run = runProgram({QStringLiteral("history"), QStringLiteral("show"), QStringLiteral("1"),
                                     QStringLiteral("--json")});
        return QJsonDocument::fromJson(run.out.toUtf8()).object();
    }

    const QString m_before = QDir::currentPath();
    std::unique_ptr<OtherProgram> m_other;
    std::unique_ptr<QTemporaryDir> m_folder;
};

BATCHPEAK_TEST(ResumeTest)
#include "tst_resume.moc"
