// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/memory/memory_law.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace batchpeak::search;

using Peaks = std::vector<MemoryPeak>;

namespace {

constexpr double limitMebibytes = 40000.0;
constexpr double heldMebibytes = 2000.0;
constexpr MemoryBackground background{.limitMebibytes = limitMebibytes, .heldMebibytes = heldMebibytes};

Peaks peaksOf(const std::function<double(double)>& mebibytes, const std::vector<double>& sizes)
{
    Peaks peaks;
    for (const double size : sizes)
        peaks.push_back({size, mebibytes(size)});
    return peaks;
}

double affine(double size)
{
    return 2000.0 + 30.0 * size;
}

double stepped(double size)
{
    return affine(size) + (size > 200.0 ? 0.045 * limitMebibytes : 0.0);
}

double curved(double size)
{
    return 2000.0 + 15.0 * std::pow(size, 1.12);
}

double pairwise(double size)
{
    return 2000.0 + 15.0 * size + 0.025 * size * size;
}

/// Up to 100 samples, the peak is at a moment of the step at which the samples need almost no memory.
double ofTwoMoments(double size)
{
    return heldMebibytes + std::max(3000.0 + size, 31.0 * size);
}

/// Deviates from the line by 5 %: upward for multiples of 3, downward for other sizes.
double rough(double size)
{
    return affine(size) * (std::fmod(size, 3.0) == 0.0 ? 1.05 : 0.95);
}

const std::vector<double> sizes{1, 8, 64, 256, 512, 600};

MemoryLaw heaviest(const std::vector<MemoryLaw>& laws)
{
    return *std::ranges::max_element(laws, {}, &MemoryLaw::logWeight);
}

} // namespace

class MemoryLawTest : public QObject
{
    Q_OBJECT

private slots:
    void findsTheLine()
    {
        const auto law = affineMemoryLaw(peaksOf(affine, {8, 64, 64}));
        QVERIFY(law);
        QVERIFY(std::abs(law->perSample - 30.0) < 1e-6);
        QVERIFY(std::abs(law->constantMebibytes - 2000.0) < 1e-3);
        QVERIFY(!affineMemoryLaw({{8, 100.0}, {8, 101.0}}));
        QVERIFY(weighMemoryLaws({{8, 100.0}}, background).empty());
    }

    void recoversTheLawOfThePeaks()
    {
        QCOMPARE(heaviest(weighMemoryLaws(peaksOf(affine, sizes), background)).power, 1.0);
        QCOMPARE(heaviest(weighMemoryLaws(peaksOf(affine, sizes), background)).stepAfter, 0.0);

        const MemoryLaw step = heaviest(weighMemoryLaws(peaksOf(stepped, sizes), background));
        QCOMPARE(step.stepAfter, 64.0);
        QCOMPARE(step.stepMebibytes, 0.045 * limitMebibytes);
        QVERIFY(std::abs(step.perSample - 30.0) < 0.3);

        QCOMPARE(heaviest(weighMemoryLaws(peaksOf(curved, sizes), background)).power, 1.12);
        // The square is half of the memory of the largest trial above the constant.
        const MemoryLaw square = heaviest(weighMemoryLaws(peaksOf(pairwise, sizes), background));
        QCOMPARE(square.squareShare, 0.5);
        const std::vector<double> many{64, 129, 160, 201, 250, 300, 350, 402, 500, 600};
        const MemoryLaw coarse = heaviest(weighMemoryLaws(peaksOf(rough, many), background));
        QVERIFY(coarse.roughness > 0.0);
    }

    void detectsANeedHiddenInSmallTrials()
    {
        const MemoryLaw law = heaviest(weighMemoryLaws(peaksOf(ofTwoMoments, sizes), background));
        QCOMPARE(law.holdsAfter, 64.0);
        QCOMPARE(law.constantMebibytes, heldMebibytes);
        QVERIFY(std::abs(law.perSample - 31.0) < 0.01);
    }

    void fitsThePeaks_data()
    {
        rows<Peaks>({
            {"affine", peaksOf(affine, sizes)},
            {"stepped", peaksOf(stepped, sizes)},
            {"curved", peaksOf(curved, sizes)},
        });
    }
    void fitsThePeaks()
    {
        const Peaks& peaks = row<Peaks>();
        const MemoryLaw law = heaviest(weighMemoryLaws(peaks, background));
        for (const MemoryPeak& peak : peaks)
            QVERIFY(std::abs(law.mebibytesAt(peak.size) - peak.mebibytes) < 24.0);
    }

    void keepsSlopesPositiveForFallingMemory()
    {
        const auto laws = weighMemoryLaws({{1, 900.0}, {8, 500.0}, {64, 400.0}}, background);
        QVERIFY(std::ranges::all_of(laws, [](const MemoryLaw& law) { return law.perSample > 0.0; }));
    }
};

BATCHPEAK_TEST(MemoryLawTest)
#include "tst_memory_law.moc"
