// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/training_data.h"

#include "sample_rows.h"
#include "support/error_of.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTest>

#include <set>

using namespace batchpeak;
using namespace batchpeak::network;

namespace {

constexpr std::uint64_t seed = 5;

/// Returns the keys of all samples of a phase and epoch.
std::multiset<std::uint64_t> keysOf(const TrainingData& data, model::Phase phase, std::int64_t epoch)
{
    const bool isEvaluation = phase == model::Phase::Eval;
    std::multiset<std::uint64_t> keys;
    const std::int64_t samples = isEvaluation ? data.heldOutSamples() : data.samples();
    for (const SampleRow& row : data.rows({.phase = phase, .epoch = epoch, .samples = samples}))
        keys.insert(row.key);
    return keys;
}

} // namespace

/// Tests which samples the batches of training and of evaluation consist of.
class TrainingDataTest : public QObject
{
    Q_OBJECT

private slots:
    void neverTrainsOnHeldOutSamples_data()
    {
        rows<model::Architecture>({{"tokens", tinyGpt()}, {"images", tinyResNet()}});
    }
    void neverTrainsOnHeldOutSamples()
    {
        const TinyTraining training(row<model::Architecture>());
        const TrainingData all({.samples = 50}, *training.network, seed);
        const TrainingData data({.samples = 50, .heldOut = {.share = 0.2}}, *training.network, seed);
        QCOMPARE(data.samples(), 40);
        QCOMPARE(data.heldOutSamples(), 10);
        const auto heldOut = keysOf(data, model::Phase::Eval, 0);
        const auto whole = keysOf(all, model::Phase::Train, 0);
        for (const std::int64_t epoch : {0, 1, 5}) {
            std::multiset<std::uint64_t> both = keysOf(data, model::Phase::Train, epoch);
            both.insert(heldOut.begin(), heldOut.end());
            QVERIFY(both == whole);
        }
    }

    void evaluatesTheSameSamplesEachTime()
    {
        const TinyTraining training(tinyGpt());
        const trial::DataChoice choice{.samples = 50, .heldOut = {.samples = 7}};
        const TrainingData data(choice, *training.network, seed);
        const trial::BatchRequest batch{.phase = model::Phase::Eval, .first = 2, .samples = 3};
        const auto first = data.rows(batch);
        data.rows({.epoch = 3, .samples = 9});
        const auto again = TrainingData(choice, *training.network, seed).rows(batch);
        for (std::size_t i = 0; i < first.size(); ++i) {
            QCOMPARE(again[i].key, first[i].key);
            QVERIFY(again[i].tokens == first[i].tokens);
        }
    }

    void evaluatesTrainingSamplesIfNoneAreHeldOut()
    {
        const TinyTraining training(tinyGpt());
        const TrainingData data({.samples = 50}, *training.network, seed);
        const auto trained = data.rows({.samples = 4});
        const auto evaluated = data.rows({.phase = model::Phase::Eval, .samples = 4});
        for (std::size_t i = 0; i < trained.size(); ++i)
            QCOMPARE(evaluated[i].key, trained[i].key);
    }

    void refusesToHoldOutAllSamples_data()
    {
        rows<trial::HeldOut>({{"all of it", {.samples = 50}}, {"more", {.samples = 60}}});
    }
    void refusesToHoldOutAllSamples()
    {
        const TinyTraining training(tinyGpt());
        const trial::DataChoice choice{.samples = 50, .heldOut = row<trial::HeldOut>()};
        const QString error = test::errorOf([&] { TrainingData data(choice, *training.network, seed); });
        VERIFY_CONTAINS(error, "The data has 50 samples");
    }

    void refusesABatchBeyondTheHeldOutSamples()
    {
        const TinyTraining training(tinyGpt());
        const TrainingData data({.samples = 50, .heldOut = {.samples = 7}}, *training.network, seed);
        const QString error =
            test::errorOf([&] { data.rows({.phase = model::Phase::Eval, .first = 5, .samples = 3}); });
        VERIFY_CONTAINS(error, "what is held out, which has 7");
    }
};

BATCHPEAK_TEST(TrainingDataTest)
#include "tst_training_data.moc"
