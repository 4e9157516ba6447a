// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/speed_quantity.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <functional>

using namespace batchpeak;
using engine::SpeedConversion;
using engine::SpeedQuantity;

namespace {

/// Returns 0.1 s plus 0.01 s per sample, so that linear interpolation between two sizes is exact.
double secondsOf(std::int64_t size)
{
    return 0.1 + 0.01 * static_cast<double>(size);
}

trial::TrialRecord trialOf(int number, std::int64_t size)
{
    return {.number = number,
            .device = "cuda:0",
            .microBatchSize = size,
            .outcome = trial::Outcome::Ok,
            .samplesPerSecond = static_cast<double>(size) / secondsOf(size),
            .relativeError = 0.01,
            .secondsPerStep = secondsOf(size),
            .optimizerSeconds = 0.2};
}

/// Returns a run of 1e12 operations and 512 tokens per sample on an H100 in bf16.
engine::Snapshot trained(std::int64_t batch)
{
    engine::Snapshot snapshot;
    snapshot.run = engine::RunDescription{.precision = model::Precision::Bf16,
                                          .sequenceLength = 512,
                                          .tokensPerSample = 512.0,
                                          .flopsPerSample = 1e12,
                                          .productPrecision = model::Precision::Bf16,
                                          .plan = {.globalBatchSize = batch}};
    snapshot.devices = {{.id = QStringLiteral("cuda:0"), .name = QStringLiteral("NVIDIA H100 80GB HBM3")}};
    snapshot.trials = {trialOf(1, 1), trialOf(2, 8), trialOf(3, 16)};
    return snapshot;
}

using Change = std::function<void(engine::Snapshot&)>;

} // namespace

class SpeedQuantityTest : public QObject
{
    Q_OBJECT

private slots:
    void offersAvailableQuantities_data()
    {
        using Quantities = std::vector<SpeedQuantity>;
        using enum SpeedQuantity;
        const Quantities all{SamplesPerSecond, TokensPerSecond, EffectiveSamplesPerSecond,
                             ModelFlopUtilization, JoulesPerSample};
        const auto allBut = [&](SpeedQuantity quantity) {
            Quantities rest = all;
            std::erase(rest, quantity);
            return rest;
        };
        rows<Change, Quantities>(
            {{"all", {[](auto&) {}, all}},
             {"images", {[](auto& s) { s.run->tokensPerSample = 0.0; }, allBut(TokensPerSecond)}},
             {"evaluation",
              {[](auto& s) { s.run->phase = model::Phase::Eval; }, allBut(EffectiveSamplesPerSecond)}},
             {"a network alone",
              {[](auto& s) { s.run->hasBatch = false; }, allBut(EffectiveSamplesPerSecond)}},
             {"samples/s are effective ones",
              {[](auto& s) { s.run->objective = search::Objective::Effective; },
               allBut(EffectiveSamplesPerSecond)}},
             {"no optimizer was timed",
              {[](auto& s) {
                   for (auto& trial : s.trials)
                       trial.optimizerSeconds.reset();
               },
               allBut(EffectiveSamplesPerSecond)}},
             {"no energy",
              {[](auto& s) { s.trials.front().joulesPerSample.reset(); }, allBut(JoulesPerSample)}},
             {"no description",
              {[](auto& s) { s.run->flopsPerSample.reset(); }, allBut(ModelFlopUtilization)}},
             {"an unknown device",
              {[](auto& s) { s.devices.push_back({.id = QStringLiteral("cpu")}); },
               allBut(ModelFlopUtilization)}},
             {"a device without that arithmetic",
              {[](auto& s) { s.devices.front().name = QStringLiteral("Tesla V100-SXM2-16GB"); },
               allBut(ModelFlopUtilization)}},
             {"nothing is open", {[](auto& s) { s = {}; }, Quantities{SamplesPerSecond}}}});
    }
    void offersAvailableQuantities()
    {
        const auto& [change, quantities] = row<Change, std::vector<SpeedQuantity>>();
        engine::Snapshot snapshot = trained(48);
        snapshot.trials.front().joulesPerSample = 0.3;
        change(snapshot);
        QCOMPARE(engine::toldQuantities(snapshot), quantities);
    }

    void scalesProportionalQuantities()
    {
        const engine::Snapshot snapshot = trained(48);
        const trial::TrialRecord& trial = snapshot.trials[1];
        const SpeedConversion tokens(snapshot, SpeedQuantity::TokensPerSecond);
        QCOMPARE(*tokens.factor(), 512.0);
        QCOMPARE(*tokens.of(trial), (SpeedConversion::Speed{512.0 * *trial.samplesPerSecond, 0.01}));
        // The peak is 989.4 TFLOP/s in bf16.
        const SpeedConversion share(snapshot, SpeedQuantity::ModelFlopUtilization);
        QCOMPARE(*share.factor(), 100.0 / 989.4);
        QCOMPARE(share.of(trial)->value, *trial.samplesPerSecond * 100.0 / 989.4);
    }

    void usesEachDevicesPeak()
    {
        engine::Snapshot snapshot = trained(48);
        snapshot.devices.push_back(
            {.id = QStringLiteral("cuda:1"), .name = QStringLiteral("NVIDIA A100-SXM4-80GB")});
        snapshot.trials[2].device = "cuda:1";
        const SpeedConversion share(snapshot, SpeedQuantity::ModelFlopUtilization);
        QVERIFY(!share.factor());
        QCOMPARE(share.of(snapshot.trials[1])->value, *snapshot.trials[1].samplesPerSecond * 100.0 / 989.4);
        QCOMPARE(share.of(snapshot.trials[2])->value, *snapshot.trials[2].samplesPerSecond * 100.0 / 312.0);
    }

    // The expected speed is the batch divided by 0.2 s for the optimizer plus the times of its micro-batches.
    void computesWholeSteps_data()
    {
        rows<std::int64_t, double>({{"a multiple", {48, 0.2 + 6 * 0.18}},
                                    {"some have one sample less", {23, 0.2 + 2 * 0.18 + 0.17}},
                                    {"spread over smaller ones", {12, 0.2 + 2 * 0.16}},
                                    {"the batch at once", {6, 0.2 + 0.16}}});
    }
    void computesWholeSteps()
    {
        const auto& [batch, seconds] = row<std::int64_t, double>();
        const engine::Snapshot snapshot = trained(batch);
        const SpeedConversion conversion(snapshot, SpeedQuantity::EffectiveSamplesPerSecond);
        QVERIFY(!conversion.factor());
        const auto speed = conversion.of(snapshot.trials[1]);
        QVERIFY2(std::abs(speed->value / (static_cast<double>(batch) / seconds) - 1.0) < 1e-9,
                 qPrintable(QString::number(speed->value)));
        QCOMPARE(*speed->relativeError, 0.01 * (seconds - 0.2) / seconds);
    }

    void keepsTheDeviationOfATrial()
    {
        engine::Snapshot snapshot = trained(16);
        snapshot.trials.push_back(trialOf(4, 8));
        snapshot.trials.back().secondsPerStep = 1.1 * secondsOf(8);
        const SpeedConversion conversion(snapshot, SpeedQuantity::EffectiveSamplesPerSecond);
        QCOMPARE(conversion.of(snapshot.trials.back())->value, 16.0 / (0.2 + 2 * 1.1 * secondsOf(8)));
    }

    void convertsComparisons()
    {
        engine::Snapshot snapshot = trained(16);
        trial::TrialRecord comparison{.number = 4,
                                      .device = "cuda:0",
                                      .compared = {{.microBatchSize = 8,
                                                    .samplesPerSecond = 8 / secondsOf(8),
                                                    .secondsPerStep = secondsOf(8)},
                                                   {.microBatchSize = 16}},
                                      .outcome = trial::Outcome::Ok};
        snapshot.trials.push_back(comparison);
        const SpeedConversion effective(snapshot, SpeedQuantity::EffectiveSamplesPerSecond);
        QCOMPARE(effective.of(comparison, comparison.compared[0], 0.01)->value,
                 16.0 / (0.2 + 2 * secondsOf(8)));
        QVERIFY(!effective.of(comparison, comparison.compared[1], 0.01));
        const SpeedConversion energy(snapshot, SpeedQuantity::JoulesPerSample);
        QVERIFY(!energy.of(comparison, comparison.compared[0], {}));
    }

    void writesNumbersWithTheirUnit_data()
    {
        rows<SpeedQuantity, double, Text>(
            {{"samples", {SpeedQuantity::SamplesPerSecond, 2266.0, "2,266 ± 44 samples/s"}},
             {"tokens", {SpeedQuantity::TokensPerSecond, 2320000.0, "2,320,000 ± 45,472 tokens/s"}},
             {"a share", {SpeedQuantity::ModelFlopUtilization, 41.3, "41.3 ± 0.8 % of peak FLOPs"}},
             {"energy", {SpeedQuantity::JoulesPerSample, 0.318, "318 mJ/sample"}}});
    }
    void writesNumbersWithTheirUnit()
    {
        const auto& [quantity, value, text] = row<SpeedQuantity, double, Text>();
        QCOMPARE(engine::quantityText(quantity, value, 0.01, QLocale(QStringLiteral("en_US"))), text);
    }
};

BATCHPEAK_TEST(SpeedQuantityTest)
#include "tst_speed_quantity.moc"
