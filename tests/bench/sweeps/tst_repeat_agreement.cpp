// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "repeat_agreement.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <cmath>
#include <random>

using namespace batchpeak;
using trial::TrialResult;

namespace {

TrialResult trialOf(std::int64_t size, double seconds, double error)
{
    return {.microBatchSize = size,
            .outcome = trial::Outcome::Ok,
            .secondsPerStep = seconds,
            .relativeError = error};
}

} // namespace

class RepeatAgreementTest : public QObject
{
    Q_OBJECT

private slots:
    void agreesAsOftenAsExpected_data()
    {
        rows<double, double>({
            {"true errors", {1.0, 0.95}},
            // Probability within 1.96 / 2 standard deviations.
            {"half of the true errors", {0.5, 0.673}},
        });
    }
    void agreesAsOftenAsExpected()
    {
        const auto& [statedShare, expected] = row<double, double>();
        std::mt19937_64 random(5);
        std::normal_distribution<double> noise(0.0, 0.02);
        std::vector<TrialResult> trials;
        for (int i = 0; i < 2000; ++i)
            trials.push_back(trialOf(8, 0.5 * std::exp(noise(random)), 0.02 * statedShare));
        const RepeatAgreement agreement = agreementBySize(trials).at(8);
        QCOMPARE(agreement.trials, 2000);
        QCOMPARE(agreement.pairs, 2000 * 1999 / 2);
        QVERIFY2(std::abs(agreement.share() - expected) < 0.02,
                 qPrintable(QString::number(agreement.share())));
        QVERIFY(std::abs(agreement.observedSpread / 0.02 - 1) < 0.05);
        QCOMPARE(agreement.statedError, 0.02 * statedShare);
    }

    void ignoresUnusableTrials()
    {
        TrialResult failed = trialOf(4, 9.0, 0.01);
        failed.outcome = trial::Outcome::OutOfMemory;
        TrialResult disturbed = trialOf(4, 9.0, 0.01);
        disturbed.flags = {"disturbed: another program"};
        TrialResult silent = trialOf(4, 9.0, 0.01);
        silent.relativeError.reset();
        const auto agreements = agreementBySize({trialOf(4, 1.0, 0.01), failed, disturbed, silent,
                                                 trialOf(4, 1.01, 0.01), trialOf(2, 1.0, 0.01)});
        QCOMPARE(agreements.size(), std::size_t{2});
        QCOMPARE(agreements.at(4).pairs, 1);
        QCOMPARE(agreements.at(4).pairsThatAgree, 1);
        QCOMPARE(agreements.at(2).pairs, 0);
    }
};

BATCHPEAK_TEST(RepeatAgreementTest)
#include "tst_repeat_agreement.moc"
