// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "options/option_table.h"
#include "plan/plan_forecast.h"
#include "store/exploration_store.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <functional>
#include <memory>

using namespace batchpeak;
using namespace batchpeak::engine;
using search::Estimate;
using test::row;
using test::rows;
using test::Text;

namespace {

const QByteArray text = "batchpeak: 1\n"
                        "model:\n"
                        "  family: gpt2\n"
                        "  layers: 2\n"
                        "  hidden_size: 64\n"
                        "  heads: 2\n"
                        "  key_value_heads: 2\n"
                        "  feed_forward_size: 256\n"
                        "  vocabulary_size: 512\n"
                        "  max_positions: 64\n"
                        "batch_size: 48\n"
                        "micro_batch_size: explore\n";

struct Past
{
    std::function<void(store::ExplorationInfo&)> change;
    QString device = QStringLiteral("A");
    QString status = QStringLiteral("confident");
    bool hasSeconds = true;
    bool isAsLastTime = true;
    bool isSameRun = false;
    QStringList words;
    qint64 limitBytes = 0;
};

/// Makes an exploration of the config one of the very same run.
void makeSameRun(store::ExplorationInfo& info, const RunDescription& run)
{
    info.loadRequest = run.loadRequest;
    info.version = QStringLiteral(BATCHPEAK_VERSION);
}

struct Words
{
    PlanForecast forecast;
    QString text;
};

} // namespace

/// Tests the forecast of trials and time before anything runs.
class PlanForecastTest : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;

    QString history() const { return m_folder->filePath(QStringLiteral("history.sqlite")); }
    QString configPath() const { return m_folder->filePath(QStringLiteral("config.yaml")); }

    PlanPreview preview(const QStringList& words = {}) const
    {
        return previewOn(ConfigFile::open(configPath()), optionsFrom(words),
                         {.devices = {{.kind = "cpu", .name = "A", .freeBytes = std::int64_t{1} << 30}}});
    }

    /// Stores an exploration of the config with ten trials of 6 s.
    void keepExploration(const std::function<void(store::ExplorationInfo&)>& change, const QString& device,
                         const QString& status = QStringLiteral("confident"), bool isSameRun = false,
                         qint64 limitBytes = 0) const
    {
        const RunDescription run = preview().plan->run;
        store::ExplorationInfo info{.started = QDateTime::currentDateTimeUtc(),
                                    .filePath = configPath(),
                                    .family = run.family,
                                    .parameters = run.parameters,
                                    .phase = QStringLiteral("train"),
                                    .precision = QString::fromUtf8(model::toText(run.precision)),
                                    .optimizer = QString::fromUtf8(model::toText(run.optimizer)),
                                    .sequenceLength = run.sequenceLength,
                                    .globalBatchSize = run.plan.globalBatchSize,
                                    .configDevices = run.plan.devices,
                                    .setting = QString::fromStdString(config::toText(run.plan.setting)),
                                    .objective = QStringLiteral("micro"),
                                    .strategy = run.strategy,
                                    .tolerance = run.tolerance};
        if (isSameRun)
            makeSameRun(info, run);
        if (change)
            change(info);
        store::ExplorationStore store(history());
        const qint64 id = store.begin(info);
        store.addDevice(id, {.id = QStringLiteral("cpu"), .name = device, .limitBytes = limitBytes});
        for (int number = 1; number <= 10; ++number)
            store.addTrial(id, {.number = number,
                                .microBatchSize = number,
                                .outcome = trial::Outcome::Ok,
                                .wallSeconds = 6.0});
        store.addRecommendation(id, {.microBatchSize = 8});
        store.finish(id, {.finished = QDateTime::currentDateTimeUtc(), .status = status});
    }

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QFile file(configPath());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }

    void forecastsTrialsWithoutTimeIfNothingRan_data()
    {
        rows<Text, Estimate>(
            {{"one size", {"--setting,8", {.likely = 1, .low = 1, .high = 1}}},
             {"no more than allowed", {"--max-trials,2", {.likely = 2, .low = 2, .high = 2}}}});
    }
    void forecastsTrialsWithoutTimeIfNothingRan()
    {
        const auto& [words, trials] = row<Text, Estimate>();
        const PlanForecast forecast = planForecast(preview(words.split(QLatin1Char(','))), history());
        QCOMPARE(forecast.trials, trials);
        QVERIFY(!forecast.seconds && !forecast.maxSeconds);
        QVERIFY2(!QFile::exists(history()), "looking made a history");
    }

    void forecastsABandOfTrials_data()
    {
        rows<Text>({{"usual", {"--strategy,posterior"}}, {"another way", {"--strategy,ramp"}}});
    }
    void forecastsABandOfTrials()
    {
        const PlanForecast forecast = planForecast(preview(row<Text>().split(QLatin1Char(','))), {});
        QVERIFY(3 <= forecast.trials.low && forecast.trials.low < forecast.trials.likely &&
                forecast.trials.likely < forecast.trials.high);
        QVERIFY(forecast.trials.high <= forecast.maxTrials);
    }

    void learnsFromTheHistory_data()
    {
        using Info = store::ExplorationInfo;
        rows<Past>(
            {{"the same", {}},
             {"ended by its budget", {.status = QStringLiteral("budget"), .isAsLastTime = false}},
             {"with a part of the memory", {.isAsLastTime = false, .limitBytes = qint64{30} << 20}},
             {"with about as much memory", {.limitBytes = qint64{1000} << 20}},
             {"another device", {.device = QStringLiteral("B"), .hasSeconds = false, .isAsLastTime = false}},
             {"another network",
              {.change = [](Info& info) { ++info.parameters; }, .hasSeconds = false, .isAsLastTime = false}},
             {"another tolerance",
              {.change = [](Info& info) { info.tolerance = 0.05; }, .isAsLastTime = false}},
             {"another way",
              {.change = [](Info& info) { info.strategy = QStringLiteral("ramp"); }, .isAsLastTime = false}},
             {"the very same run", {.isAsLastTime = false, .isSameRun = true}},
             {"the same run by another version",
              {.change = [](Info& info) { info.version = QStringLiteral("0.0.1"); }, .isSameRun = true}},
             {"the same run, afresh", {.isSameRun = true, .words = {QStringLiteral("--fresh")}}}});
    }
    void learnsFromTheHistory()
    {
        const auto& past = row<Past>();
        const auto& [change, device, status, hasSeconds, isAsLastTime, isSameRun, words, limitBytes] = past;
        keepExploration(change, device, status, isSameRun, limitBytes);
        const PlanForecast forecast = planForecast(preview(words), history());
        QCOMPARE(forecast.seconds.has_value(), hasSeconds);
        QCOMPARE(forecast.isAsLastTime, isAsLastTime);
        QCOMPARE(forecast.isRecalled, isSameRun && !isAsLastTime);
        if (forecast.isRecalled)
            QVERIFY(forecast.trials.low >= 1.0 && forecast.trials.high < 10.0);
        if (isAsLastTime)
            QCOMPARE(forecast.trials.likely, 10.0);
        if (hasSeconds) {
            QCOMPARE(forecast.seconds->likely, 6.0 * forecast.trials.likely);
            QVERIFY(forecast.seconds->low < forecast.seconds->likely &&
                    forecast.seconds->likely < forecast.seconds->high);
        }
    }

    void staysWithinTheBudget()
    {
        keepExploration({}, QStringLiteral("A"));
        const PlanForecast forecast =
            planForecast(preview({QStringLiteral("--time-budget"), QStringLiteral("20s")}), history());
        QCOMPARE(*forecast.maxSeconds, 20.0);
        QCOMPARE(forecast.seconds->high, 20.0);
        QCOMPARE(forecast.seconds->likely, 20.0);
    }

    void ignoresAnUnreadableHistory()
    {
        QFile file(history());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(5000, 'x'));
        file.close();
        QVERIFY(!planForecast(preview(), history()).seconds);
    }

    void describesTheForecast_data()
    {
        const Estimate trials{.likely = 19.4, .low = 8.2, .high = 41.0};
        const Estimate seconds{.likely = 170.0, .low = 118.0, .high = 250.0};
        const auto text = [](const char* words) { return QString::fromUtf8(words); };
        rows<Words>(
            {{"trials alone",
              {{.trials = trials, .maxTrials = 64}, text("About 19 trials (8 to 41, at most 64).")}},
             {"one", {{.trials = {.likely = 1, .low = 1, .high = 1}, .maxTrials = 64}, text("1 trial.")}},
             {"few",
              {{.trials = {.likely = 2, .low = 2, .high = 2}, .maxTrials = 2}, text("About 2 trials.")}},
             {"two phases",
              {{.trials = {.likely = 2, .low = 2, .high = 2}, .isForEachPhase = true, .maxTrials = 2},
               text("About 2 trials for each phase.")}},
             {"as last time",
              {{.trials = trials, .maxTrials = 64, .seconds = seconds, .isAsLastTime = true},
               text("About 19 trials (8 to 41, at most 64). 2 min to 4 min, as last time here.")}},
             {"by another question",
              {{.trials = trials, .maxTrials = 64, .seconds = seconds},
               text(
                   "About 19 trials (8 to 41, at most 64). 2 min to 4 min, estimated from an earlier run.")}},
             {"an earlier run counts",
              {{.trials = trials, .maxTrials = 64, .seconds = seconds, .isRecalled = true},
               text("About 19 trials (8 to 41, at most 64). 2 min to 4 min, because trials of an earlier run "
                    "count.")}},
             {"a budget",
              {{.trials = trials, .maxTrials = 64, .maxSeconds = 600.0},
               text("About 19 trials (8 to 41, at most 64). No longer than 10 min.")}}});
    }
    void describesTheForecast()
    {
        const auto& [forecast, text] = row<Words>();
        QCOMPARE(planForecastText(forecast), text);
    }
};

BATCHPEAK_TEST(PlanForecastTest)
#include "tst_plan_forecast.moc"
