// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search_reports.h"
#include "search_runner.h"
#include "search_world.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QRegularExpression>
#include <QTest>

#include <algorithm>

using namespace batchpeak::search;

namespace {

std::vector<SearchTask> someTasks()
{
    return {{.family = "smooth", .seed = 3},
            {.strategy = "powers of two", .family = "cliffs", .seed = 4},
            {.family = "middle saw", .seed = 5, .divisorsOnly = true, .objective = Objective::Effective},
            {.family = "fine saw", .seed = 6, .devices = 4}};
}

} // namespace

class SearchRunnerTest : public QObject
{
    Q_OBJECT

private slots:
    void isIndependentOfTheNumberOfProcessors()
    {
        const std::vector<SearchTask> tasks = someTasks();
        const std::vector<SearchRecord> together = runSearches(tasks);
        QCOMPARE(together.size(), tasks.size());
        for (std::size_t task = 0; task < tasks.size(); ++task) {
            const SearchRecord alone = runSearch(tasks[task]);
            QCOMPARE(together[task].task.family, tasks[task].family);
            QVERIFY(
                std::ranges::equal(alone.moments, together[task].moments, [](const auto& a, const auto& b) {
                    return a.size == b.size && a.stated == b.stated && a.ramps == b.ramps &&
                           a.regret == b.regret;
                }));
        }
    }

    void reportsAnInvalidTask()
    {
        const std::vector<SearchTask> tasks{{.family = "smooth"}, {.family = "no such family"}};
        QVERIFY_EXCEPTION_THROWN(runSearches(tasks), std::invalid_argument);
    }

    void runsDevicesInParallel()
    {
        const SearchRecord one = runSearch({.family = "middle saw", .seed = 5, .targetConfidence = 2.0});
        const SearchRecord four =
            runSearch({.family = "middle saw", .seed = 5, .devices = 4, .targetConfidence = 2.0});
        const auto rampsPerTrial = [](const SearchRecord& search) {
            return search.last().ramps / static_cast<double>(search.moments.size());
        };
        QVERIFY(rampsPerTrial(four) < 0.6 * rampsPerTrial(one));
        QVERIFY(std::ranges::is_sorted(four.moments, {}, &SearchRecord::Moment::ramps));
    }

    void judgesByAllowedSizesThatFit_data()
    {
        rows<bool, Objective>({
            {"every size", {false, Objective::Micro}},
            {"divisors", {true, Objective::Micro}},
            {"a whole step", {false, Objective::Effective}},
            {"divisors, a whole step", {true, Objective::Effective}},
        });
    }
    void judgesByAllowedSizesThatFit()
    {
        const auto& [divisorsOnly, objective] = row<bool, Objective>();
        const SearchWorld world(
            {.family = "jittered tiles", .seed = 9, .divisorsOnly = divisorsOnly, .objective = objective});
        const SearchSpace& space = world.space();
        QCOMPARE(space.candidates.empty(), !divisorsOnly);
        QVERIFY(world.bestSize() <= world.largestFit());
        QCOMPARE(world.regret(world.bestSize()), 0.0);
        const std::int64_t batch = space.perDeviceBatch;
        for (std::int64_t size = 1; size <= world.largestFit(); ++size) {
            const bool isAllowed = !divisorsOnly || batch % size == 0;
            QVERIFY(!isAllowed || world.regret(size) >= 0.0);
        }
        if (objective == Objective::Effective) {
            const std::int64_t half = (batch + 1) / 2;
            const double seconds = world.truth().seconds(half) + world.truth().seconds(batch - half);
            QCOMPARE(world.speed(half),
                     static_cast<double>(batch) / (seconds + world.truth().optimizerSeconds));
        }
    }

    void judgesByTheCurvesThatASweepAllows()
    {
        const SearchTask task{.strategy = "powers of two", .family = "cpu-resnet18-tiny-train", .seed = 3};
        const SearchRecord record = runSearch(task);
        QVERIFY(record.judgment);
        const SearchWorld world(task);
        const auto verdict = world.verdict();
        QVERIFY(verdict);
        QCOMPARE(record.judgment->shareWithin, verdict->shareWithin(record.last().recommended));
        QVERIFY(record.judgment->perfectShare >= record.judgment->shareWithin);
        QCOMPARE(verdict->shareWithin(1), 0.0);
        QVERIFY(truthLines({record}).find("perfect forecaster") != std::string::npos);
        QVERIFY(!SearchWorld({.family = "smooth"}).verdict());
        QCOMPARE(truthLines({runSearch({.strategy = "powers of two", .family = "smooth"})}), std::string());
    }

    void detectsAFalseLead()
    {
        const SearchRecord record = runSearch({.family = "equal", .seed = 4, .world = "trial noise"});
        QCOMPARE(record.last().regret, 0.0);
        QVERIFY(record.falseLead && *record.falseLead >= 0.0);
        QVERIFY(truthLines({record}).find("as fast") != std::string::npos);
    }

    void printsASearch()
    {
        const std::vector<SearchRecord> records = runSearches(someTasks());
        const QString trace = QString::fromStdString(traceText(records[0]));
        QCOMPARE(trace.count(QLatin1Char('\n')), static_cast<qsizetype>(records[0].moments.size()) + 5);
        const QString picture = QString::fromStdString(searchPicture(records[0]));
        QVERIFY(picture.startsWith(QStringLiteral("<svg")) && picture.endsWith(QStringLiteral("</svg>\n")));
        QVERIFY(!picture.contains(QRegularExpression(QStringLiteral("\\b(nan|inf)\\b"))));
        const QString row = QString::fromStdString(figuresRow("smooth", {records[0]}));
        const QString heading = QString::fromStdString(figuresHeading()).section(QLatin1Char('\n'), -1);
        QCOMPARE(row.size(), heading.size());
        // A baseline states no confidence.
        QVERIFY(figuresRow("baseline", {records[1]}).find(" - ") != std::string::npos);
    }
};

BATCHPEAK_TEST(SearchRunnerTest)
#include "tst_search_runner.moc"
