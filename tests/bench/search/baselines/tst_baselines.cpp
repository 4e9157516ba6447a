// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "baselines.h"
#include "replay_device.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace batchpeak::search;
using Sizes = std::vector<std::int64_t>;

namespace {

/// A hundred sizes fit, by a line; sizes from the peak on are ever slower.
ReplayDevice deviceWithPeakAt(double peak)
{
    return {{.seconds =
                 [peak](std::int64_t size) {
                     const auto m = static_cast<double>(size);
                     return m * (1.0 + std::abs(std::log(m / peak)));
                 },
             .peakBytes = [](std::int64_t size) { return 1e6 + 1e4 * static_cast<double>(size); },
             .baselineBytes = 1e6,
             .limitBytes = 2.005e6,
             .stepNoise = 0.0,
             .runNoise = 0.0},
            1};
}

Sizes sizesTried(Strategy& strategy, ReplayDevice& device)
{
    Sizes sizes;
    while (const auto proposal = strategy.next({})) {
        sizes.push_back(proposal->size);
        strategy.record(device.run(*proposal));
    }
    return sizes;
}

} // namespace

class BaselinesTest : public QObject
{
    Q_OBJECT

private slots:
    void triesWhatItIsKnownFor_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<double>("peak");
        QTest::addColumn<Sizes>("tried");
        QTest::addColumn<qint64>("answer");
        QTest::newRow("powers of two")
            << QStringLiteral("powers of two") << 12.0 << Sizes{1, 2, 4, 8, 16, 32, 64, 128} << qint64{16};
        QTest::newRow("double until slower")
            << QStringLiteral("double until slower") << 12.0 << Sizes{1, 2, 4, 8, 16, 32} << qint64{16};
        QTest::newRow("largest that fits")
            << QStringLiteral("largest that fits") << 12.0
            << Sizes{1, 2, 4, 8, 16, 32, 64, 128, 96, 112, 104, 100, 102, 101} << qint64{100};
        QTest::newRow("like DeepSpeed")
            << QStringLiteral("like DeepSpeed") << 75.0 << Sizes{1, 106, 101, 95, 48, 71, 67} << qint64{71};
    }
    void triesWhatItIsKnownFor()
    {
        QFETCH(QString, name);
        QFETCH(double, peak);
        QFETCH(Sizes, tried);
        QFETCH(qint64, answer);
        ReplayDevice device = deviceWithPeakAt(peak);
        const auto strategy = makeBaseline(name.toStdString(), device.space());
        QCOMPARE(sizesTried(*strategy, device), tried);
        QCOMPARE(strategy->searchState().recommendation->size, answer);
    }

    void findsASinglePeak_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<double>("peak");
        for (const char* name : {"golden section", "64-point sweep", "four an octave"}) {
            for (const double peak : {1.0, 30.0, 80.0, 500.0})
                QTest::addRow("%s, peak at %g", name, peak) << QString::fromLatin1(name) << peak;
        }
    }
    void findsASinglePeak()
    {
        QFETCH(QString, name);
        QFETCH(double, peak);
        ReplayDevice device = deviceWithPeakAt(peak);
        const auto strategy = makeBaseline(name.toStdString(), device.space());
        sizesTried(*strategy, device);
        const std::int64_t answer = strategy->searchState().recommendation->size;
        QVERIFY2(device.speed(answer) > 0.85 * device.bestSpeed({}), qPrintable(QString::number(answer)));
    }

    void endsOnceWithAnAllowedSize_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<Sizes>("allowed");
        for (const std::string_view name : baselineNames()) {
            const auto text = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
            QTest::addRow("%s, every size", qPrintable(text)) << text << Sizes();
            QTest::addRow("%s, one size", qPrintable(text)) << text << Sizes{1};
            QTest::addRow("%s, divisors", qPrintable(text)) << text << Sizes{1, 2, 3, 5, 6, 10, 15, 30};
            QTest::addRow("%s, far apart", qPrintable(text)) << text << Sizes{3, 50, 5000};
        }
    }
    void endsOnceWithAnAllowedSize()
    {
        QFETCH(QString, name);
        QFETCH(Sizes, allowed);
        ReplayDevice device = deviceWithPeakAt(20.0);
        SearchSpace space = device.space();
        space.candidates = allowed;
        const auto strategy = makeBaseline(name.toStdString(), space);
        Sizes tried = sizesTried(*strategy, device);
        QVERIFY(!tried.empty());
        QVERIFY(strategy->searchState().recommendation);
        QVERIFY(device.fits(strategy->searchState().recommendation->size));
        QCOMPARE(strategy->searchState().status, SearchState::Status::Exhausted);
        for (const std::int64_t size : tried)
            QVERIFY(allowed.empty() || std::ranges::find(allowed, size) != allowed.end());
        std::ranges::sort(tried);
        QVERIFY(std::ranges::adjacent_find(tried) == tried.end());
    }

    void saysWhenNothingFits_data()
    {
        QTest::addColumn<QString>("name");
        for (const std::string_view name : baselineNames())
            QTest::addRow("%s", std::string(name).c_str()) << QString::fromStdString(std::string(name));
    }
    void saysWhenNothingFits()
    {
        QFETCH(QString, name);
        SearchSpace space{.memoryLimitBytes = 1000};
        const auto strategy = makeBaseline(name.toStdString(), space);
        QVERIFY(strategy->next({}));
        strategy->record({.size = 1, .outcome = Measurement::Outcome::DoesNotFit});
        QVERIFY(!strategy->next({}));
        QCOMPARE(strategy->searchState().status, SearchState::Status::NothingFits);
        QVERIFY(!strategy->searchState().recommendation);
    }

    void knowsNoOther() { QVERIFY(!makeBaseline("guess", {})); }
};

BATCHPEAK_TEST(BaselinesTest)
#include "tst_baselines.moc"
