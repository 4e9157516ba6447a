// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/present_size.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <cmath>

using namespace batchpeak;
using namespace batchpeak::engine;

namespace {

struct Case
{
    config::BatchPlan plan = {.setting = config::Explore{}, .presentSize = 16};
    std::int64_t recommended = 64;
    std::vector<trial::TrialRecord> trials;
    std::int64_t smallestFailure = 0;
    /// The samples/s of the recommendation are those of its estimate, or 0 if there is none.
    std::vector<search::SizeEstimate> estimates;
    const char* text = "";
};

trial::TrialRecord trialOf(std::int64_t size)
{
    return {.microBatchSize = size, .outcome = trial::Outcome::Ok, .samplesPerSecond = 1.0};
}

Snapshot snapshotOf(const Case& c)
{
    Snapshot snapshot;
    snapshot.run = RunDescription{.plan = c.plan};
    snapshot.trials = c.trials;
    snapshot.searchState.smallestFailure = c.smallestFailure;
    snapshot.searchState.estimates = c.estimates;
    if (c.recommended > 0) {
        const search::SizeEstimate* estimate = snapshot.searchState.estimateOf(c.recommended);
        snapshot.searchState.recommendation = {
            .size = c.recommended, .samplesPerSecond = estimate ? estimate->samplesPerSecond : 0.0};
    }
    // The curve: samples/s are the square root of the size.
    for (const double size : {4.0, 16.0, 64.0, 100.0})
        snapshot.searchState.curve.push_back({.size = size, .samplesPerSecond = std::sqrt(size)});
    return snapshot;
}

} // namespace

class PresentSizeTest : public QObject
{
    Q_OBJECT

private slots:
    void comparesWithTheConfigsSize_data()
    {
        const trial::TrialRecord compared{
            .compared = {{.microBatchSize = 16, .samplesPerSecond = 4.0}, {.microBatchSize = 24}},
            .outcome = trial::Outcome::Ok};
        trial::TrialRecord failed = trialOf(16);
        failed.outcome = trial::Outcome::OutOfMemory;
        trial::TrialRecord broken = trialOf(16);
        broken.outcome = trial::Outcome::Crashed;
        const auto add = rows<Case>();
        add("measured", {.trials = {trialOf(64), trialOf(16)}, .text = "2.00× the config's 16"});
        add("compared", {.trials = {compared}, .text = "2.00× the config's 16"});
        add("not tried", {.trials = {trialOf(64)}, .text = "about 2.00× the config's 16"});
        add("between two", {.plan = {.setting = config::Explore{}, .presentSize = 25},
                            .text = "about 1.60× the config's 25"});
        add("slower", {.recommended = 4, .trials = {trialOf(16)}, .text = "0.50× the config's 16"});
        add("a number to verify, searched for", {.plan = {.setting = config::Fixed{16}},
                                                 .trials = {trialOf(16)},
                                                 .text = "2.00× the config's 16"});
        add("the same", {.recommended = 16, .trials = {trialOf(16)}, .text = "the config's size"});
        add("breaks down",
            {.trials = {broken, broken}, .smallestFailure = 16, .text = "the config's 16 does not run"});
        add("broke down and is too large",
            {.trials = {broken, failed}, .smallestFailure = 16, .text = "the config's 16 does not fit"});
        add("too large", {.trials = {failed}, .smallestFailure = 16, .text = "the config's 16 does not fit"});
        add("as estimated",
            {.trials = {trialOf(64), trialOf(16)},
             .estimates = {{.size = 16, .samplesPerSecond = 4.0}, {.size = 64, .samplesPerSecond = 6.0}},
             .text = "1.50× the config's 16"});
        add("beyond the curve", {.plan = {.setting = config::Explore{}, .presentSize = 101}});
        add("before the curve", {.plan = {.setting = config::Explore{}, .presentSize = 2}});
        add("no size in the config", {.plan = {.setting = config::Explore{}}});
        add("no recommendation", {.recommended = 0});
    }
    void comparesWithTheConfigsSize()
    {
        const Case& c = row<Case>();
        QCOMPARE(presentSizeText(snapshotOf(c), QLocale::c()), QString::fromUtf8(c.text));
    }

    void returnsNoTextWithoutACurve()
    {
        Snapshot snapshot = snapshotOf({.trials = {trialOf(16)}});
        snapshot.searchState.curve.clear();
        const auto comparison = comparedWithPresentSize(snapshot);
        QCOMPARE(comparison, (PresentSizeComparison{.size = 16, .isMeasured = true}));
        QCOMPARE(presentSizeText(snapshot, QLocale::c()), QString());
    }
};

BATCHPEAK_TEST(PresentSizeTest)
#include "tst_present_size.moc"
