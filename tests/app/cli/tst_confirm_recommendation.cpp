// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/command.h"
#include "cli/commands/confirm_recommendation.h"
#include "cli/console.h"
#include "engine/exploration_recorder.h"
#include "program_run.h"
#include "store/exploration_store.h"
#include "support/event_spy.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QBuffer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <memory>

using namespace batchpeak;

namespace {

constexpr int longestRunMilliseconds = 30000;

struct CloseFile
{
    void operator()(std::FILE* file) const { std::fclose(file); }
};

} // namespace

/// Tests the confirmation of explorations of an example on the fake worker, which are stored in a separate
/// history.
class ConfirmRecommendationTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        // The history is in this folder.
        qputenv("XDG_DATA_HOME", m_folder->path().toUtf8());
        m_options = {};
        m_options.run.devices = QStringList{QStringLiteral("cpu")};
        m_events.close();
        m_events.setData({});
    }

    void confirmsWhatWasExplored()
    {
        explore();
        QCOMPARE(confirm(), cli::exitCode::success);
        QVERIFY2(m_said.contains(QStringLiteral("confirming what exploration 1 of")), qPrintable(m_said));
        QVERIFY2(m_said.contains(QStringLiteral("ERROR")), qPrintable(m_said));
        QVERIFY2(m_said.contains(QStringLiteral("Confirmed: at a batch of")), qPrintable(m_said));
    }

    void writesEvents()
    {
        explore();
        confirm();
        const std::vector<QJsonObject> events = eventsIn(m_events.data());
        QCOMPARE(events.size(), std::size_t{2});
        for (const QJsonObject& event : events) {
            QCOMPARE(nameOf(event), QStringLiteral("confirmation"));
            QCOMPARE(event.value(QStringLiteral("schema")).toInt(), 1);
            QCOMPARE(event.value(QStringLiteral("recommended")).toBool(), &event == &events.front());
            QCOMPARE(event.value(QStringLiteral("steps")).toInt(), 3);
            // The fake worker trains exactly as fast as its trials say.
            QVERIFY(std::abs(event.value(QStringLiteral("miscorrelation")).toDouble(1.0)) < 0.02);
            QVERIFY(event.value(QStringLiteral("predicted_samples_per_second")).toDouble() > 0.0);
            QVERIFY(event.value(QStringLiteral("peak_reserved_bytes")).toDouble() > 0.0);
        }
    }

    void endsWithTheRightCode_data()
    {
        rows<const char*, int, const char*>(
            {{"memory ran out at both",
              {"batch=oom", cli::exitCode::nothingFits,
               "Memory ran out in whole steps of the recommended size"}},
             {"a crash", {"batch=abort#2", cli::exitCode::noTrials, ""}},
             {"no start", {"start=exit", cli::exitCode::noTrials, ""}},
             {"no training", {"training=unknown", cli::exitCode::noTrials, ""}}});
    }
    void endsWithTheRightCode()
    {
        const auto& [behavior, code, message] = row<const char*, int, const char*>();
        explore();
        QCOMPARE(confirm(behavior), code);
        QVERIFY2(m_said.contains(QLatin1String(message)), qPrintable(m_said));
    }

    void endsAfterTheStepAtASignal()
    {
        explore();
        QTimer::singleShot(0, this, [] { std::raise(SIGINT); });
        QCOMPARE(confirm("pause=50"), cli::exitCode::interrupted);
        QVERIFY2(m_said.contains(QStringLiteral("nothing is confirmed")), qPrintable(m_said));
    }

    void asksForAnExplorationFirst()
    {
        const QString sentence = complaintAbout([this] { confirm(); });
        QVERIFY2(sentence.contains(QStringLiteral("run `batchpeak explore")), qPrintable(sentence));
        QVERIFY2(sentence.contains(m_example), qPrintable(sentence));
    }

    void asksForAnotherExplorationIfNothingCanBePredicted()
    {
        explore();
        {
            // A program that reports no times leaves such an exploration.
            store::ExplorationStore history(store::ExplorationStore::defaultPath());
            auto past = *history.show(1);
            const qint64 id = history.begin(past.summary.info);
            history.addDevice(id, past.devices.front());
            history.addRecommendation(id, *past.summary.recommendation);
            history.finish(id, *past.summary.end);
        }
        QVERIFY_EXCEPTION_THROWN(confirm(), cli::UsageError);
    }

private:
    static QString worker(const char* behavior)
    {
        return QStringLiteral(BATCHPEAK_FAKE_WORKER " ") + QString::fromLatin1(behavior);
    }

    void explore()
    {
        const auto file = engine::ConfigFile::open(m_example);
        engine::Exploration exploration;
        engine::ExplorationRecorder recorder(exploration, store::ExplorationStore::defaultPath());
        exploration.load(file.path(), file.contents(),
                         {.devices = m_options.run.devices, .workerCommand = worker("")});
        test::EventSpy<engine::Finished> finished(exploration);
        exploration.start();
        QVERIFY(finished.count() > 0 || finished.wait(longestRunMilliseconds));
        QVERIFY(exploration.snapshot().searchState.recommendation);
    }

    int confirm(const char* behavior = "")
    {
        const auto file = engine::ConfigFile::open(m_example);
        m_options.run.workerCommand = worker(behavior);
        const std::unique_ptr<std::FILE, CloseFile> answers(std::tmpfile());
        cli::Console console(answers.get());
        m_events.open(QIODevice::WriteOnly);
        const int code = cli::confirmRecommendation(
            file, m_options, {.steps = 3, .events = [this] { return &m_events; }}, console);
        QFile message;
        std::rewind(answers.get());
        message.open(answers.get(), QIODevice::ReadOnly);
        m_said = QString::fromUtf8(message.readAll());
        return code;
    }

    const QString m_example = examplePath("gpt2-tiny.yaml");
    std::unique_ptr<QTemporaryDir> m_folder;
    training::TrainingOptions m_options;
    QBuffer m_events;
    QString m_said;
};

BATCHPEAK_TEST(ConfirmRecommendationTest)
#include "tst_confirm_recommendation.moc"
