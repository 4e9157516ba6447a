// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/memory/memory_model.h"
#include "support/rows.h"
#include "support/test_main.h"

#include "search/candidate_set.h"
#include "search/random_source.h"
#include "search/trial_history.h"

#include <QTest>

#include <algorithm>

using namespace batchpeak::search;
using batchpeak::trial::Outcome;

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::int64_t baselineBytes = 1000 * mebibyte;
constexpr std::int64_t bytesPerSample = 50 * mebibyte;
/// 100 samples fit.
constexpr std::int64_t limitBytes = baselineBytes + 100 * bytesPerSample;

/// \param extra  bytes that do not depend on the size, in units of bytesPerSample
Measurement ran(std::int64_t size, std::int64_t extra = 0)
{
    return {.size = size,
            .outcome = Outcome::Ok,
            .secondsPerStep = 0.1,
            .peakReservedBytes = baselineBytes + (size + extra) * bytesPerSample};
}

/// Returns a trial that needs additional bytes for every pair of samples.
Measurement ranPairwise(std::int64_t size)
{
    Measurement trial = ran(size);
    trial.peakReservedBytes += size * size * mebibyte / 2;
    return trial;
}

Measurement failed(std::int64_t size)
{
    return {.size = size, .outcome = Outcome::OutOfMemory};
}

MemoryModel modelOf(const std::vector<Measurement>& trials, SearchSpace space = {})
{
    if (space.memoryLimitBytes == 0)
        space.memoryLimitBytes = limitBytes;
    space.baselineBytes = baselineBytes;
    space.maximum = 65535;
    TrialHistory history(space.memoryLimitBytes);
    for (const Measurement& trial : trials)
        history.record(trial);
    RandomSource random(3);
    return {space, CandidateSet(space), history, random};
}

} // namespace

class MemoryModelTest : public QObject
{
    Q_OBJECT

private slots:
    void findsTheLine_data()
    {
        rows<std::vector<Measurement>>({
            {"two sizes", {ran(1), ran(8)}},
            {"repeated sizes", {ran(1), ran(8), ran(8), ran(1)}},
            {"after a failure", {ran(4), ran(64), failed(128)}},
        });
    }
    void findsTheLine()
    {
        const MemoryModel model = modelOf(row<std::vector<Measurement>>());
        QVERIFY(model.line());
        QVERIFY(std::abs(model.line()->bytesPerSample / bytesPerSample - 1.0) < 1e-6);
        QVERIFY(std::abs(model.line()->constantBytes / baselineBytes - 1.0) < 1e-6);
        QVERIFY(std::abs(model.largestPredictedFit() - 100) <= 1);
    }

    void weighsLargeTrialsMore()
    {
        // The small sizes round up to a segment: an unweighted fit would miss the slope by 2.1 %.
        Measurement one = ran(1);
        one.peakReservedBytes += 60 * mebibyte;
        Measurement two = ran(2);
        two.peakReservedBytes += 60 * mebibyte;
        const MemoryModel model = modelOf({one, two, ran(32), ran(64)});
        const double error = std::abs(model.line()->bytesPerSample / bytesPerSample - 1.0);
        QVERIFY2(error < 0.016, std::to_string(error).c_str());
    }

    void boundsTheSlopeByOneSize()
    {
        const MemoryModel model = modelOf({ran(1)});
        QVERIFY(!model.line());
        QCOMPARE(model.largestPredictedFit(), 0);
        // Even if all bytes above the baseline belong to the sample, 90 samples fit, unless a workspace
        // appears at a larger size.
        QVERIFY(model.probabilityOfFit(90) > 0.97);
        const double far = model.probabilityOfFit(1000);
        QVERIFY2(far > 0.02 && far < 0.3, std::to_string(far).c_str());
    }

    void lowersTheProbabilityTowardAFailure()
    {
        const MemoryModel model = modelOf({ran(1), ran(8), ran(64), failed(110)});
        QCOMPARE(model.probabilityOfFit(1), 1.0);
        QCOMPARE(model.probabilityOfFit(64), 1.0);
        for (std::int64_t size = 64; size < 120; ++size)
            QVERIFY(model.probabilityOfFit(size + 1) <= model.probabilityOfFit(size));
        QVERIFY(model.probabilityOfFit(90) > 0.9);
        QVERIFY(model.probabilityOfFit(108) < 0.2);
        QCOMPARE(model.probabilityOfFit(110), 0.0);
        QCOMPARE(model.probabilityOfFit(60000), 0.0);
        QVERIFY(model.probabilityOfFit(model.largestWithFit(0.8)) >= 0.8);
    }

    void neverRaisesTheProbabilityAboveAFailure_data()
    {
        const auto add = rows<std::int64_t>();
        for (const std::int64_t size : {9, 40, 99, 101, 300})
            add(std::to_string(size), size);
    }
    void neverRaisesTheProbabilityAboveAFailure()
    {
        const std::int64_t size = row<std::int64_t>();
        const MemoryModel before = modelOf({ran(1), ran(8)});
        const MemoryModel after = modelOf({ran(1), ran(8), failed(size)});
        for (std::int64_t above = size; above < size + 400; above += 7)
            QVERIFY(after.probabilityOfFit(above) <= before.probabilityOfFit(above));
        QVERIFY(std::ranges::max(after.largestFits()) < size);
    }

    void ignoresAFailureBelowASizeThatRan()
    {
        const MemoryModel model = modelOf({ran(1), failed(16), ran(32)});
        QCOMPARE(model.probabilityOfFit(16), 0.0);
        QCOMPARE(model.probabilityOfFit(32), 1.0);
        QVERIFY(model.probabilityOfFit(80) > 0.9);
    }

    void learnsTheSlopeFromAPeakAboveTheLimit()
    {
        const MemoryModel model = modelOf({ran(1), ran(64), ran(102)});
        QVERIFY(std::abs(model.line()->bytesPerSample / bytesPerSample - 1.0) < 1e-6);
        QCOMPARE(model.probabilityOfFit(102), 0.0);
        QVERIFY(model.probabilityOfFit(90) > 0.9);
    }

    void allowsTheMiddleWithoutPeaks()
    {
        Measurement silent = ran(8);
        silent.peakReservedBytes = 0;
        QCOMPARE(modelOf({silent}).probabilityOfFit(65535), 1.0);
        const MemoryModel bounded = modelOf({silent, failed(512)});
        QVERIFY(!bounded.line());
        // Otherwise, no trial would ever come closer to the limit.
        QVERIFY(bounded.probabilityOfFit(63) > 0.98);
        const double above = bounded.probabilityOfFit(181);
        QVERIFY2(above > 0.4 && above < 0.6, std::to_string(above).c_str());
        QCOMPARE(bounded.probabilityOfFit(512), 0.0);
    }

    void expectsTheLimitNearAnUnexplainedFailure()
    {
        // The line predicts that 100 samples fit.
        const MemoryModel model = modelOf({ran(1), ran(8), ran(32), failed(64)});
        QVERIFY(model.probabilityOfFit(33) > 0.9);
        const double middle = model.probabilityOfFit(50);
        QVERIFY2(middle > 0.1, std::to_string(middle).c_str());
        QVERIFY(std::ranges::max(model.largestFits()) < 64);
    }

    void usesAThrashingSizeOnlyAsABound()
    {
        Measurement thrashing = ran(90);
        thrashing.thrashes = true;
        const MemoryModel model = modelOf({ran(1), ran(8), ran(40), thrashing});
        QCOMPARE(model.probabilityOfFit(90), 0.0);
        QCOMPARE(model.probabilityOfFit(40), 1.0);
        const double middle = model.probabilityOfFit(65);
        QVERIFY2(middle > 0.4 && middle < 0.6, std::to_string(middle).c_str());
    }

    void allowsForAWorkspaceAboveTheTrials()
    {
        // The line predicts that 100 samples fit; but one curve in three has a workspace on the way.
        const double far = modelOf({ran(1), ran(8)}).probabilityOfFit(95);
        const double near = modelOf({ran(1), ran(8), ran(80)}).probabilityOfFit(95);
        QVERIFY2(far < near, std::to_string(far).c_str());
        QVERIFY2(near < 1.0, std::to_string(near).c_str());
    }

    void learnsTheCurvatureFromThreeSizes()
    {
        SearchSpace large;
        large.memoryLimitBytes = baselineBytes + 1100 * bytesPerSample;
        const double open = modelOf({ran(8), ran(64)}, large).probabilityOfFit(800);
        const double closed = modelOf({ran(1), ran(8), ran(64), ran(128)}, large).probabilityOfFit(800);
        QVERIFY2(open < 0.99, std::to_string(open).c_str());
        QVERIFY2(closed > open, std::to_string(closed).c_str());
    }

    void acceptsSizesFarBelowTheLimit()
    {
        SearchSpace larger;
        larger.memoryLimitBytes = baselineBytes + 20000 * bytesPerSample;
        QVERIFY(modelOf({ran(8), ran(64)}, larger).probabilityOfFit(1024) > 0.995);
    }

    void boundsTheSizeByASquare()
    {
        // The line through 64 and 128 samples predicts that 190 fit; the square predicts 171.
        SearchSpace space;
        space.memoryLimitBytes = ranPairwise(171).peakReservedBytes;
        const MemoryModel model =
            modelOf({ranPairwise(1), ranPairwise(8), ranPairwise(64), ranPairwise(128)}, space);
        QVERIFY(model.probabilityOfFit(150) > 0.99);
        QVERIFY2(model.probabilityOfFit(180) < 0.2, std::to_string(model.probabilityOfFit(180)).c_str());
    }

    void allowsForANeedHiddenInSmallTrials()
    {
        // The constant bytes may belong to one moment of a step, and hide another one at which the samples
        // need more.
        const auto ranWithExtra = [](std::int64_t size) { return ran(size, 40); };
        SearchSpace space;
        space.memoryLimitBytes = baselineBytes + 1000 * bytesPerSample;
        const std::vector<Measurement> extra{ranWithExtra(1), ranWithExtra(8), ranWithExtra(64),
                                             ranWithExtra(128)};
        const std::vector<Measurement> alone{ran(1), ran(8), ran(64), ran(128)};
        QVERIFY(modelOf(extra, space).probabilityOfFit(850) < modelOf(alone, space).probabilityOfFit(890));
    }

    void usesADescriptionAfterOneSize()
    {
        // Nine tenths of the bytes of the first trial above the baseline belong to the network's weights.
        const auto ranWithExtra = [](std::int64_t size) { return ran(size, 9); };
        SearchSpace described;
        described.memoryLimitBytes = baselineBytes + 50 * bytesPerSample;
        const double before = modelOf({ranWithExtra(1)}, described).probabilityOfFit(20);
        described.memoryPrior = MemoryPrior{.constantBytes = static_cast<double>(baselineBytes),
                                            .bytesPerSample = static_cast<double>(bytesPerSample),
                                            .deviation = 0.1};
        const double after = modelOf({ranWithExtra(1)}, described).probabilityOfFit(20);
        QVERIFY2(before < 0.6 && after > 0.9, (std::to_string(before) + ' ' + std::to_string(after)).c_str());
    }

    void boundsAHiddenNeedByADescription()
    {
        const auto ranWithExtra = [](std::int64_t size) { return ran(size, 40); };
        SearchSpace described;
        described.memoryLimitBytes = baselineBytes + 1000 * bytesPerSample;
        const std::vector<Measurement> trials{ranWithExtra(1), ranWithExtra(8), ranWithExtra(64)};
        const double before = modelOf(trials, described).probabilityOfFit(800);
        described.memoryPrior =
            MemoryPrior{.bytesPerSample = static_cast<double>(bytesPerSample), .deviation = 0.05};
        QVERIFY(modelOf(trials, described).probabilityOfFit(800) > before);
    }

    void ignoresAWrongDescription()
    {
        SearchSpace described;
        described.memoryPrior =
            MemoryPrior{.bytesPerSample = static_cast<double>(bytesPerSample) / 4.0, .deviation = 0.05};
        const std::vector<Measurement> trials{ran(1), ran(8), ran(64)};
        for (const std::int64_t size : {80, 99, 110, 150}) {
            const double difference =
                modelOf(trials, described).probabilityOfFit(size) - modelOf(trials).probabilityOfFit(size);
            QVERIFY2(std::abs(difference) < 0.05, std::to_string(difference).c_str());
        }
    }

    void separatesAllocatedFromReservedMemory()
    {
        std::vector<Measurement> trials{ran(1), ran(8), ran(64)};
        for (Measurement& trial : trials)
            trial.peakAllocatedBytes = baselineBytes + trial.size * bytesPerSample / 2;
        const MemoryModel model = modelOf(trials);
        QVERIFY(std::abs(model.line()->bytesPerSample / bytesPerSample - 1.0) < 1e-6);
        QVERIFY(std::abs(model.allocatedLine()->bytesPerSample / bytesPerSample - 0.5) < 1e-6);
        QVERIFY(model.probabilityOfFit(130) < 0.05);
    }

    void drawsFitsWithinTheKnownBounds()
    {
        const MemoryModel model = modelOf({ran(8), ran(64), failed(99)});
        QCOMPARE(model.largestFits().size(), static_cast<std::size_t>(MemoryModel::drawCount));
        for (const std::int64_t size : model.largestFits())
            QVERIFY(size >= 64 && size < 99);
    }
};

BATCHPEAK_TEST(MemoryModelTest)
#include "tst_memory_model.moc"
