// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/strategy.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include <limits>
#include <stdexcept>

using namespace batchpeak::search;
using batchpeak::trial::Outcome;
using Status = SearchState::Status;

namespace {

struct Refused
{
    std::string name;
    SearchSpace space;
    std::string named;
};

struct Verified
{
    std::vector<Measurement> trials;
    Status status;
    /// Expected confidence; 0 if nothing is recommended.
    int confidence = 0;
};

} // namespace

class StrategyTest : public QObject
{
    Q_OBJECT

private slots:
    void makesEveryStrategyItNames()
    {
        QVERIFY(!strategyNames().empty());
        for (const std::string_view name : strategyNames())
            QVERIFY(makeStrategy(name, SearchSpace{}) != nullptr);
    }

    void documentsEveryName_data()
    {
        rows<std::string, std::string>({
            {"command line", {"docs/command-line.md", "`(--strategy )?%1`"}},
            {"man page", {"resources/man/batchpeak.1.in", "\n\\.B %1\n"}},
        });
    }
    void documentsEveryName()
    {
        const auto& [file, pattern] = row<std::string, std::string>();
        QFile document(QString::fromStdString(BATCHPEAK_SOURCE_DIR "/" + file));
        QVERIFY2(document.open(QIODevice::ReadOnly), qPrintable(document.errorString()));
        const QString text = QString::fromUtf8(document.readAll());
        for (const std::string_view name : strategyNames()) {
            const QRegularExpression entry(
                QString::fromStdString(pattern).arg(QString::fromStdString(std::string(name))));
            QVERIFY2(entry.match(text).hasMatch(), std::string(name).c_str());
        }
    }

    void refusesInvalidSearches_data()
    {
        rows<Refused>({
            {"unknown name", {"guess", {}, "ramp"}},
            {"maximum below minimum", {"ramp", {.minimum = 8, .maximum = 4}, "below"}},
            {"no sample", {"ramp", {.minimum = 0}, "0"}},
            {"unsorted list", {"ramp", {.candidates = {2, 1}}, "ascending"}},
            {"list beyond the bounds", {"ramp", {.maximum = 8, .candidates = {1, 16}}, "bounds"}},
        });
    }
    void refusesInvalidSearches()
    {
        const auto& [name, space, named] = row<Refused>();
        try {
            makeStrategy(name, space);
            QFAIL("no exception");
        } catch (const std::invalid_argument& problem) {
            QVERIFY2(std::string_view(problem.what()).find(named) != std::string_view::npos, problem.what());
        }
    }

    void verifiesTheOnlySizeAllowed_data()
    {
        const Measurement runs{
            .size = 12, .outcome = Outcome::Ok, .secondsPerStep = 0.5, .peakReservedBytes = 900};
        Measurement fails = runs;
        fails.outcome = Outcome::OutOfMemory;
        Measurement isVoid = runs;
        isVoid.outcome = Outcome::Crashed;
        Measurement needsTooMuch = runs;
        needsTooMuch.peakReservedBytes = 1001;
        Measurement thrashes = runs;
        thrashes.thrashes = true;
        Measurement hasNoTime = runs;
        hasNoTime.secondsPerStep = std::numeric_limits<double>::quiet_NaN();
        rows<Verified>({
            {"runs", {{runs}, Status::Exhausted, 99}},
            {"does not fit", {{fails}, Status::NothingFits}},
            {"needs more than the limit", {{needsTooMuch}, Status::NothingFits}},
            {"thrashes", {{thrashes}, Status::NothingFits}},
            {"void once", {{isVoid}, Status::Searching}},
            {"no time, then runs", {{hasNoTime, runs}, Status::Exhausted, 99}},
            {"void twice", {{isVoid, isVoid}, Status::Exhausted}},
        });
    }
    void verifiesTheOnlySizeAllowed()
    {
        const auto& [trials, status, confidence] = row<Verified>();
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

BATCHPEAK_TEST(StrategyTest)
#include "tst_strategy.moc"
