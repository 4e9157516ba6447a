// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "actions/earlier_runs.h"
#include "sample_snapshots.h"
#include "store/exploration_store.h"
#include "store/history_writer.h"
#include "support/held_history.h"
#include "support/test_main.h"
#include "text/readable_text.h"

#include <QAction>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::ui;

namespace {

const QDateTime noon(QDate(2026, 3, 14), QTime(12, 0), Qt::UTC);
const QStringList wordsOfHistory{QStringLiteral("--max-trials"), QStringLiteral("7")};

/// Opens the menu and returns its entries, without date and time.
QStringList entriesOf(EarlierRuns& menu)
{
    emit menu.aboutToShow();
    QStringList entries;
    for (const QAction* action : menu.actions())
        entries << action->text().section(QStringLiteral(" · "), 1);
    return entries;
}

} // namespace

class EarlierRunsTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    QString historyOf(const QString& config, const QDateTime& started)
    {
        const QString path = m_folder.filePath(
            QStringLiteral("%1.sqlite").arg(QString::fromUtf8(QTest::currentTestFunction())));
        store::ExplorationStore store(path);
        const qint64 id =
            store.begin({.started = started,
                         .filePath = config,
                         .formatName = QStringLiteral("Cerebras params"),
                         .family = QStringLiteral("gpt2"),
                         .phase = QStringLiteral("train"),
                         .precision = QStringLiteral("bf16"),
                         .optimizer = QStringLiteral("adamw"),
                         .sequenceLength = 512,
                         .globalBatchSize = 96,
                         .fidelity = {.kind = QStringLiteral("as_configured"), .reasons = {}, .replaced = {}},
                         .command = wordsOfHistory});
        store.addDevice(id, {.id = QStringLiteral("cuda:0"),
                             .name = QStringLiteral("NVIDIA H100"),
                             .limitBytes = test::bytesOf(79.1)});
        trial::TrialRecord trial = test::trialThat(trial::Outcome::Ok, 1, 24, 3.0);
        trial.samplesPerSecond = 512.0;
        trial.peakReservedBytes = test::bytesOf(3.1);
        store.addTrial(id, trial);
        store.addRecommendation(id, {.microBatchSize = 24,
                                     .samplesPerSecond = 512.0,
                                     .relativeError = 0.01,
                                     .confidence = 96,
                                     .reason = QStringLiteral("24 is the best.")});
        store.finish(id, {.finished = started.addSecs(90),
                          .status = QStringLiteral("confident"),
                          .failure = {},
                          .ending = QStringLiteral("It is sure.")});
        return path;
    }

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void keepsEndedRuns()
    {
        EarlierRuns menu(nullptr);
        QCOMPARE(entriesOf(menu).size(), 1);
        QVERIFY(!menu.actions().front()->isEnabled());

        menu.follow(test::readySnapshot());
        menu.begin(noon);
        menu.follow(test::runningSnapshot());
        menu.follow(test::continuationSnapshot());
        QVERIFY(!menu.previous());
        // The next run begins.
        menu.follow(test::readySnapshot());
        menu.begin(noon.addSecs(600));
        menu.follow(test::earlySnapshot());
        QCOMPARE(entriesOf(menu), QStringList{QStringLiteral("192 · 84 % · 18 trials")});
        QVERIFY(menu.previous());
        QCOMPARE(menu.previous()->started, noon);
        const engine::Snapshot& kept = menu.previous()->snapshot;
        QCOMPARE(kept.trials.size(), test::continuationSnapshot().trials.size());
        QVERIFY(!kept.searchState.curve.empty());
        QVERIFY2(!kept.canContinue, "Only the exploration in hand can go on.");

        const QSignalSpy chosen(&menu, &EarlierRuns::chosen);
        menu.actions().front()->trigger();
        QCOMPARE(chosen.count(), 1);
    }

    void keepsTheLastEndOfAContinuedRun()
    {
        EarlierRuns menu(nullptr);
        menu.begin(noon);
        engine::Snapshot stopped = test::doubtfulSnapshot();
        menu.follow(stopped);
        menu.follow(test::runningSnapshot());
        test::say(stopped, 900, QStringLiteral("It went on."));
        stopped.searchState.recommendation->confidence = 97;
        menu.follow(stopped);
        menu.follow(test::readySnapshot());
        QVERIFY(menu.previous());
        QCOMPARE(menu.previous()->snapshot.searchState.recommendation->confidence, 97);
        QCOMPARE(entriesOf(menu).size(), 1);
    }

    void offersNoRunOfAnotherConfig()
    {
        EarlierRuns menu(nullptr);
        menu.begin(noon);
        menu.follow(test::finishedSnapshot());
        engine::Snapshot other = test::readySnapshot();
        other.run->filePath = QStringLiteral("/home/user/other.yaml");
        menu.follow(other);
        QVERIFY(!menu.previous());
        QVERIFY(!menu.actions().isEmpty());
        QCOMPARE(entriesOf(menu).size(), 1);
        QVERIFY(!menu.actions().front()->isEnabled());
    }

    void labelsRunsOfEvaluation()
    {
        EarlierRuns menu(nullptr);
        menu.begin(noon);
        engine::Snapshot evaluation = test::finishedSnapshot();
        evaluation.run->phase = model::Phase::Eval;
        menu.follow(evaluation);
        menu.follow(test::readySnapshot());
        QCOMPARE(entriesOf(menu), QStringList{QStringLiteral("evaluation · 192 · 96 % · 18 trials")});
    }

    void readsTheHistoryOfTheConfig()
    {
        EarlierRuns menu(nullptr);
        const engine::Snapshot ready = test::readySnapshot();
        menu.setHistory(historyOf(ready.run->filePath, noon));
        historyOf(QStringLiteral("/home/user/other.yaml"), noon.addSecs(60));
        menu.follow(ready);
        QCOMPARE(entriesOf(menu), QStringList{QStringLiteral("24 · 96 % · 1 trial")});

        std::optional<EarlierRun> chosen;
        connect(&menu, &EarlierRuns::chosen, &menu, [&](const EarlierRun& run) { chosen = run; });
        menu.actions().front()->trigger();
        QVERIFY(chosen);
        const engine::Snapshot& snapshot = chosen->snapshot;
        QCOMPARE(chosen->started, noon);
        QCOMPARE(snapshot.state, engine::State::Finished);
        QVERIFY(snapshot.finish == engine::FinishStatus::Confident);
        QCOMPARE(snapshot.run->plan.globalBatchSize, 96);
        QCOMPARE(snapshot.run->plan.microBatchKey, ready.run->plan.microBatchKey);
        QCOMPARE(snapshot.run->sequenceLength, 512);
        QCOMPARE(snapshot.trials.size(), std::size_t{1});
        QCOMPARE(snapshot.searchState.recommendation->size, 24);
        QCOMPARE(snapshot.recommendedPeakBytes, test::bytesOf(3.1));
        QCOMPARE(snapshot.accumulationSteps, 4);
        QCOMPARE(snapshot.elapsedSeconds, 90.0);
        QCOMPARE(snapshot.ending, QStringLiteral("It is sure."));
        QCOMPARE(snapshot.run->command, wordsOfHistory);
        QCOMPARE(snapshot.run->maxTrials, 7);
        QCOMPARE(viewingText(*chosen),
                 QStringLiteral("Viewing the run of %1 (training). Finished after 1 trial with size 24, "
                                "confidence 96 %, on cuda:0 NVIDIA H100.")
                     .arg(engine::dayAndTimeText(noon)));
        QCOMPARE(snapshot.devices.front().kind, QStringLiteral("cuda"));
    }

    void namesTheYearUnlessItIsTheCurrentOne()
    {
        const QDate today = QDate::currentDate();
        const QTime time(14, 9);
        QCOMPARE(engine::dayAndTimeText(QDateTime(QDate(today.year(), 11, 28), time)),
                 QStringLiteral("28 Nov, 14:09"));
        QCOMPARE(engine::dayAndTimeText(QDateTime(QDate(1999, 11, 28), time)),
                 QStringLiteral("28 Nov 1999, 14:09"));
    }

    void distinguishesRunsOfAnotherWindowFromEndedOnes()
    {
        EarlierRuns menu(nullptr);
        const engine::Snapshot ready = test::readySnapshot();
        const QString path = m_folder.filePath(QStringLiteral("elsewhere.sqlite"));
        menu.setHistory(path);
        menu.follow(ready);
        QVERIFY(!menu.lookElsewhere());
        {
            store::HistoryWriter other(path);
            other.begin(
                {.started = noon,
                 .filePath = ready.run->filePath,
                 .phase = QStringLiteral("train"),
                 .fidelity = {.kind = QStringLiteral("as_configured"), .reasons = {}, .replaced = {}}});
            other.addDevice({.id = QStringLiteral("cpu"), .name = {}, .program = {}});
            trial::TrialRecord trial = test::trialThat(trial::Outcome::Ok, 1, 24, 3.0);
            other.addTrial(trial);
            trial = test::trialThat(trial::Outcome::Cancelled, 2, 48, 0.0);
            other.addTrial(trial);
            QCOMPARE(entriesOf(menu), QStringList{QStringLiteral("running elsewhere · 1 trial")});
            QVERIFY(menu.lookElsewhere() && !menu.lookElsewhere());
            const auto elsewhere = menu.elsewhere();
            QVERIFY(menu.elsewhereOf(ready.run->filePath) &&
                    !menu.elsewhereOf(QStringLiteral("/other.yaml")));
            const QStringList cpu{QStringLiteral("cpu")};
            QVERIFY(menu.elsewhereText(ready.run->filePath, cpu).contains(QStringLiteral("this config")));
            QVERIFY(menu.elsewhereText(QStringLiteral("/a/b.yaml"), {})
                        .contains(QStringLiteral("gpt-medium.yaml")));
            QCOMPARE(menu.elsewhereText(ready.run->filePath, {QStringLiteral("cuda:0")}), QString());
            QCOMPARE(elsewhere.size(), std::size_t{1});
            QCOMPARE(elsewhere.front().devices, QStringList{QStringLiteral("cpu")});
            const auto run = menu.read(elsewhere.front().exploration);
            QVERIFY(run && run->snapshot.isUnderWay() && !run->snapshot.finish);
            QVERIFY(run->snapshot.trials.back().isRunning());
            QVERIFY2(
                viewingText(*run).contains(QStringLiteral("running in another window or terminal. 2 trials "
                                                          "so far without a size")),
                qPrintable(viewingText(*run)));
        }
        // The program has ended before the exploration.
        QVERIFY(menu.lookElsewhere() && menu.elsewhere().empty());
        QCOMPARE(entriesOf(menu), QStringList{QStringLiteral("no size · 1 trial")});
        const auto cut = menu.read(1);
        QVERIFY(cut && cut->snapshot.finish == engine::FinishStatus::Cancelled);
        QVERIFY(!cut->snapshot.trials.back().isRunning());
        QVERIFY2(viewingText(*cut).contains(QStringLiteral("Stopped after 1 trial without a size")),
                 qPrintable(viewingText(*cut)));
        QVERIFY(!cut->snapshot.ending.isEmpty());
    }

    void distinguishesItsOwnRunFromOneThatBeganSimultaneously()
    {
        const QString path = m_folder.filePath(QStringLiteral("both.sqlite"));
        store::HistoryWriter own(path);
        store::HistoryWriter other(path);
        qint64 number = 0;
        connect(&own, &store::HistoryWriter::kept, this, [&](qint64 exploration) { number = exploration; });
        engine::Snapshot running = test::runningSnapshot();
        for (store::HistoryWriter* store : {&own, &other}) {
            store->begin(
                {.started = noon,
                 .filePath = running.run->filePath,
                 .phase = QStringLiteral("train"),
                 .fidelity = {.kind = QStringLiteral("as_configured"), .reasons = {}, .replaced = {}}});
            store->addDevice({.id = QStringLiteral("cuda:0"), .name = {}, .program = {}});
        }
        QVERIFY(number > 0);
        EarlierRuns menu(nullptr);
        menu.setHistory(path);
        menu.begin(noon);
        running.numberInHistory = number;
        menu.follow(running);
        QVERIFY(menu.lookElsewhere());
        QCOMPARE(menu.elsewhere().size(), std::size_t{1});
        QVERIFY(menu.elsewhere().front().exploration != number);
        QCOMPARE(entriesOf(menu), QStringList{QStringLiteral("running elsewhere · 0 trials")});
        // "cuda" stands for any GPU.
        QVERIFY(!menu.elsewhereText({}, {QStringLiteral("cuda")}).isEmpty());
        QVERIFY(menu.elsewhereText({}, {QStringLiteral("cuda:1"), QStringLiteral("cpu")}).isEmpty());
    }

    void readsNoTrialsOfARunElsewhere()
    {
        const QString path = m_folder.filePath(QStringLiteral("outline.sqlite"));
        store::HistoryWriter other(path);
        other.begin({.started = noon, .filePath = QStringLiteral("/a.yaml")});
        other.addDevice({.id = QStringLiteral("cpu"), .name = {}, .program = {}});
        // The row belongs to a missing trial, so the exploration cannot be read completely.
        QVERIFY(test::OtherProgram(path).run("INSERT INTO compared_size (exploration, trial, place, "
                                             "micro_batch_size) VALUES (1, 99, 0, 4)"));
        QVERIFY_THROWS_EXCEPTION(store::StoreError, store::ExplorationStore(path).show(1));
        EarlierRuns menu(nullptr);
        menu.setHistory(path);
        QVERIFY(menu.lookElsewhere());
        QCOMPARE(menu.elsewhere().front().devices, QStringList{QStringLiteral("cpu")});
    }

    void listsARunOnceIfTheHistoryHasItToo()
    {
        EarlierRuns menu(nullptr);
        const engine::Snapshot ready = test::readySnapshot();
        menu.setHistory(historyOf(ready.run->filePath, noon.addMSecs(30)));
        menu.begin(noon);
        engine::Snapshot finished = test::finishedSnapshot();
        finished.numberInHistory = 1;
        menu.follow(finished);
        QCOMPARE(entriesOf(menu).size(), 1);
        QVERIFY2(!menu.actions().front()->isEnabled(), "It is in hand still.");
        menu.follow(ready);
        QCOMPARE(entriesOf(menu), QStringList{QStringLiteral("192 · 96 % · 18 trials")});
    }

    void explainsWhyTheHistoryCannotBeRead()
    {
        EarlierRuns menu(nullptr);
        const QString path = m_folder.filePath(QStringLiteral("broken.sqlite"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("This is no database at all, but it is as long as the beginning of one has to be.");
        file.close();
        menu.setHistory(path);
        menu.follow(test::readySnapshot());
        emit menu.aboutToShow();
        QCOMPARE(menu.actions().size(), 1);
        QVERIFY2(menu.actions().front()->text().contains(QStringLiteral("broken.sqlite")),
                 qPrintable(menu.actions().front()->text()));
    }
};

BATCHPEAK_TEST(EarlierRunsTest)
#include "tst_earlier_runs.moc"
