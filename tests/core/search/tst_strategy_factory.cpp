// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/strategy_factory.h"
#include "support/test_main.h"

#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include <limits>
#include <stdexcept>

using namespace batchpeak::search;
using Outcome = Measurement::Outcome;
using Status = SearchState::Status;

class StrategyFactoryTest : public QObject
{
    Q_OBJECT

private slots:
    void makesEveryStrategyItNames()
    {
        QVERIFY(!strategyNames().empty());
        for (const std::string_view name : strategyNames())
            QVERIFY(makeStrategy(name, SearchSpace{}) != nullptr);
    }

    void everyNameIsExplained_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("pattern");
        QTest::newRow("README") << QStringLiteral("README.md") << QStringLiteral("`(--strategy )?%1`");
        QTest::newRow("man page") << QStringLiteral("resources/man/batchpeak.1.in")
                                  << QStringLiteral("\n\\.B %1\n");
    }
    void everyNameIsExplained()
    {
        QFETCH(QString, file);
        QFETCH(QString, pattern);
        QFile document(QStringLiteral(BATCHPEAK_SOURCE_DIR "/") + file);
        QVERIFY2(document.open(QIODevice::ReadOnly), qPrintable(document.errorString()));
        const QString text = QString::fromUtf8(document.readAll());
        for (const std::string_view name : strategyNames()) {
            const QRegularExpression entry(pattern.arg(QString::fromStdString(std::string(name))));
            QVERIFY2(entry.match(text).hasMatch(), std::string(name).c_str());
        }
    }

    void refusesWhatCannotBeSearched_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<SearchSpace>("space");
        QTest::addColumn<QString>("named");
        QTest::newRow("unknown name") << QStringLiteral("guess") << SearchSpace{} << QStringLiteral("ramp");
        QTest::newRow("maximum below minimum")
            << QStringLiteral("ramp") << SearchSpace{.minimum = 8, .maximum = 4} << QStringLiteral("below");
        QTest::newRow("no sample") << QStringLiteral("ramp") << SearchSpace{.minimum = 0}
                                   << QStringLiteral("0");
        QTest::newRow("unsorted list")
            << QStringLiteral("ramp") << SearchSpace{.candidates = {2, 1}} << QStringLiteral("ascending");
        QTest::newRow("list beyond the bounds")
            << QStringLiteral("ramp") << SearchSpace{.maximum = 8, .candidates = {1, 16}}
            << QStringLiteral("bounds");
    }
    void refusesWhatCannotBeSearched()
    {
        QFETCH(QString, name);
        QFETCH(SearchSpace, space);
        QFETCH(QString, named);
        try {
            makeStrategy(name.toStdString(), space);
            QFAIL("no exception");
        } catch (const std::invalid_argument& problem) {
            QVERIFY2(QString::fromUtf8(problem.what()).contains(named), problem.what());
        }
    }

    void verifiesTheOnlySizeAllowed_data()
    {
        QTest::addColumn<std::vector<Measurement>>("trials");
        QTest::addColumn<Status>("status");
        QTest::addColumn<int>("confidence");
        const Measurement runs{
            .size = 12, .outcome = Outcome::Ok, .secondsPerStep = 0.5, .peakReservedBytes = 900};
        Measurement fails = runs;
        fails.outcome = Outcome::DoesNotFit;
        Measurement isVoid = runs;
        isVoid.outcome = Outcome::Void;
        Measurement needsTooMuch = runs;
        needsTooMuch.peakReservedBytes = 1001;
        Measurement thrashes = runs;
        thrashes.thrashes = true;
        Measurement hasNoTime = runs;
        hasNoTime.secondsPerStep = std::numeric_limits<double>::quiet_NaN();
        QTest::newRow("runs") << std::vector{runs} << Status::Exhausted << 99;
        QTest::newRow("does not fit") << std::vector{fails} << Status::NothingFits << 0;
        QTest::newRow("needs more than the limit") << std::vector{needsTooMuch} << Status::NothingFits << 0;
        QTest::newRow("thrashes") << std::vector{thrashes} << Status::NothingFits << 0;
        QTest::newRow("void once") << std::vector{isVoid} << Status::Searching << 0;
        QTest::newRow("no time, then runs") << std::vector{hasNoTime, runs} << Status::Exhausted << 99;
        QTest::newRow("void twice") << std::vector{isVoid, isVoid} << Status::Exhausted << 0;
    }
    void verifiesTheOnlySizeAllowed()
    {
        QFETCH(std::vector<Measurement>, trials);
        QFETCH(Status, status);
        QFETCH(int, confidence);
        const auto strategy = makeStrategy("ramp", {.minimum = 12, .maximum = 12, .memoryLimitBytes = 1000});
        for (const Measurement& trial : trials) {
            QCOMPARE(strategy->next({}).value_or(Proposal{}).size, 12);
            strategy->record(trial);
        }
        QCOMPARE(strategy->searchState().status, status);
        QCOMPARE(strategy->next({}).has_value(), status == Status::Searching);
        const auto& recommendation = strategy->searchState().recommendation;
        QCOMPARE(recommendation.has_value(), confidence > 0);
        if (recommendation) {
            QCOMPARE(recommendation->size, 12);
            QCOMPARE(recommendation->samplesPerSecond, 24.0);
            QCOMPARE(recommendation->confidence, confidence);
            QCOMPARE(recommendation->reason.kind, Reason::Kind::Verified);
        }
    }
};

BATCHPEAK_TEST(StrategyFactoryTest)
#include "tst_strategy_factory.moc"
