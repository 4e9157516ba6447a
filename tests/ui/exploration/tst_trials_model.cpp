// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/approximations.h"
#include "exploration/trials_model.h"
#include "exploration/trials_order.h"
#include "sample_snapshots.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "ui/theme/glyphs.h"

#include <QAbstractItemModelTester>
#include <QIcon>
#include <QImage>
#include <QPainter>
#include <QSignalSpy>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::ui;

namespace {

const engine::MemoryUnit gibibytes{.name = QStringLiteral("GiB"), .bytes = 1024.0 * 1024.0 * 1024.0};

/// Returns the rows as text: trials are indented below their sizes, and " | " separates columns.
QString printed(const QAbstractItemModel& model, const QModelIndex& parent = {})
{
    QString text;
    for (int row = 0; row < model.rowCount(parent); ++row) {
        QStringList cells;
        for (int column = 0; column < model.columnCount(parent); ++column)
            cells << model.index(row, column, parent).data().toString();
        text += (parent.isValid() ? QStringLiteral("  ") : QString()) +
                cells.join(QStringLiteral(" | ")).trimmed() + QLatin1Char('\n');
        text += printed(model, model.index(row, 0, parent));
    }
    return text;
}

/// Returns the texts of a column, for the rows of sizes or for the trials below one size.
QStringList wordsOf(const QAbstractItemModel& model, int column, const QModelIndex& parent = {})
{
    QStringList words;
    for (int row = 0; row < model.rowCount(parent); ++row)
        words << model.index(row, column, parent).data().toString();
    return words;
}

engine::Snapshot withTrials(std::vector<trial::TrialRecord> trials)
{
    engine::Snapshot snapshot = test::withDevice();
    snapshot.trials = std::move(trials);
    return snapshot;
}

/// A model and its order, both checked for consistency, with spies on the model's signals.
struct Watched
{
    TrialsModel model;
    TrialsOrder order;
    QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::QtTest};
    QAbstractItemModelTester orderTester{&order, QAbstractItemModelTester::FailureReportingMode::QtTest};
    QSignalSpy changed{&model, &QAbstractItemModel::dataChanged};
    QSignalSpy inserted{&model, &QAbstractItemModel::rowsInserted};
    QSignalSpy reset{&model, &QAbstractItemModel::modelReset};

    explicit Watched(const engine::Snapshot& snapshot)
    {
        order.setSourceModel(&model);
        display(snapshot);
        changed.clear();
        inserted.clear();
        reset.clear();
    }
    void display(const engine::Snapshot& snapshot) { model.display(snapshot, gibibytes); }
};

} // namespace

class TrialsModelTest : public QObject
{
    Q_OBJECT

private slots:
    void init() { QLocale::setDefault(QLocale::c()); }

    void marksApproximateSpeedsAndSpeedsOfAnotherRun()
    {
        engine::Snapshot snapshot = test::adapterSnapshot();
        const Watched table(snapshot);
        int marked = 0;
        for (int row = 0; row < table.model.rowCount(); ++row) {
            const QModelIndex rate = table.model.index(row, TrialsModel::Rate);
            const QString text = rate.data().toString();
            QVERIFY2(text == QStringLiteral("–") || text.startsWith(QLatin1Char('~')), qPrintable(text));
            if (!text.startsWith(QLatin1Char('~')))
                continue;
            ++marked;
            const QString reason =
                QStringLiteral("Approximate because of a loss in chunks and a 4-bit base without a fused "
                               "kernel, for packed texts of 512 tokens.");
            QVERIFY2(rate.data(Qt::ToolTipRole).toString().endsWith(reason),
                     qPrintable(rate.data(Qt::ToolTipRole).toString()));
        }
        QVERIFY(marked > 5);
        for (int row = 0; row < table.model.rowCount(); ++row) {
            const QString peak = table.model.index(row, TrialsModel::Memory).data().toString();
            QVERIFY2(peak == QStringLiteral("–") || peak.startsWith(QLatin1Char('~')), qPrintable(peak));
        }
        // If only the speed is approximate, the memory has no mark.
        snapshot.run->fidelity = {};
        snapshot.run->fidelity.addReason(config::approximation::kernel4bit);
        const Watched exact(snapshot);
        QVERIFY(printed(exact.model).contains(QLatin1Char('~')));
        for (int row = 0; row < exact.model.rowCount(); ++row)
            QVERIFY(
                !exact.model.index(row, TrialsModel::Memory).data().toString().startsWith(QLatin1Char('~')));
        const Watched other(test::anotherRunSnapshot());
        QVERIFY(printed(other.model).contains(QStringLiteral("| *")));
        QVERIFY(!printed(Watched(test::finishedSnapshot()).model).contains(QLatin1Char('*')));
    }

    void showsRecalledTrialsPale()
    {
        engine::Snapshot snapshot = withTrials({test::trialThat(trial::Outcome::Ok, 1, 8, 5.0)});
        const QDateTime ended(QDate(1999, 11, 28), QTime(14, 9));
        for (const std::int64_t size : {8, 16}) {
            trial::TrialRecord recalled = test::trialThat(trial::Outcome::Ok, 0, size, 4.0);
            recalled.device.clear();
            snapshot.recalled.push_back({.trial = recalled, .exploration = 3, .ended = ended});
        }
        Watched table(snapshot);
        const QStringList rows = printed(table.model).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(rows.size(), 4);
        QVERIFY2(rows.at(1).contains(QStringLiteral("#1")), qPrintable(rows.at(1)));
        const QString day = QStringLiteral("28 Nov 1999, 14:09");
        for (const int row : {2, 3})
            QVERIFY2(rows.at(row).contains(QStringLiteral("| earlier |")) && rows.at(row).contains(day),
                     qPrintable(rows.at(row)));
        const auto colorOf = [&](std::int64_t size) {
            return table.model.indexOf(size).siblingAtColumn(TrialsModel::Rate).data(Qt::ForegroundRole);
        };
        QCOMPARE(colorOf(8), QVariant(Theme::light().text));
        QCOMPARE(colorOf(16), QVariant(Theme::light().mutedText));
        QVERIFY(table.model.asText({table.model.indexOf(16)}).contains(day));
        // A trial of this exploration comes before the recalled one.
        snapshot.trials.push_back(test::trialThat(trial::Outcome::Ok, 2, 16, 5.0));
        table.display(snapshot);
        QCOMPARE(table.reset.size(), 0);
        QCOMPARE(wordsOf(table.model, TrialsModel::Result, table.model.indexOf(16)),
                 (QStringList{QStringLiteral("ok"), QStringLiteral("earlier")}));
        QCOMPARE(colorOf(16), QVariant(Theme::light().text));
        // The search drops the recalled trials.
        snapshot.recalled.clear();
        table.display(snapshot);
        QCOMPARE(table.model.rowCount(table.model.indexOf(16)), 0);
    }

    void showsTheSpeedOfATrialThatDiffersFromTheEstimate()
    {
        engine::Snapshot snapshot = withTrials({test::trialThat(trial::Outcome::Ok, 1, 8, 5.0),
                                                test::trialThat(trial::Outcome::Ok, 2, 16, 5.0)});
        for (trial::TrialRecord& trial : snapshot.trials)
            trial.samplesPerSecond = 74.0;
        snapshot.searchState.estimates = {{16, 40.0, 0.2, 0.5}};
        TrialsModel model;
        model.display(snapshot, gibibytes);
        const auto told = [&](int row, int role) {
            return model.index(row, TrialsModel::Rate).data(role).toString();
        };
        QVERIFY2(told(1, Qt::DisplayRole).startsWith(QStringLiteral("40 ")),
                 qPrintable(told(1, Qt::DisplayRole)));
        QVERIFY2(told(1, Qt::ToolTipRole).contains(QStringLiteral("74")),
                 qPrintable(told(1, Qt::ToolTipRole)));
        QVERIFY2(!told(0, Qt::ToolTipRole).contains(QStringLiteral("74")),
                 qPrintable(told(0, Qt::ToolTipRole)));
    }

    void marksExcludedSizes()
    {
        engine::Snapshot snapshot = withTrials({test::trialThat(trial::Outcome::Ok, 1, 8, 5.0),
                                                test::trialThat(trial::Outcome::Ok, 2, 16, 5.0)});
        snapshot.searchState.excluded = {16};
        TrialsModel model;
        model.display(snapshot, gibibytes);
        const QStringList words{QStringLiteral("ok"), QStringLiteral("excluded")};
        QCOMPARE(wordsOf(model, TrialsModel::Result), words);
        // A running trial of the size takes precedence.
        snapshot.trials.push_back(test::trialThat(std::nullopt, 3, 16, 0.1));
        model.display(snapshot, gibibytes);
        QVERIFY(wordsOf(model, TrialsModel::Result).back() != words.back());
    }

    void hasARowForEachSize()
    {
        TrialsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.display(test::earlySnapshot(), gibibytes);
        QCOMPARE(printed(model), QStringLiteral("1 | ok | 116 ± 6 | 9.66 | #1 | 5.0 s | cuda:0\n"
                                                "4 | ok | 407 ± 13 | 10.4 | #2 | 5.1 s | cuda:0\n"
                                                "16 | ok | 1090 ± 23 | 13.6 | #3 | 5.3 s | cuda:0\n"
                                                "64 | leading | 1876 ± 32 | 26.2 | #4 | 6.3 s | cuda:0\n"
                                                "72 | warm-up | – | – | #5 | 1.2 s | cuda:0\n"));
    }

    void hasTrialsBelowSizesThatWereTriedAgain()
    {
        TrialsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        engine::Snapshot snapshot = test::comparingSnapshot();
        std::erase_if(snapshot.trials, [](const auto& trial) {
            return !trial.isComparison() && trial.microBatchSize != 64 && trial.microBatchSize != 192;
        });
        model.display(snapshot, gibibytes);
        QCOMPARE(printed(model),
                 QStringLiteral("64 | ok | 1890 ± 32 | 26.2 | 2 · #15 | 13 s | cuda:0\n"
                                "  #15 | ok | 1904 ± 32 | 26.2 |  | 6.3 s | cuda:0\n"
                                "  #7 | ok | 1876 ± 31 | 26.2 |  | 6.3 s | cuda:0\n"
                                "160 | compared | 2192 ± 39 | 51.3 | #17 | 11 s | cuda:0\n"
                                "192 | comparing | 2234 ± 38 | 59.7 | 3 · #18 | 23 s | cuda:0\n"
                                "  #18 | comparing | – | – |  | 3.2 s | cuda:0\n"
                                "  #17 | leads 1.3 % ± 0.2 | 2247 ± 14 | 59.7 |  | 11 s | cuda:0\n"
                                "  #14 | ok | 2238 ± 33 | 59.7 |  | 8.8 s | cuda:0\n"
                                "208 | comparing | – | – | #18 | 3.2 s | cuda:0\n"
                                "224 | compared | 2225 ± 39 | 68.1 | #17 | 11 s | cuda:0\n"));
        const QString toolTip = model.index(1, TrialsModel::Size).data(Qt::ToolTipRole).toString();
        QVERIFY2(toolTip.contains(QStringLiteral("\ncompared 160, 192 and 224 in 8 visits each: 192 is")),
                 qPrintable(toolTip));
    }

    void hasAWordForEveryOutcomeAndFlag()
    {
        TrialsModel model;
        model.display(test::everyOutcomeSnapshot(), gibibytes);
        QStringList words;
        for (int row = 0; row < model.rowCount(); ++row) {
            const QModelIndex size = model.index(row, TrialsModel::Size);
            words << size.siblingAtColumn(TrialsModel::Result).data().toString()
                  << wordsOf(model, TrialsModel::Result, size);
            QVERIFY(!model.index(row, TrialsModel::Result).data(Qt::DecorationRole).isNull());
        }
        for (const char* word :
             {"warm-up", "crashed", "canceled", "timed out", "failed", "unsupported", "OOM", "over headroom",
              "thrashes", "ok, retried", "ok, disturbed", "ok, cut short", "leading", "ok"})
            QVERIFY2(words.contains(QLatin1String(word)), word);
    }

    void explainsDisturbedAndRetriedTrials()
    {
        TrialsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.display(test::everyOutcomeSnapshot(), gibibytes);
        const auto toolTipOf = [&](int number) {
            const QModelIndexList found = model.match(model.index(0, 0), TrialsModel::TrialRole, number, -1,
                                                      Qt::MatchExactly | Qt::MatchRecursive);
            return found.isEmpty() ? QString() : found.back().data(Qt::ToolTipRole).toString();
        };
        QVERIFY2(toolTipOf(5).startsWith(QStringLiteral("disturbed: another program began to use the GPU")),
                 qPrintable(toolTipOf(5)));
        QVERIFY2(toolTipOf(6).startsWith(QStringLiteral("Retry 1 of a disturbed trial\n420 mJ/sample")),
                 qPrintable(toolTipOf(6)));
    }

    void callsASizeBestOnlyWithEnoughConfidence()
    {
        TrialsModel model;
        model.display(test::runningSnapshot(), gibibytes);
        QCOMPARE(wordsOf(model, TrialsModel::Result).count(QStringLiteral("best")), 1);
        engine::Snapshot unsure = test::runningSnapshot();
        unsure.searchState.recommendation->confidence = 89;
        model.display(unsure, gibibytes);
        QCOMPARE(wordsOf(model, TrialsModel::Result).count(QStringLiteral("best")), 0);
        QCOMPARE(wordsOf(model, TrialsModel::Result).count(QStringLiteral("leading")), 1);
    }

    void showsTheStarNextToTheSignOfARunningTrial()
    {
        TrialsModel model;
        model.display(test::comparingSnapshot(), gibibytes);
        const auto signOf = [&](std::int64_t size) {
            return model.indexOf(size)
                .siblingAtColumn(TrialsModel::Result)
                .data(Qt::DecorationRole)
                .value<QIcon>()
                .availableSizes()
                .front();
        };
        QCOMPARE(signOf(208), QSize(16, 16));
        QCOMPARE(signOf(192), QSize(34, 16));
    }

    void showsTheSameSpeedAsTheCard()
    {
        TrialsModel model;
        const engine::Snapshot snapshot = test::comparingSnapshot();
        model.display(snapshot, gibibytes);
        const auto& recommendation = *snapshot.searchState.recommendation;
        QCOMPARE(model.indexOf(recommendation.size).siblingAtColumn(TrialsModel::Rate).data().toString(),
                 engine::rateText(recommendation.samplesPerSecond, recommendation.relativeError));
    }

    void changesOnlyTheRowsOfTheRunningTrial()
    {
        engine::Snapshot snapshot = test::runningSnapshot();
        Watched watched(snapshot);
        watched.display(snapshot);
        QCOMPARE(watched.changed.count(), 0);

        snapshot.trials.back().wallSeconds = 4.4;
        watched.display(snapshot);
        QCOMPARE(watched.changed.count(), 1);
        QCOMPARE(watched.changed.front().at(0).toModelIndex().siblingAtColumn(0), watched.model.indexOf(208));
        QCOMPARE(watched.inserted.count(), 0);

        // A size that was not tried previously, between other sizes; then one that was.
        snapshot.trials.push_back(test::trialThat(std::nullopt, 18, 210, 0.1));
        watched.display(snapshot);
        QCOMPARE(watched.inserted.count(), 1);
        QCOMPARE(watched.inserted.front().at(1).toInt(), watched.model.indexOf(210).row());
        snapshot.trials.push_back(test::trialThat(std::nullopt, 19, 64, 0.1));
        watched.display(snapshot);
        QCOMPARE(watched.inserted.count(), 2);
        QCOMPARE(watched.inserted.back().at(0).toModelIndex(), watched.model.indexOf(64));
        QCOMPARE(watched.inserted.back().at(1).toInt(), 0);
        QCOMPARE(watched.inserted.back().at(2).toInt(), 0);
        QCOMPARE(watched.reset.count(), 0);
    }

    void addsTrialsBelowASizeThatIsTriedTwice()
    {
        engine::Snapshot snapshot = withTrials({test::trialThat(trial::Outcome::Ok, 1, 8, 1.0)});
        Watched watched(snapshot);
        QCOMPARE(watched.model.rowCount(watched.model.indexOf(8)), 0);
        snapshot.trials.push_back(test::trialThat(std::nullopt, 2, 8, 0.1));
        watched.display(snapshot);
        QCOMPARE(watched.model.rowCount(watched.model.indexOf(8)), 2);
        QCOMPARE(watched.inserted.front().at(2).toInt(), 1);
    }

    void changesARunningComparisonInItsRows()
    {
        engine::Snapshot snapshot = test::comparingSnapshot();
        Watched watched(snapshot);
        snapshot.trials.back() = test::comparisonOf(trial::Outcome::Ok, 18, {192, 208}, {0.001, 0.0});
        watched.display(snapshot);
        QCOMPARE(watched.inserted.count(), 0);
        snapshot.trials.push_back(test::comparisonOf(std::nullopt, 19, {192, 208, 224}, {}));
        watched.display(snapshot);
        QCOMPARE(watched.inserted.count(), 3);
        QCOMPARE(watched.reset.count(), 0);
        QCOMPARE(wordsOf(watched.model, TrialsModel::Size, watched.model.indexOf(208)),
                 (QStringList{QStringLiteral("#19"), QStringLiteral("#18")}));
    }

    void callsIndistinguishableSizesLevel()
    {
        TrialsModel model;
        model.display(test::continuationSnapshot(), gibibytes);
        QCOMPARE(wordsOf(model, TrialsModel::Result, model.indexOf(192)).front(),
                 QStringLiteral("level, 0.1 % ± 0.2"));
        QCOMPARE(model.indexOf(208).siblingAtColumn(TrialsModel::Result).data().toString(),
                 QStringLiteral("compared"));
    }

    void reportsWhyAComparisonFailed_data()
    {
        trial::TrialRecord ended = test::comparisonOf(trial::Outcome::Ok, 17, {160, 192}, {0.0, 0.0});
        ended.outcome = trial::Outcome::OutOfMemory;
        ended.microBatchSize = 192;
        trial::TrialRecord thrashing = test::comparisonOf(trial::Outcome::Ok, 17, {160, 192}, {0.0, 0.0});
        thrashing.thrashes = true;
        const auto lost = [](trial::Outcome outcome) {
            return test::comparisonOf(outcome, 17, {160, 192}, {});
        };
        rows<trial::TrialRecord, QStringList>(
            {{"a size", {ended, {QStringLiteral("cut short"), QStringLiteral("OOM")}}},
             {"its allocator", {thrashing, {QStringLiteral("thrashes"), QStringLiteral("thrashes")}}},
             {"its time",
              {lost(trial::Outcome::Timeout), {QStringLiteral("timed out"), QStringLiteral("timed out")}}},
             {"its worker",
              {lost(trial::Outcome::Crashed), {QStringLiteral("crashed"), QStringLiteral("crashed")}}}});
    }
    void reportsWhyAComparisonFailed()
    {
        const auto& [comparison, words] = row<trial::TrialRecord, QStringList>();
        TrialsModel model;
        model.display(withTrials({comparison}), gibibytes);
        QCOMPARE(wordsOf(model, TrialsModel::Result), words);
    }

    void resetsForAnotherExploration()
    {
        Watched watched(test::runningSnapshot());
        watched.display(test::nothingFitsSnapshot());
        QCOMPARE(watched.reset.count(), 1);
        QCOMPARE(wordsOf(watched.model, TrialsModel::Result), QStringList{QStringLiteral("OOM")});
        watched.display(test::emptySnapshot());
        QCOMPARE(watched.model.rowCount(), 0);
    }

    void copiesRowsForSpreadsheets()
    {
        TrialsModel model;
        model.display(test::comparingSnapshot(), gibibytes);
        const QModelIndex size = model.indexOf(192);
        QCOMPARE(model.asText({model.indexOf(1), size, model.index(1, 0, size)}),
                 QStringLiteral("Size\tTrial\tResult\tSamples/s\tGiB\tTrials\tTook\tDevice\n"
                                "1\t1\tok\t116 ± 6\t9.66\t1\t5.0 s\tcuda:0\n"
                                "192\t\tcomparing\t2234 ± 38\t59.7\t3\t23 s\tcuda:0\n"
                                "192\t17\tleads 1.3 % ± 0.2\t2247 ± 14\t59.7\t\t11 s\tcuda:0\n"));
    }

    void sorts_data()
    {
        // 256 is over the headroom; 288 and 512 did not fit.
        rows<int, Qt::SortOrder, std::string>(
            {{"by size", {TrialsModel::Size, Qt::AscendingOrder, "1 64 160 192 208 256 288 512"}},
             {"by size, the largest first",
              {TrialsModel::Size, Qt::DescendingOrder, "512 288 256 208 192 160 64 1"}},
             {"by speed", {TrialsModel::Rate, Qt::DescendingOrder, "256 192 160 64 1 208 288 512"}},
             {"by speed, the slowest first",
              {TrialsModel::Rate, Qt::AscendingOrder, "1 64 160 192 256 208 288 512"}},
             {"by memory", {TrialsModel::Memory, Qt::DescendingOrder, "256 208 192 160 64 1 288 512"}},
             {"by the newest", {TrialsModel::Trials, Qt::DescendingOrder, "208 256 64 192 160 288 512 1"}},
             {"by the oldest", {TrialsModel::Trials, Qt::AscendingOrder, "1 512 288 160 192 64 256 208"}}});
    }
    void sorts()
    {
        const auto& [column, direction, sizes] = row<int, Qt::SortOrder, std::string>();
        engine::Snapshot snapshot = test::runningSnapshot();
        std::erase_if(snapshot.trials, [](const auto& trial) {
            return (trial.microBatchSize > 1 && trial.microBatchSize < 64) || trial.microBatchSize == 96 ||
                   trial.microBatchSize == 128 || trial.microBatchSize == 224;
        });
        Watched watched(snapshot);
        watched.order.sort(column, direction);
        QCOMPARE(wordsOf(watched.order, TrialsModel::Size).join(QLatin1Char(' ')).toStdString(), sizes);
    }

    // A header scales up an icon that is smaller than it requests.
    void drawsASharpSignOfTheOrder_data() { rows<int>({{"1", 1}, {"2", 2}, {"3", 3}}); }
    void drawsASharpSignOfTheOrder()
    {
        const int pixelsPerPoint = row<int>();
        const QSize asked(16, 16);
        constexpr int side = 8;
        Watched watched(test::runningSnapshot());
        watched.order.sort(TrialsModel::Rate, Qt::DescendingOrder);
        const QVariant icon = watched.order.headerData(TrialsModel::Rate, Qt::Horizontal, Qt::DecorationRole);
        const QImage shown = icon.value<QIcon>().pixmap(asked, pixelsPerPoint).toImage();
        QCOMPARE(shown.devicePixelRatio(), pixelsPerPoint);
        QCOMPARE(shown.size(), asked * pixelsPerPoint);
        QImage expected(asked * pixelsPerPoint, QImage::Format_ARGB32_Premultiplied);
        expected.setDevicePixelRatio(pixelsPerPoint);
        expected.fill(Qt::transparent);
        QPainter painter(&expected);
        paintGlyph(painter, Glyph::Down, QRectF(16 - side, 4, side, side), Theme::light().mutedText);
        painter.end();
        QCOMPARE(shown.convertToFormat(expected.format()), expected);
    }

    void keepsTheNewestTrialFirstBelowItsSize_data()
    {
        rows<Qt::SortOrder>({{"ascending", Qt::AscendingOrder}, {"descending", Qt::DescendingOrder}});
    }
    void keepsTheNewestTrialFirstBelowItsSize()
    {
        Watched watched(test::comparingSnapshot());
        watched.order.sort(TrialsModel::Rate, row<Qt::SortOrder>());
        const QModelIndex size = watched.order.mapFromSource(watched.model.indexOf(192));
        QCOMPARE(wordsOf(watched.order, TrialsModel::Size, size),
                 (QStringList{QStringLiteral("#18"), QStringLiteral("#17"), QStringLiteral("#14")}));
    }

    void keepsItsOrderWhileTrialsAreAdded()
    {
        engine::Snapshot snapshot = test::comparingSnapshot();
        Watched watched(snapshot);
        watched.order.sort(TrialsModel::Trials, Qt::DescendingOrder);
        snapshot.trials.push_back(test::trialThat(std::nullopt, 19, 1, 0.1));
        watched.display(snapshot);
        QCOMPARE(watched.order.index(0, TrialsModel::Size).data().toString(), QStringLiteral("1"));
    }
};

BATCHPEAK_TEST(TrialsModelTest)
#include "tst_trials_model.moc"
