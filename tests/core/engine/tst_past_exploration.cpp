// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/past_exploration.h"
#include "store/exploration_store.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <functional>
#include <memory>

using namespace batchpeak;

using ChangeRun = std::function<void(engine::RunDescription&)>;
using ChangePath = std::function<QString(const QDir&)>;

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

/// What the history keeps of an exploration of runOf().
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

    void thereIsNoneWithoutAHistory()
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

    void asksForAnEndAndARecommendation()
    {
        keep(infoOf(config()), 4);
        {
            store::ExplorationStore store(history());
            // One that was cut off, and one that ended without.
            store.addRecommendation(store.begin(infoOf(config())), {.microBatchSize = 16});
            store.finish(store.begin(infoOf(config())), {.status = QStringLiteral("nothing_fits")});
        }
        QCOMPARE(find(runOf(config()))->summary.recommendation->microBatchSize, 4);
    }

    void asksForASearch_data()
    {
        rows<Text, bool>({{"explore", {"explore", true}},
                          {"between bounds", {"{explore: {min: 2}}", true}},
                          {"auto", {"auto", true}},
                          {"one size", {"20", false}},
                          {"the whole batch", {"null", false}}});
    }
    void asksForASearch()
    {
        const auto& [setting, isFound] = row<Text, bool>();
        store::ExplorationInfo info = infoOf(config());
        info.setting = setting;
        keep(info, 4);
        QCOMPARE(find(runOf(config())).has_value(), isFound);
    }

    void asksForTheSame_data()
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
    void asksForTheSame()
    {
        const auto& change = row<ChangeRun>();
        keep(infoOf(config()), 4);
        engine::RunDescription run = runOf(config());
        QVERIFY(find(run));
        change(run);
        QVERIFY(!find(run));
    }

    void takesAnOlderProgramsExplorationForTheSame()
    {
        store::ExplorationInfo info = infoOf(config());
        info.fidelity = {};
        keep(info, 4);
        QVERIFY(find(runOf(config())));
    }

    void knowsTheDeviceByIdOrName_data()
    {
        rows<Text, bool>({{"id", {"cuda:1", true}},
                          {"name", {"Some GPU", true}},
                          {"another one", {"cuda:0", false}},
                          {"none", {"", false}}});
    }
    void knowsTheDeviceByIdOrName()
    {
        const auto& [device, isFound] = row<Text, bool>();
        keep(infoOf(config()), 4);
        QCOMPARE(engine::pastExploration(history(), runOf(config()), device).has_value(), isFound);
    }

    void knowsTheFileByAnyPath_data()
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
    void knowsTheFileByAnyPath()
    {
        const auto& path = row<ChangePath>();
        QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("here")));
        keep(infoOf(config()), 4);
        QVERIFY(find(runOf(path(QDir(m_folder->path())))));
    }

    void doesNotGuessWhatAnOldRelativePathMeant()
    {
        keep(infoOf(QStringLiteral("config.yaml")), 4);
        QVERIFY(!find(runOf(QStringLiteral("config.yaml"))));
    }

    void saysWhereTheHistoryCannotBeRead()
    {
        QFile file(history());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(5000, 'x'));
        file.close();
        QVERIFY_EXCEPTION_THROWN(find(runOf(config())), store::StoreError);
    }

private:
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
