// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/command_line.h"
#include "cli/words/history_text.h"
#include "program_run.h"
#include "store/exploration_store.h"
#include "store/program_lock.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <string>
#include <vector>

using namespace batchpeak;

namespace {

store::StoredExploration someExploration(qint64 id, double samplesPerSecond)
{
    const store::RecommendationRecord recommendation{.microBatchSize = 48,
                                                     .samplesPerSecond = samplesPerSecond,
                                                     .confidence = 96,
                                                     .reason = QStringLiteral("48 leads.")};
    store::StoredExploration exploration;
    exploration.summary.id = id;
    exploration.summary.info.filePath = QStringLiteral("/somewhere/params.yaml");
    exploration.summary.info.family = QStringLiteral("gpt2");
    exploration.summary.info.fidelity.kind = QStringLiteral("as_configured");
    exploration.summary.trials = 2;
    exploration.summary.recommendation = recommendation;
    exploration.summary.end = store::ExplorationEnd{.status = QStringLiteral("confident")};
    exploration.devices = {{.id = QStringLiteral("cpu"), .name = QStringLiteral("Some CPU")}};
    exploration.trials = {{.number = 1,
                           .microBatchSize = 48,
                           .outcome = trial::Outcome::Ok,
                           .samplesPerSecond = samplesPerSecond,
                           .peakReservedBytes = qint64{3} << 29,
                           .timedSteps = 5,
                           .joulesPerSample = 0.4},
                          {.number = 3,
                           .microBatchSize = 48,
                           .outcome = trial::Outcome::Ok,
                           .timedSteps = 15,
                           .joulesPerSample = 0.44},
                          {.number = 4,
                           .microBatchSize = 48,
                           .outcome = trial::Outcome::Ok,
                           .timedSteps = 5,
                           .joulesPerSample = 0.9,
                           .disturbed = true,
                           .flags = {"disturbed: heat"}},
                          {.number = 2, .microBatchSize = 96, .outcome = trial::Outcome::OutOfMemory}};
    exploration.recommendations = {recommendation};
    return exploration;
}

} // namespace

/// Tests the history in the terminal: its texts, and the command that prints them.
class HistoryTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        qputenv("XDG_DATA_HOME", m_folder.path().toUtf8());
        QVERIFY(store::ExplorationStore::defaultPath().startsWith(m_folder.path()));
    }

    void reportsAnEmptyHistory() { QCOMPARE(cli::historyLines({}).size(), 1); }

    void listsOneLinePerExploration()
    {
        store::ExplorationSummary unfinished;
        unfinished.id = 8;
        const QStringList lines = cli::historyLines({unfinished, someExploration(7, 20.0).summary});
        QCOMPARE(lines.size(), 3);
        QVERIFY(lines[1].startsWith(QLatin1Char('8')) && lines[1].contains(QStringLiteral("not finished")));
        for (const char* word : {"7 ", "params.yaml", "confident", "48", "20.0", "96 %"})
            QVERIFY2(lines[2].contains(QLatin1String(word)), qPrintable(lines[2]));
        QVERIFY(!lines[2].contains(QStringLiteral("somewhere")));
    }

    void showsEverythingThatIsStored()
    {
        const QString text = cli::explorationLines(someExploration(7, 20.0)).join(QLatin1Char('\n'));
        for (const char* word : {"/somewhere/params.yaml", "Some CPU", "48 leads.", "1.50 GiB", "oom"})
            QVERIFY2(text.contains(QLatin1String(word)), qPrintable(text));
    }

    void reportsTheEnergyOfUndisturbedTrials()
    {
        const QStringList lines = cli::explorationLines(someExploration(7, 20.0));
        const QString energy = lines.filter(QStringLiteral("energy ")).value(0);
        QVERIFY2(energy.endsWith(QStringLiteral(" 430 mJ/sample")), qPrintable(energy));
        QCOMPARE(lines.filter(QStringLiteral("900 mJ/sample")).size(), 1);
    }

    void showsComparisonsAndTheExpectedLoss()
    {
        store::StoredExploration exploration = someExploration(7, 20.0);
        exploration.summary.recommendation->expectedLoss = 0.008;
        exploration.summary.end->ending = QStringLiteral("No size left that is worth a trial.");
        exploration.trials.push_back(
            {.number = 5,
             .device = "cpu",
             .compared =
                 {{.microBatchSize = 48, .samplesPerSecond = 20.0, .visits = {{0.0, 20.0}, {3.0, 20.0}}},
                  {.microBatchSize = 56, .samplesPerSecond = 21.0, .visits = {{1.0, 21.0}, {2.0, 21.0}}}},
             .visits = 2,
             .outcome = trial::Outcome::Ok,
             .flags = {"disturbed: heat"}});
        const QString text = cli::explorationLines(exploration).join(QLatin1Char('\n'));
        for (const char* words :
             {"expected loss", "0.8 %", "No size left that is worth a trial.", "48 56", "20.0 21.0",
              "compared 48 and 56 in 2 visits each: 56 is 5.0 % faster than 48, disturbed: heat"})
            QVERIFY2(text.contains(QLatin1String(words)), qPrintable(text));
    }

    void marksApproximateResults()
    {
        store::StoredExploration exploration = someExploration(7, 20.0);
        store::ExplorationInfo& info = exploration.summary.info;
        info.parameters = 1000;
        info.frozenParameters = 990;
        info.tuning = QStringLiteral(R"({"adapter":"lora","rank":4,"targets":[{"projection":"query"}]})");
        info.fidelity = {.kind = QStringLiteral("approximate"),
                         .reasons = {QStringLiteral("packed samples")},
                         .replaced = {}};
        const QString text = cli::explorationLines(exploration).join(QLatin1Char('\n'));
        for (const char* words :
             {"~20.0", "approximate because of packed samples", "trainable 10 of 1,000 parameters, 1.00 %",
              "LoRA of rank 4, alpha 8, on query", "same dtype as trained weights"})
            QVERIFY2(text.contains(QLatin1String(words)), qPrintable(text));
        const QString peak = cli::explorationLines(exploration).filter(QStringLiteral("peak memory")).front();
        QVERIFY2(peak.contains(QLatin1Char('~')), qPrintable(peak));
        // Results that an older version stored may not be exact.
        info.fidelity = {};
        QVERIFY(cli::historyLines({exploration.summary})[1].contains(QStringLiteral("~20.0")));
    }

    void comparesSideBySide()
    {
        const QStringList lines = cli::comparisonLines(someExploration(7, 20.0), someExploration(9, 25.0));
        QVERIFY2(lines.back().contains(QStringLiteral("1.25 times")), qPrintable(lines.back()));
        const auto rates = lines.filter(QStringLiteral("samples/s")).front();
        QVERIFY2(rates.contains(QStringLiteral("20.0")) && rates.contains(QStringLiteral("25.0")),
                 qPrintable(rates));
        // The ratio comes with a warning if the two explorations differ in fidelity.
        store::StoredExploration other = someExploration(9, 25.0);
        other.summary.info.fidelity.kind = QStringLiteral("another_run");
        const QStringList apart = cli::comparisonLines(someExploration(7, 20.0), other);
        QVERIFY2(apart.back().startsWith(QStringLiteral("They do not match their configs equally closely")),
                 qPrintable(apart.back()));
    }

    void endsWithTheRightCode_data()
    {
        const auto add = rows<const char*, int>();
        const auto endsWith = [&add](const char* line, int code) { add(line, {line, code}); };
        endsWith("history", 0);
        endsWith("history list", 0);
        endsWith("history list 1", 1);
        endsWith("history show 1", 0);
        endsWith("history show", 1);
        endsWith("history show 99", 1);
        endsWith("history show one", 1);
        endsWith("history compare 1 2", 0);
        endsWith("history compare 1", 1);
        endsWith("history compare 1 2 3", 1);
        endsWith("history forget 1", 1);
        endsWith("history delete 2", 0);
        endsWith("history delete 2 again", 1);
    }
    void endsWithTheRightCode()
    {
        const auto& [typed, code] = row<const char*, int>();
        QFile::remove(store::ExplorationStore::defaultPath());
        {
            store::ExplorationStore store(store::ExplorationStore::defaultPath());
            store.begin({});
            store.begin({});
        }
        std::vector<std::string> arguments{"batchpeak"};
        for (const QString& word : words(typed))
            arguments.push_back(word.toStdString());
        std::vector<char*> pointers;
        for (std::string& argument : arguments)
            pointers.push_back(argument.data());

        cli::CommandLine line;
        const auto refused = line.parse(static_cast<int>(pointers.size()), pointers.data());
        QCOMPARE(refused ? *refused : line.run(), code);
        const bool isDeleted = code == 0 && words(typed).contains(QStringLiteral("delete"));
        store::ExplorationStore store(store::ExplorationStore::defaultPath());
        QCOMPARE(store.list().size(), std::size_t{isDeleted ? 1U : 2U});
    }

    void importsExplorationsStoredNextToIt()
    {
        const QString path = store::ExplorationStore::defaultPath();
        const QString beside = QFileInfo(path).dir().filePath(QStringLiteral("explorations.beside-1.sqlite"));
        QFile::remove(path);
        store::ExplorationStore(beside).begin(
            {.started = QDateTime::currentDateTimeUtc(), .filePath = QStringLiteral("/somewhere/left.yaml")});
        {
            store::ProgramLock writing(beside + QStringLiteral(".lock"));
            QCOMPARE(writing.take(), store::ProgramLock::Outcome::Taken);
            const ProgramRun early = runProgram({QStringLiteral("history")});
            QVERIFY2(early.succeeded() && !early.answers("left.yaml"), early.text());
        }
        const ProgramRun run = runProgram({QStringLiteral("history")});
        QVERIFY2(run.succeeded({"left.yaml"}), run.text());
        QVERIFY2(run.remarks("The history took in 1 exploration"), run.text());
        QVERIFY(!QFile::exists(beside));
    }

private:
    QTemporaryDir m_folder;
};

BATCHPEAK_TEST(HistoryTest)
#include "tst_history.moc"
