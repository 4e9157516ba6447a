// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/files.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <memory>

namespace {

struct Refusal
{
    const char* words;
    const char* sentence;
};

} // namespace

/// `explore --resume`, after the program was killed in the midst of a trial.
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

    void goesOnWhereItWasKilled_data()
    {
        rows<QStringList>({{"the newest", {QStringLiteral("--resume")}},
                           {"of a number", {QStringLiteral("--resume"), QStringLiteral("1")}},
                           {"of a config", {QStringLiteral("--resume"), QStringLiteral("config.yaml")}}});
    }
    void goesOnWhereItWasKilled()
    {
        killInTheMidst();
        QStringList words = row<QStringList>();
        words.replaceInStrings(QStringLiteral("config.yaml"), config());
        const QJsonObject before = exploration();
        QVERIFY(before.value(QStringLiteral("status")).isNull());
        const auto run = runProgram(QStringList{QStringLiteral("explore")} + words +
                                    QStringList{QStringLiteral("--in-place")});
        QVERIFY2(run.succeeded({"micro_batch_size: "}), run.text());
        QVERIFY2(run.remarks("Exploration 1 goes on, which was cut off after "), run.text());
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
        QVERIFY2(again.refused({"has come to its end"}), again.text());
    }

    void refusesWhatCannotGoOn_data()
    {
        rows<Refusal>({{"an unknown number", {"--resume 99", "there is no exploration 99"}},
                       {"other options", {"--resume 1 --max-trials 3", "leave out --max-trials"}},
                       {"of another config", {"other.yaml --resume", "no exploration was cut off"}}});
    }
    void refusesWhatCannotGoOn()
    {
        killInTheMidst();
        const auto& [asked, sentence] = row<Refusal>();
        const auto run = runProgram(QStringList{QStringLiteral("explore")} + words(asked));
        QVERIFY2(run.refused({sentence}), run.text());
    }

    void leavesAChangedConfigAlone()
    {
        killInTheMidst();
        const QByteArray changed = bytesOf(config()) + "# changed\n";
        batchpeak::test::writeFile(config(), changed);
        const auto run =
            runProgram({QStringLiteral("explore"), QStringLiteral("--resume"), QStringLiteral("--in-place")});
        QVERIFY2(run.refused({"has changed since exploration 1 began"}), run.text());
        QCOMPARE(bytesOf(config()), changed);
        // Without a place for the size it goes on all the same.
        const auto further = runProgram({QStringLiteral("explore"), QStringLiteral("--resume")});
        QVERIFY2(further.succeeded(), further.text());
        QCOMPARE(bytesOf(config()), changed);
    }

    void hasNothingToGoOnWith()
    {
        const auto run = runProgram({QStringLiteral("explore"), QStringLiteral("--resume")});
        QVERIFY2(run.refused({"no exploration was cut off"}), run.text());
    }

private:
    QString config() const { return m_folder->filePath(QStringLiteral("config.yaml")); }

    /// The second trial hangs, once for all programs.
    void killInTheMidst()
    {
        const QByteArray behaviour =
            "trial=hang@4 once=" + m_folder->filePath(QStringLiteral("once")).toUtf8();
        RunningProgram program(
            exploreArguments(behaviour.constData(), words("--max-trials 8 --min-confidence 0"), config()));
        QVERIFY2(program.waitForAnswer("BEXP202"), program.out());
        QTRY_VERIFY(QFile::exists(m_folder->filePath(QStringLiteral("once"))));
        program.send(SIGKILL);
        QVERIFY(program.waitForEnd());
    }

    QJsonObject exploration() const
    {
        const auto run = runProgram({QStringLiteral("history"), QStringLiteral("show"), QStringLiteral("1"),
                                     QStringLiteral("--json")});
        return QJsonDocument::fromJson(run.out.toUtf8()).object();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

BATCHPEAK_TEST(ResumeTest)
#include "tst_resume.moc"
