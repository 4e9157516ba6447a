// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/past_exploration.h"
#include "history/search_journal.h"
#include "store/exploration_store.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>

using namespace batchpeak;

using ChangeRun = std::function<void(engine::RunDescription&)>;
using ChangePath = std::function<QString(const QDir&)>;
using ChangeKept = std::function<void(store::ExplorationInfo&, store::DeviceRecord&)>;

namespace {

engine::RunDescription runOf(const QString& file)
{
    engine::RunDescription run{.filePath = file,
                               .family = QStringLiteral("gpt2"),
                               .parameters = 1000,
                               .precision = model::Precision::Bf16,
                               .sequenceLength = 128};
    run.plan.globalBatchSize = 64;
    run.plan.devices = 2;
    return run;
}

/// Returns the record that the history keeps of an exploration of runOf().
store::ExplorationInfo infoOf(const QString& file)
{
    return {.started = QDateTime::currentDateTimeUtc(),
            .filePath = file,
            .family = QStringLiteral("gpt2"),
            .parameters = 1000,
            .phase = QStringLiteral("train"),
            .precision = QStringLiteral("bf16"),
            .optimizer = QStringLiteral("adamw"),
            .sequenceLength = 128,
            .globalBatchSize = 64,
            .configDevices = 2,
            .fidelity = {.kind = QStringLiteral("as_configured"), .reasons = {}, .replaced = {}}};
}

/// An earlier trial under a memory limit [bytes], and whether its outcome still holds.
struct PastTrial
{
    trial::Outcome outcome = trial::Outcome::Ok;
    qint64 limit = 0;
    search::Measurement flags = {};
    bool holds = true;
};

} // namespace

class PastExplorationTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(QFile(config()).open(QIODevice::WriteOnly));
    }

    void findsNothingWithoutAHistory()
    {
        QVERIFY(!find(runOf(config())));
        QVERIFY2(!QFile::exists(history()), "looking made a history");
    }

    void findsTheNewest()
    {
        keep(infoOf(config()), 4);
        keep(infoOf(config()), 8);
        const auto found = find(runOf(config()));
        QVERIFY(found);
        QCOMPARE(found->summary.recommendation->microBatchSize, 8);
        QCOMPARE(found->trials.size(), std::size_t{1});
    }

    void requiresAnEndAndARecommendation()
    {
        keep(infoOf(config()), 4);
        {
            store::ExplorationStore store(history());
            // One exploration was interrupted, and one ended without a recommendation.
            store.addRecommendation(store.begin(infoOf(config())), {.microBatchSize = 16});
            store.finish(store.begin(infoOf(config())), {.status = QStringLiteral("nothing_fits")});
        }
        QCOMPARE(find(runOf(config()))->summary.recommendation->microBatchSize, 4);
    }

    void requiresASearch_data()
    {
        rows<Text, bool>({{"explore", {"explore", true}},
                          {"between bounds", {"{explore: {min: 2}}", true}},
                          {"auto", {"auto", true}},
                          {"one size", {"20", false}},
                          {"the whole batch", {"null", false}}});
    }
    void requiresASearch()
    {
        const auto& [setting, isFound] = row<Text, bool>();
        store::ExplorationInfo info = infoOf(config());
        info.setting = setting;
        keep(info, 4);
        QCOMPARE(find(runOf(config())).has_value(), isFound);
    }

    void requiresTheSameRun_data()
    {
        using Run = engine::RunDescription;
        rows<ChangeRun>({{"file", [](Run& run) { run.filePath += QLatin1Char('2'); }},
                         {"network", [](Run& run) { run.family = QStringLiteral("llama"); }},
                         {"parameters", [](Run& run) { ++run.parameters; }},
                         {"phase", [](Run& run) { run.phase = model::Phase::Eval; }},
                         {"precision", [](Run& run) { run.precision = model::Precision::Fp32; }},
                         {"optimizer", [](Run& run) { run.optimizer = model::Optimizer::Sgd; }},
                         {"sequence length", [](Run& run) { run.sequenceLength *= 2; }},
                         {"tuning", [](Run& run) { run.tuning.trainedParts = {"output."}; }},
                         {"what a person has replaced",
                          [](Run& run) { run.fidelity.addReplaced("another attention kernel"); }},
                         {"batch", [](Run& run) { ++run.plan.globalBatchSize; }},
                         {"devices", [](Run& run) { ++run.plan.devices; }}});
    }
    void requiresTheSameRun()
    {
        const auto& change = row<ChangeRun>();
        keep(infoOf(config()), 4);
        engine::RunDescription run = runOf(config());
        QVERIFY(find(run));
        change(run);
        QVERIFY(!find(run));
    }

    void prefersTheSameProgram()
    {
        engine::RunDescription run = runOf(config());
        run.command = QStringList{QStringLiteral("--with"), QStringLiteral("python")};
        store::ExplorationInfo info = infoOf(config());
        info.command = run.command;
        keep(info, 4);
        keep(infoOf(config()), 8);
        QCOMPARE(find(run)->summary.recommendation->microBatchSize, 4);
        QCOMPARE(find(runOf(config()))->summary.recommendation->microBatchSize, 8);
        // An exploration with another program is better than none.
        run.command = QStringList{QStringLiteral("--with"), QStringLiteral("python=/p")};
        QCOMPARE(find(run)->summary.recommendation->microBatchSize, 8);
    }

    void acceptsAnExplorationOfAnOlderProgram()
    {
        store::ExplorationInfo info = infoOf(config());
        info.fidelity = {};
        keep(info, 4);
        QVERIFY(find(runOf(config())));
    }

    void recognizesTheDeviceByIdOrName_data()
    {
        rows<Text, bool>({{"id", {"cuda:1", true}},
                          {"name", {"Some GPU", true}},
                          {"another one", {"cuda:0", false}},
                          {"none", {"", false}}});
    }
    void recognizesTheDeviceByIdOrName()
    {
        const auto& [device, isFound] = row<Text, bool>();
        keep(infoOf(config()), 4);
        QCOMPARE(engine::pastExploration(history(), runOf(config()), device).has_value(), isFound);
    }

    void recognizesTheFileByAnyPath_data()
    {
        rows<ChangePath>(
            {{"with dots",
              [](const QDir& folder) { return folder.filePath(QStringLiteral("here/../config.yaml")); }},
             {"from the present folder",
              [](const QDir& folder) {
                  return QDir::current().relativeFilePath(folder.filePath(QStringLiteral("config.yaml")));
              }},
             {"through a link", [](const QDir& folder) {
                  const QString link = folder.filePath(QStringLiteral("link.yaml"));
                  QFile::link(folder.filePath(QStringLiteral("config.yaml")), link);
                  return link;
              }}});
    }
    void recognizesTheFileByAnyPath()
    {
        const auto& path = row<ChangePath>();
        QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("here")));
        keep(infoOf(config()), 4);
        QVERIFY(find(runOf(path(QDir(m_folder->path())))));
    }

    void ignoresAnOldRelativePath()
    {
        keep(infoOf(QStringLiteral("config.yaml")), 4);
        QVERIFY(!find(runOf(QStringLiteral("config.yaml"))));
    }

    void throwsIfTheHistoryCannotBeRead()
    {
        QFile file(history());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(5000, 'x'));
        file.close();
        QVERIFY_EXCEPTION_THROWN(find(runOf(config())), store::StoreError);
    }

    void recallsOnlyTheSameRun_data()
    {
        using Info = store::ExplorationInfo;
        using Device = store::DeviceRecord;
        rows<ChangeKept, bool>(
            {{"all alike", {[](Info&, Device&) {}, true}},
             {"other bounds",
              {[](Info& info, Device&) {
                   info.command = {QStringLiteral("--max"), QStringLiteral("8")};
               },
               true}},
             {"another goal",
              {[](Info& info, Device&) { info.objective = QStringLiteral("effective"); }, true}},
             {"another place of the device",
              {[](Info&, Device& device) { device.id = QStringLiteral("cuda:5"); }, true}},
             {"another run", {[](Info& info, Device&) { info.loadRequest += QStringLiteral(" "); }, false}},
             {"a run that is not kept", {[](Info& info, Device&) { info.loadRequest.clear(); }, false}},
             {"another version",
              {[](Info& info, Device&) { info.version = QStringLiteral("0.0.1"); }, false}},
             {"another worker",
              {[](Info& info, Device&) {
                   info.command = {QStringLiteral("--worker"), QStringLiteral("mine")};
               },
               false}},
             {"another computer",
              {[](Info& info, Device&) {
                   info.command = {QStringLiteral("--launcher"), QStringLiteral("ssh a")};
               },
               false}},
             {"one size", {[](Info& info, Device&) { info.setting = QStringLiteral("20"); }, false}},
             {"another device",
              {[](Info&, Device& device) { device.name = QStringLiteral("Other GPU"); }, false}},
             {"another one of its kind",
              {[](Info&, Device& device) { device.uuid = QStringLiteral("GPU-2"); }, false}},
             {"another driver",
              {[](Info&, Device& device) { device.driver = QStringLiteral("600.1"); }, false}},
             {"another torch",
              {[](Info&, Device& device) { device.framework = QStringLiteral("torch 3"); }, false}},
             {"another program",
              {[](Info&, Device& device) { device.program = QStringLiteral("mine 1.0"); }, false}}});
    }
    void recallsOnlyTheSameRun()
    {
        const auto& [change, isRecalled] = row<ChangeKept, bool>();
        store::ExplorationInfo info = recallableInfo();
        store::DeviceRecord device = recallableDevice();
        change(info, device);
        keepSearch(info, {device}, {ran(4)});
        QCOMPARE(recall().has_value(), isRecalled);
    }

    void recallsNothingOfMoreDevices()
    {
        keepSearch(recallableInfo(), {recallableDevice(), recallableDevice()}, {ran(4)});
        QVERIFY(!recall());
    }

    void recallsTrialsThatStillHold_data()
    {
        using trial::Outcome;
        // The current memory limit is 800 bytes.
        rows<PastTrial>(
            {{"ran", {Outcome::Ok, 400}},
             {"out of as much memory", {Outcome::OutOfMemory, 800}},
             {"out of more memory", {Outcome::OutOfMemory, 900}},
             {"out of less memory", {Outcome::OutOfMemory, 700, {}, false}},
             {"thrashed", {Outcome::Ok, 900, {.thrashes = true}, false}},
             {"unsupported", {Outcome::Unsupported, 400}},
             {"crashed in verifications", {Outcome::Unsupported, 400, {.isVerification = true}, false}},
             {"too slow", {Outcome::Timeout, 800, {}, false}},
             {"crashed", {Outcome::Crashed, 800, {}, false}}});
    }
    void recallsTrialsThatStillHold()
    {
        const auto& [outcome, limit, flags, holds] = row<PastTrial>();
        store::DeviceRecord device = recallableDevice();
        device.limitBytes = limit;
        search::Measurement second = ran(64);
        second.outcome = outcome;
        second.thrashes = flags.thrashes;
        second.isVerification = flags.isVerification;
        keepSearch(recallableInfo(), {device}, {ran(4), second});
        const auto recalled = recall();
        QVERIFY(recalled);
        QCOMPARE(recalled->measurements.size(), std::size_t{holds ? 2U : 1U});
    }

    void shiftsTheClock()
    {
        search::Measurement compared = ran(4);
        compared.clockSeconds = 90.0;
        compared.compared = {{.microBatchSize = 4, .visits = {{80.0, 1.0, {0.1}}}}};
        keepSearch(recallableInfo(), {recallableDevice()}, {compared});
        const auto recalled = recall();
        QVERIFY(recalled && recalled->exploration == 1);
        // The search received the trial at 100 s of its clock, an hour ago.
        const double clock = recalled->measurements.front().clockSeconds;
        QVERIFY2(clock <= -3610.0 && clock > -3700.0, qPrintable(QString::number(clock)));
        const double visit = recalled->measurements.front().compared.front().visits.front().clockSeconds;
        QCOMPARE(visit, clock - 10.0);
        QVERIFY(recalled->age >= std::chrono::hours(1) && recalled->age < std::chrono::minutes(62));
    }

    // If an exploration recalled an earlier one, the trials of both are recalled, unless they contradict each
    // other.
    void recallsRecalledTrials_data()
    {
        rows<double, std::vector<std::int64_t>>(
            {{"alike", {0.1, {8, 2, 4}}}, {"another device", {0.3, {2, 4}}}});
    }
    void recallsRecalledTrials()
    {
        const auto& [seconds, sizes] = row<double, std::vector<std::int64_t>>();
        search::Measurement now = ran(4);
        now.secondsPerStep = seconds;
        std::vector<search::Measurement> before{ran(8)};
        if (seconds > 0.1)
            before.push_back(ran(4));
        for (search::Measurement& measurement : before)
            measurement.exploration = 5;
        keepSearch(recallableInfo(), {recallableDevice()}, {ran(2), now}, before);
        std::vector<std::int64_t> found;
        const auto recalled = recall();
        QVERIFY(recalled);
        for (const search::Measurement& measurement : recalled->measurements) {
            found.push_back(measurement.size);
            QCOMPARE(measurement.exploration, measurement.size == 8 ? 5 : 1);
        }
        QCOMPARE(found, sizes);
    }

    void recallsEachSizeBeforeRepetitions()
    {
        std::vector<search::Measurement> measurements;
        for (std::int64_t size = 1; size <= 20; ++size)
            measurements.push_back(ran(size));
        for (int again = 0; again < 200; ++again)
            measurements.push_back(ran(7));
        keepSearch(recallableInfo(), {recallableDevice()}, measurements);
        const auto recalled = recall();
        QVERIFY(recalled);
        QVERIFY(recalled->measurements.size() < 100);
        for (std::int64_t size = 1; size <= 20; ++size)
            QVERIFY(std::ranges::count(recalled->measurements, size, &search::Measurement::size) > 0);
    }

    void recallsNothingOfAChangedProgram_data()
    {
        rows<Text, bool>({{"as it was", {"", true}},
                          {"changed", {"step.py", false}},
                          {"a file next to it changed", {"network.py", false}},
                          {"another file changed", {"notes.txt", true}}});
    }
    void recallsNothingOfAChangedProgram()
    {
        const auto& [changed, isRecalled] = row<Text, bool>();
        const auto touch = [this](const QString& name, const QDateTime& time) {
            QFile file(m_folder->filePath(name));
            QVERIFY(file.open(QIODevice::ReadWrite));
            QVERIFY(file.setFileTime(time, QFileDevice::FileModificationTime));
        };
        const QDateTime now = QDateTime::currentDateTimeUtc();
        for (const char* name : {"step.py", "network.py", "notes.txt"})
            touch(QLatin1String(name), now.addDays(-1));
        if (!changed.isEmpty())
            touch(changed, now.addSecs(60));
        const QStringList command{QStringLiteral("--worker"),
                                  QStringLiteral("python3 ") + m_folder->filePath(QStringLiteral("step.py"))};
        store::ExplorationInfo info = recallableInfo();
        info.command = command;
        keepSearch(info, {recallableDevice()}, {ran(4)});
        QCOMPARE(recall(command).has_value(), isRecalled);
    }

    void recallsNothingOfAChangedModule()
    {
        QVERIFY(recallsWithModuleOf(-3600));
        QVERIFY(!recallsWithModuleOf(60));
    }

    void recallsNothingIfATrialIsImpossible_data()
    {
        using M = search::Measurement;
        const auto changed = [](const auto& change) {
            M measurement = ran(4);
            change(measurement);
            return measurement;
        };
        rows<M>({{"a step of no time", {changed([](M& m) { m.stepSeconds = {0.0}; })}},
                 {"a size below 0", {changed([](M& m) { m.size = -4; })}},
                 {"a visit without steps",
                  {changed([](M& m) { m.compared = {{.microBatchSize = 4, .visits = {{}}}}; })}},
                 {"a compared size of 0", {changed([](M& m) {
                      m.compared = {{.microBatchSize = 0, .visits = {{1.0, 1.0, {0.1}}}}};
                  })}},
                 {"more bytes than there are", {changed([](M& m) { m.peakReservedBytes = INT64_MAX; })}},
                 {"a clock beyond all years", {changed([](M& m) { m.clockSeconds = 1e300; })}}});
    }
    void recallsNothingIfATrialIsImpossible()
    {
        keepSearch(recallableInfo(), {recallableDevice()}, {ran(8), row<search::Measurement>()});
        QVERIFY(!recall());
    }

    void recallsNothingOfALaterVersion()
    {
        keepSearch(recallableInfo(), {recallableDevice()}, {ran(4)});
        store::ExplorationStore(history()).addSearchCalls(1, {R"({"call": "burn"})"});
        QVERIFY(!recall());
    }

private:
    static search::Measurement ran(std::int64_t size)
    {
        return {.size = size, .outcome = trial::Outcome::Ok, .secondsPerStep = 0.1, .stepSeconds = {0.1}};
    }

    store::ExplorationInfo recallableInfo() const
    {
        store::ExplorationInfo info = infoOf(config());
        info.setting = QStringLiteral("explore");
        info.version = QStringLiteral(BATCHPEAK_VERSION);
        info.loadRequest = QStringLiteral("{}");
        return info;
    }
    static store::DeviceRecord recallableDevice()
    {
        return {.id = QStringLiteral("cuda:1"),
                .name = QStringLiteral("Some GPU"),
                .program = QStringLiteral("batchpeak-worker 0.1.0"),
                .limitBytes = 800,
                .framework = QStringLiteral("torch 2.11.0"),
                .uuid = QStringLiteral("GPU-1"),
                .driver = QStringLiteral("550.1")};
    }

    /// Stores an exploration of an hour ago.
    void keepSearch(const store::ExplorationInfo& info, const std::vector<store::DeviceRecord>& devices,
                    const std::vector<search::Measurement>& measurements,
                    std::vector<search::Measurement> recalled = {}) const
    {
        const std::int64_t time = QDateTime::currentMSecsSinceEpoch() - 3'600'000;
        const auto withTime = [time](engine::PlannerCall call) {
            call.clockSeconds = 100.0;
            call.time = time;
            return engine::toText(call);
        };
        store::ExplorationStore store(history());
        const qint64 id = store.begin(info);
        store.setSearchSpace(
            id, engine::toText(search::SearchSpace{.memoryLimitBytes = devices.front().limitBytes}));
        for (std::size_t device = 0; device < devices.size(); ++device) {
            store::DeviceRecord record = devices[device];
            record.id += QString::number(device);
            store.addDevice(id, record);
        }
        using Kind = engine::PlannerCall::Kind;
        if (!recalled.empty())
            store.addSearchCalls(id, {withTime({.kind = Kind::Recall, .recalled = std::move(recalled)})});
        for (const search::Measurement& measurement : measurements)
            store.addSearchCalls(id, {withTime({.kind = Kind::TrialEnded, .measurement = measurement})});
        store.addRecommendation(id, {.microBatchSize = 4});
        store.finish(id,
                     {.finished = QDateTime::currentDateTimeUtc(), .status = QStringLiteral("confident")});
    }

    /// Whether an exploration is recalled if its module was changed that many seconds after it.
    bool recallsWithModuleOf(int seconds) const
    {
        const QString module = m_folder->filePath(QStringLiteral("module.pt"));
        QFile file(module);
        store::ExplorationInfo info = recallableInfo();
        if (!file.open(QIODevice::ReadWrite) ||
            !file.setFileTime(info.started.addSecs(seconds), QFileDevice::FileModificationTime))
            return false;
        keepSearch(info, {recallableDevice()}, {ran(4)});
        return recall({}, module).has_value();
    }

    std::optional<engine::RecalledTrials> recall(const QStringList& command = {},
                                                 const QString& module = {}) const
    {
        const store::DeviceRecord device = recallableDevice();
        engine::RunDescription run = runOf(config());
        run.loadRequest = QStringLiteral("{}");
        run.command = command;
        run.codePath = module;
        return engine::recalledTrials(history(), run,
                                      {{.id = QStringLiteral("cuda:0"),
                                        .name = device.name,
                                        .limitBytes = 800,
                                        .program = device.program,
                                        .framework = device.framework,
                                        .uuid = device.uuid,
                                        .driver = device.driver}},
                                      800);
    }

    QString config() const { return m_folder->filePath(QStringLiteral("config.yaml")); }
    QString history() const { return m_folder->filePath(QStringLiteral("history.sqlite")); }

    std::optional<store::StoredExploration> find(const engine::RunDescription& run) const
    {
        return engine::pastExploration(history(), run, QStringLiteral("cuda:1"));
    }

    void keep(const store::ExplorationInfo& info, qint64 recommended) const
    {
        store::ExplorationStore store(history());
        const qint64 id = store.begin(info);
        store.addDevice(id, {.id = QStringLiteral("cuda:1"), .name = QStringLiteral("Some GPU")});
        store.addTrial(id, {.number = 1, .microBatchSize = recommended, .outcome = trial::Outcome::Ok});
        store.addRecommendation(id, {.microBatchSize = recommended});
        store.finish(id,
                     {.finished = QDateTime::currentDateTimeUtc(), .status = QStringLiteral("confident")});
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

BATCHPEAK_TEST(PastExplorationTest)
#include "tst_past_exploration.moc"
