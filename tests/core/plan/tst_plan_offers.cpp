// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/plan_offers.h"
#include "support/rows.h"
#include "support/small_config.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTest>

#include <vector>

using namespace batchpeak;
using namespace batchpeak::engine;

namespace {

using Kind = PlanOffer::Kind;
using Kinds = std::vector<Kind>;

struct Case
{
    config::BatchPlan train = {.globalBatchSize = 16, .setting = config::Explore{}};
    std::optional<config::BatchPlan> eval = std::nullopt;
    ExplorationOptions options = {};
    Kinds offers;
    bool refusesMixedPhases = false;
};

config::BatchPlan explored()
{
    return {.globalBatchSize = 16, .setting = config::Explore{}};
}

/// Returns the plan of a trainer whose config can contain only a number, not a request for a search.
config::BatchPlan numbered()
{
    return {.globalBatchSize = 16, .setting = config::Explore{}, .presentSize = 2};
}

config::ConfigContents contentsOf(const Case& one)
{
    config::ConfigContents contents = test::smallConfig();
    contents.train = one.train;
    contents.eval = one.eval;
    contents.rules.exploresBothPhasesOrNone = one.refusesMixedPhases;
    return contents;
}

} // namespace

/// Tests the offers to the user before the start, since sizes and the batch are not always compatible.
class PlanOffersTest : public QObject
{
    Q_OBJECT

private slots:
    void offersCompatiblePlans_data()
    {
        rows<Case>(
            {{"a config that asks for all", {.offers = {Kind::KeepBatch}}},
             {"all within the batch", {.options = {.maximum = 16}, .offers = {}}},
             {"the batch is kept, as asked",
              {.options = {.setting = config::Auto{}}, .offers = {Kind::AllSizes}}},
             {"a config that asks to keep it", {.train = {.globalBatchSize = 16}, .offers = {}}},
             {"a number", {.train = numbered(), .offers = {Kind::AllSizes}}},
             {"a number, all sizes as asked",
              {.train = numbered(), .options = {.setting = config::Explore{}}, .offers = {Kind::KeepBatch}}},
             {"one size", {.options = {.setting = config::Fixed{3}}, .offers = {}}},
             {"a batch of one", {.train = {.setting = config::Explore{}}, .offers = {}}},
             {"one phase of two",
              {.eval = explored(),
               .offers = {Kind::KeepBatch, Kind::BothPhases},
               .refusesMixedPhases = true}},
             {"evaluation of two",
              {.eval = explored(),
               .options = {.phase = model::Phase::Eval},
               .offers = {Kind::KeepBatch, Kind::BothPhases},
               .refusesMixedPhases = true}},
             {"both phases",
              {.eval = explored(),
               .options = {.bothPhases = true},
               .offers = {Kind::KeepBatch},
               .refusesMixedPhases = true}},
             {"a trainer that takes any mixture", {.eval = explored(), .offers = {Kind::KeepBatch}}},
             {"an existing mixture",
              {.eval = config::BatchPlan{.globalBatchSize = 16, .setting = config::Fixed{4}},
               .offers = {Kind::KeepBatch},
               .refusesMixedPhases = true}}});
    }
    void offersCompatiblePlans()
    {
        const Case& one = row<Case>();
        const config::ConfigContents contents = contentsOf(one);
        const auto plan = planExploration({}, contents, one.options);
        Kinds kinds;
        for (const PlanOffer& offer : planOffers(contents, one.options, plan)) {
            kinds.push_back(offer.kind);
            QVERIFY(!offer.reason.isEmpty() && !offer.label.isEmpty() && !offer.words.isEmpty());
        }
        QCOMPARE(kinds, one.offers);
    }

    // An accepted offer is no longer made; its opposite is made instead.
    void replacesAnAcceptedOffer()
    {
        for (const config::BatchPlan& batch : {explored(), numbered()}) {
            const config::ConfigContents contents = contentsOf({.train = batch, .offers = {}});
            ExplorationOptions options;
            const auto offered = [&] {
                return planOffers(contents, options, planExploration({}, contents, options)).at(0);
            };
            const Kind first = offered().kind;
            options = offered().options;
            QVERIFY(offered().kind != first);
            options = offered().options;
            QCOMPARE(offered().kind, first);
            // The options do not contain what is the default anyway.
            QVERIFY(!options.setting);
        }
    }

    void explainsWhichSizesKeepTheBatch_data()
    {
        rows<config::TrainerRules, config::Setting, Text>(
            {{"above the batch, spread evenly", {{.spreadsUnevenBatches = true}, config::Explore{}, "above"}},
             {"above the batch, with a rest", {{.runsRestOfBatch = true}, config::Explore{}, "above"}},
             {"no divisors", {{}, config::Explore{}, "does not divide"}},
             {"divisors of those spread evenly", {{.spreadsUnevenBatches = true}, config::Auto{}, "too"}},
             {"divisors of those with a rest", {{.runsRestOfBatch = true}, config::Auto{}, "too"}},
             {"divisors alone", {{}, config::Auto{}, "changes the batch"}}});
    }
    void explainsWhichSizesKeepTheBatch()
    {
        const auto& [rules, setting, word] = row<config::TrainerRules, config::Setting, Text>();
        config::ConfigContents contents = contentsOf({.train = numbered(), .offers = {}});
        contents.rules = rules;
        const ExplorationOptions options{.setting = setting};
        const auto offers = planOffers(contents, options, planExploration({}, contents, options));
        QCOMPARE(offers.size(), 1U);
        VERIFY_CONTAINS(offers.front().reason, word);
    }

    void exploresBothPhases()
    {
        const config::ConfigContents contents =
            contentsOf({.eval = explored(), .offers = {}, .refusesMixedPhases = true});
        ExplorationOptions options{.phase = model::Phase::Eval, .tolerance = 0.05};
        options = planOffers(contents, options, planExploration({}, contents, options)).back().options;
        QVERIFY(options.bothPhases);
        QCOMPARE(options.phase, model::Phase::Train);
        QCOMPARE(options.tolerance, 0.05);
    }
};

BATCHPEAK_TEST(PlanOffersTest)
#include "tst_plan_offers.moc"
