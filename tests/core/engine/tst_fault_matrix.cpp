// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "exploration_harness.h"
#include "support/fault_matrix.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTest>

#include <cmath>
#include <cstdio>

using namespace batchpeak;
using namespace std::chrono_literals;
using engine::FinishStatus;
using test::ExplorationHarness;
using test::faultsAt;
using test::LineFault;
using test::Particular;
using test::Station;

namespace {

/// Trials of a worker that keeps to the protocol.
const QString searched = QStringLiteral("1 ok, 2 ok, 4 ok");

/// Trials of runs whose worker breaks down at a station once, or always. X stands for the outcome of the
/// trial during which it breaks down, and | separates two lists that are both possible.
struct Ends
{
    Text sound;
    Text once;
    Text always;
    /// Recommended size if it always breaks down; 0 if there is none.
    int recommendedAlways = 4;
};

struct EngineStation
{
    Station station;
    Ends ends;
    /// Different ends, keyed by the title of the fault.
    QMap<QString, Ends> exceptions = {};
};

struct Row
{
    Station station;
    LineFault fault;
    bool isAlways = false;
    QString trials;
    int recommended = 4;
};

const QStringList numbersOfHello{
    QStringLiteral("/protocol"), QStringLiteral("/device/total_bytes"), QStringLiteral("/device/free_bytes"),
    QStringLiteral("/device/context_bytes"), QStringLiteral("/device/limit_bytes")};
const QStringList numbersOfLoaded{QStringLiteral("/parameters"), QStringLiteral("/baseline_bytes"),
                                  QStringLiteral("/limit_bytes")};
const QStringList numbersOfStep{QStringLiteral("/index"), QStringLiteral("/seconds")};
const QStringList numbersOfResult{QStringLiteral("/micro_batch_size"),
                                  QStringLiteral("/steps"),
                                  QStringLiteral("/samples"),
                                  QStringLiteral("/seconds_per_step"),
                                  QStringLiteral("/step_seconds/1"),
                                  QStringLiteral("/clock"),
                                  QStringLiteral("/relative_error"),
                                  QStringLiteral("/forward_seconds"),
                                  QStringLiteral("/backward_seconds"),
                                  QStringLiteral("/optimizer_seconds"),
                                  QStringLiteral("/peak_allocated_bytes"),
                                  QStringLiteral("/peak_reserved_bytes"),
                                  QStringLiteral("/alloc_retries"),
                                  QStringLiteral("/wall_seconds"),
                                  QStringLiteral("/energy_joules")};
const QStringList numbersOfComparison{
    QStringLiteral("/compared/1/micro_batch_size"), QStringLiteral("/compared/1/peak_reserved_bytes"),
    QStringLiteral("/compared/1/alloc_retries"),    QStringLiteral("/compared/1/visits/0/clock"),
    QStringLiteral("/compared/1/visits/0/seconds"), QStringLiteral("/compared/1/visits/0/step_seconds/0"),
    QStringLiteral("/optimizer_seconds"),           QStringLiteral("/wall_seconds")};

/// An invalid reading of a gauge does not spoil the measurement.
const std::vector<Particular> gauge{{"negative /energy_joules", ""}, {"huge /energy_joules", ""}};

/// A speed that is computed from these numbers would exceed all others.
const char* const refused = "does not keep to the trial protocol. The field";
const std::vector<Particular> refusedNumbers{{"tiny /seconds_per_step", refused, true},
                                             {"tiny /step_seconds/1", refused, true},
                                             {"hundredfold /seconds_per_step", refused, true},
                                             {"largest /steps", refused, true}};

const char* const cancelledUnasked = "was canceled, which nobody asked for";

std::vector<Particular> with(std::vector<Particular> some, const std::vector<Particular>& more)
{
    some.insert(some.end(), more.begin(), more.end());
    return some;
}

/// An endless stream of steps neither ends a trial nor counts as its result.
const std::vector<Particular> streams{{"flood", "reported steps without an end", true},
                                      {"endless", "gave no answer within", true}};

/// Returns every prefix of the list. The end of a worker may be noticed before or after its trial is
/// requested, and two in a row that are noticed before end the exploration.
QString everyPrefixOf(const char* trials)
{
    const QStringList all = QString::fromUtf8(trials).split(QLatin1String(", "));
    QStringList prefixes;
    for (qsizetype count = 0; count <= all.size(); ++count)
        prefixes << all.first(count).join(QLatin1String(", "));
    return prefixes.join(QLatin1Char('|'));
}

std::vector<EngineStation> stationsOfExplore()
{
    const Ends start{searched, searched, "", 0};
    const Ends trial{searched, "1 ok, 2 X, 2 ok, 4 ok", "1 ok, 2 X, 2 X, 4 ok"};
    const std::vector<Particular> twice{{"duplicate", ""}, {"stale", ""}};
    return {
        {{"explore",
          "hello",
          "",
          "did not say hello",
          numbersOfHello,
          {{"duplicate", "said hello a second time", true}}},
         start},
        {{"explore",
          "loaded",
          "",
          "did not load",
          numbersOfLoaded,
          {{"duplicate", "without being asked to", true}, {"end-after", "ended with exit code 0", true}}},
         {searched, searched + QLatin1String("|1 X, ") + searched,
          everyPrefixOf("1 X, 1 X, 2 X, 2 X, 4 X, 4 X"), 0}},
        {{"explore", "step", "@2", "gave no answer within", numbersOfStep,
          with(with(twice, streams),
               {{"wrong-id", "reported a step of trial 1002, which it was not asked for", true}})},
         trial},
        {{"explore", "result", "@2", "gave no answer within", numbersOfResult,
          with(with(gauge, refusedNumbers),
               {{"wrong-id", "answered trial 1002, which it was not asked for", true},
                {"cancelled", cancelledUnasked, true},
                {"duplicate", "a late answer to trial 2 was left out"},
                {"stale", "a late answer to trial 1 was left out"},
                {"end-after", "ended"}})},
         {searched + QLatin1String("|1 ok, 2 ok, 4 crashed, 4 ok"), trial.once, trial.always}},
        {{"explore", "log", "@2", "gave no answer within", {}, twice}, trial},
        {{"explore", "error", "@2", "gave no answer within", {}, twice}, trial},
        {{"explore", "bye"}, {searched, searched, searched}},
    };
}

/// Returns the stations of the second process, which measures the recommended size again.
std::vector<EngineStation> stationsOfVerify()
{
    const QString verified = searched + QStringLiteral(", 4 ok");
    const Ends start{verified, verified, searched};
    const Ends trial{verified, searched + QLatin1String(", 4 X, 4 ok"),
                     searched + QLatin1String(", 4 X, 4 X, 2 ok"), 2};
    // The trial has already been requested by then. If no size survives that, none is recommended.
    const Ends lostImmediately{verified, trial.once,
                               searched + QLatin1String(", 4 X, 4 X, 2 X, 2 X, 1 X, 1 X"), 0};
    const std::vector<Particular> twice{{"duplicate", ""}, {"stale", ""}};
    return {
        {{"verify",
          "hello",
          "",
          "did not say hello",
          numbersOfHello,
          {{"duplicate", "said hello a second time", true},
           {"renamed /device/name", "runs on another device", true},
           {"hundredfold /device/total_bytes", "runs on another device", true},
           {"hundredfold /device/free_bytes", ""}}},
         start},
        {{"verify",
          "loaded",
          "",
          "did not load",
          numbersOfLoaded,
          {{"duplicate", "without being asked to", true}}},
         start,
         {{QStringLiteral("duplicate"), lostImmediately}, {QStringLiteral("end-after"), lostImmediately}}},
        {{"verify", "step", "@4", "gave no answer within", numbersOfStep,
          with(with(twice, streams), {{"wrong-id", "reported a step of trial 1004", true}})},
         trial},
        {{"verify", "result", "@4", "gave no answer within", numbersOfResult,
          with(with(gauge, refusedNumbers), {{"wrong-id", "answered trial 1004", true},
                                             {"cancelled", cancelledUnasked, true},
                                             {"duplicate", ""},
                                             {"end-after", ""}})},
         trial},
        {{"verify", "bye"}, {verified, verified, verified}},
    };
}

/// Returns the stations of the comparison that follows three trials, each of which reports five steps.
std::vector<EngineStation> stationsOfCompare()
{
    const QString compared = searched + QStringLiteral(", 4+2 ok");
    const QString broken = searched + QStringLiteral(", 4+2 X");
    const Ends ends{compared, broken, broken};
    const std::vector<Particular> twice{{"duplicate", ""}, {"stale", ""}};
    return {
        {{"compare", "step", "#16", "gave no answer within", numbersOfStep,
          with(with(twice, streams), {{"wrong-id", "reported a step of trial 1004", true}})},
         ends},
        {{"compare",
          "result",
          "#4",
          "gave no answer within",
          numbersOfComparison,
          {{"huge /compared/1/micro_batch_size", "compared a size of 9223372036854775807", true},
           {"tiny /compared/1/visits/0/seconds", refused, true},
           {"tiny /compared/1/visits/0/step_seconds/0", refused, true},
           {"hundredfold /compared/1/visits/0/step_seconds/0", refused, true},
           {"wrong-id", "answered trial 1004", true},
           {"cancelled", cancelledUnasked, true},
           {"duplicate", "a late answer to trial 4 was left out"},
           {"stale", "a late answer to trial 3 was left out"},
           {"end-after", ""}}},
         ends},
        {{"compare", "log", "#4", "gave no answer within", {}, twice}, ends},
    };
}

/// Replaces X in \p trials by the outcome that the fault causes.
QString withOutcome(const QString& trials, const LineFault& fault)
{
    return QString(trials).replace(QLatin1Char('X'),
                                   fault.isSilence() ? QLatin1String("timeout") : QLatin1String("crashed"));
}

Row rowOf(const EngineStation& at, const LineFault& fault, bool isAlways)
{
    const Ends ends = at.exceptions.value(fault.title(), at.ends);
    const QString trials = !fault.doesHarm ? ends.sound : isAlways ? ends.always : ends.once;
    return {.station = at.station,
            .fault = fault,
            .isAlways = isAlways,
            .trials = withOutcome(trials, fault),
            .recommended = fault.doesHarm && isAlways ? ends.recommendedAlways : 4};
}

bool is(const Row& row, const char* command)
{
    return row.station.command == QLatin1String(command);
}

Text wordsOf(const Row& row)
{
    QStringList words{row.fault.wordAt(row.station)};
    if (is(row, "verify") && row.station.message != QLatin1String("bye"))
        words << QStringLiteral("starts after=1") << (row.isAlways ? QString() : QStringLiteral("until=2"));
    else if (!row.isAlways)
        words << QStringLiteral("once");
    if (row.station.message == QLatin1String("log") || row.station.message == QLatin1String("error"))
        words << QStringLiteral("chat");
    return words.join(QLatin1Char(' '));
}

/// Shortens the timeouts of rows with a silent worker: long enough for a busy computer to start a process
/// where one must start, but short enough to wait for.
void shortenWaits(const Row& row, engine::WorkerTimeouts& timeouts)
{
    timeouts.quit = timeouts.terminate = 10s;
    if (!row.fault.isSilence())
        return;
    timeouts.quit = timeouts.terminate = 50ms;
    const auto aStart = row.isAlways && is(row, "explore") ? 300ms : 1500ms;
    if (row.station.message == QLatin1String("hello"))
        timeouts.startUp = aStart;
    else if (row.station.message == QLatin1String("loaded"))
        timeouts.load = aStart;
    else if (row.station.message != QLatin1String("bye"))
        // Reduces the time limit to 0.5 s, of a trial without a prediction and of one that took 1 s before.
        timeouts.trialGrace = is(row, "verify") ? -32'500ms : -299'500ms;
}

/// Whether a fault that occurs always shows more than one that occurs once. A comparison occurs only once, a
/// refused line is always refused, and silence takes its time.
bool isWorthRepeating(const Row& row)
{
    const bool isStart =
        row.station.message == QLatin1String("hello") || row.station.message == QLatin1String("loaded");
    const bool isLong = row.fault.name == QLatin1String("late") || (is(row, "verify") && isStart);
    return !is(row, "compare") && row.fault.number.isEmpty() && !(row.fault.isSilence() && isLong);
}

bool isAbout(double value, double expected)
{
    return std::abs(value - expected) <= 1e-9 * expected;
}

/// Returns what is wrong with the numbers of a successful trial, compared with the formulas of the fake
/// worker.
QString wrongNumberOf(const trial::TrialRecord& trial)
{
    const auto seconds = [](std::int64_t size) { return 0.01 + 0.001 * static_cast<double>(size); };
    if (trial.isComparison()) {
        for (const trial::ComparedRecord& size : trial.compared) {
            if (!isAbout(size.secondsPerStep.value_or(0.0), seconds(size.microBatchSize)) ||
                size.visits.size() != 4 ||
                size.peakReservedBytes != 100'000'000 + 10'000'000 * size.microBatchSize)
                return QStringLiteral("of the comparison at %1").arg(size.microBatchSize);
        }
        return {};
    }
    const double expected = seconds(trial.microBatchSize);
    if (!isAbout(trial.secondsPerStep.value_or(0.0), expected) ||
        !isAbout(trial.samplesPerSecond.value_or(0.0), static_cast<double>(trial.microBatchSize) / expected))
        return QStringLiteral("speed of %1").arg(trial.microBatchSize);
    if (trial.peakReservedBytes != 100'000'000 + 10'000'000 * trial.microBatchSize)
        return QStringLiteral("memory of %1").arg(trial.microBatchSize);
    if (trial.timedSteps != (trial.isVerification ? 5 : 3))
        return QStringLiteral("%1 steps of %2").arg(trial.timedSteps).arg(trial.microBatchSize);
    if (trial.joulesPerSample || trial.relativeError != 0.001)
        return QStringLiteral("energy or error of %1").arg(trial.microBatchSize);
    return {};
}

} // namespace

/// Tests the fault matrix of explorations, their verification and their comparisons: any fault of a worker
/// ends as docs/trial-protocol.md specifies, and no wrong number is accepted.
class FaultMatrixTest : public QObject
{
    Q_OBJECT

private slots:
    void endsAsSpecified_data()
    {
        const auto add = rows<Row>();
        for (const auto& stations : {stationsOfExplore(), stationsOfVerify(), stationsOfCompare()}) {
            for (const EngineStation& at : stations) {
                for (const LineFault& fault : faultsAt(at.station)) {
                    for (const bool isAlways : {false, true}) {
                        const Row row = rowOf(at, fault, isAlways);
                        if (!isAlways || isWorthRepeating(row))
                            add(QStringLiteral("%1 %2: %3, %4")
                                    .arg(at.station.command, at.station.message, fault.title(),
                                         isAlways ? QLatin1String("always") : QLatin1String("once"))
                                    .toStdString(),
                                row);
                    }
                }
            }
        }
    }
    void endsAsSpecified()
    {
        const auto& expected = row<Row>();
        ExplorationHarness harness(wordsOf(expected));
        shortenWaits(expected, harness.parts.timeouts);
        harness.options.verify = is(expected, "verify");
        if (is(expected, "compare"))
            harness.comparisons = {{4, 2}};
        QVERIFY2(harness.runToEnd(), qPrintable(harness.log()));

        const engine::Snapshot& snapshot = harness.snapshot();
        const QString log = harness.log();
        QVERIFY2(expected.trials.split(QLatin1Char('|')).contains(harness.trials()),
                 qPrintable(harness.trials() + QLatin1String(" is not ") + expected.trials +
                            QLatin1Char('\n') + log));
        VERIFY_CONTAINS(log, expected.fault.said);
        const auto& best = snapshot.searchState.recommendation;
        QCOMPARE(best ? best->size : 0, expected.recommended);
        const bool hasFailed = expected.recommended == 0;
        QVERIFY2(snapshot.finish == (hasFailed ? FinishStatus::Failed : FinishStatus::Exhausted),
                 qPrintable(log));
        QCOMPARE(snapshot.failure.isEmpty(), !hasFailed);
        if (hasFailed)
            VERIFY_CONTAINS(snapshot.failure, expected.fault.said);
        if (snapshot.verification)
            QCOMPARE(snapshot.verification->outcome == engine::Verification::Outcome::Confirmed,
                     !hasFailed && harness.trials() != searched);
        for (const trial::TrialRecord& trial : snapshot.trials) {
            if (trial.outcome == trial::Outcome::Ok)
                QCOMPARE(wrongNumberOf(trial), QString());
        }
        QCOMPARE(harness.finishedSignals(), 1);
        QVERIFY(harness.isNoWorkerLeft());
    }

    void cleanup()
    {
        if (const auto* const tag = QTest::currentDataTag(); tag)
            m_table.add(row<Row>().station, row<Row>().fault, !QTest::currentTestFailed());
    }

    void cleanupTestCase() { std::printf("%s\n", qPrintable(m_table.text())); }

private:
    test::FaultTable m_table;
};

BATCHPEAK_TEST(FaultMatrixTest)
#include "tst_fault_matrix.moc"
