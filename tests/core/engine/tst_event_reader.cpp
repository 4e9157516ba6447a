// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/event_log.h"
#include "engine/event_reader.h"
#include "engine/snapshot_fields.h"
#include "engine/state_log.h"
#include "exploration_harness.h"
#include "support/event_schema.h"
#include "support/events_in.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QBuffer>
#include <QFile>
#include <QJsonDocument>
#include <QTest>

#include <algorithm>
#include <variant>

using namespace batchpeak;
using engine::EventReader;
using test::ExplorationHarness;

namespace {

/// Returns everything that a watched snapshot has, in lines.
QList<QByteArray> everything(const engine::Snapshot& snapshot)
{
    QByteArray text = QJsonDocument(engine::stateObject(snapshot)).toJson();
    for (const trial::TrialRecord& trial : snapshot.trials)
        text += QJsonDocument(engine::trialObject(trial)).toJson();
    for (const engine::CoursePoint& point : snapshot.course)
        text += QJsonDocument(engine::courseObject(point)).toJson();
    for (const engine::LogLine& line : snapshot.log)
        text += QJsonDocument(engine::lineObject(line)).toJson();
    return text.split('\n');
}

/// Writes the events of an exploration, as `batchpeak explore --events` does, and the same to a reader.
struct Watched
{
    explicit Watched(ExplorationHarness& harness)
    {
        buffer.open(QIODevice::WriteOnly);
        states = std::make_unique<engine::StateLog>(harness.exploration(), buffer);
        log = std::make_unique<engine::EventLog>(harness.exploration(), buffer);
    }

    QBuffer buffer;
    std::unique_ptr<engine::StateLog> states;
    std::unique_ptr<engine::EventLog> log;
};

QByteArray eventsOfRun(ExplorationHarness& harness)
{
    const Watched watched(harness);
    harness.runToEnd();
    return watched.buffer.data();
}

QString kindsOf(const std::vector<engine::Event>& events)
{
    QString letters;
    for (const engine::Event& event : events)
        letters += QString::number(event.index());
    return letters;
}

/// A file of two trials with their recommendation, as an older program wrote it: without states.
QByteArray olderEvents()
{
    ExplorationHarness harness("slope=600000000");
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    const engine::EventLog log(harness.exploration(), buffer);
    harness.runToEnd();
    return buffer.data();
}

} // namespace

class EventReaderTest : public QObject
{
    Q_OBJECT

private slots:
    void knowsAtEachEventWhatTheExplorationKnew_data()
    {
        const auto add = rows<Text>();
        add("memory ends", "slope=600000000");
        add("a worker is lost", "once trial=exit42#3");
        add("disturbed, with energy", "trial=disturbed@4*1 trial=energy@4");
        add("comparisons", "compare=oom@2#2");
    }
    void knowsAtEachEventWhatTheExplorationKnew()
    {
        ExplorationHarness harness(row<Text>());
        harness.comparisons = {{4, 1}, {4, 2}};
        harness.options.verify = true;
        Watched watched(harness);
        EventReader reader;
        std::vector<engine::Event> expected;
        std::vector<engine::Event> read;
        connect(&reader, &EventReader::occurred, this, [&](const auto& event) { read.push_back(event); });
        connect(&harness.exploration(), &engine::Exploration::occurred, this, [&](const auto& event) {
            expected.push_back(event);
            reader.read(watched.buffer.data());
            watched.buffer.seek(0);
            watched.buffer.buffer().clear();
            // The run is known with the first state.
            if (!std::holds_alternative<engine::Started>(event))
                QCOMPARE(everything(reader.snapshot()), everything(harness.snapshot()));
        });
        harness.runToEnd();
        QVERIFY(harness.snapshot().trials.size() > 3);
        QCOMPARE(kindsOf(read), kindsOf(expected));
        QVERIFY(reader.hasEnded());
        QCOMPARE(reader.unreadableLines(), 0);
        QVERIFY(reader.snapshot().trials == harness.snapshot().trials);
        QVERIFY(!reader.snapshot().canContinue);
        const auto finished = std::get<engine::Finished>(read.back());
        QVERIFY(finished.status == harness.snapshot().finish);
    }

    void documentsTheState()
    {
        ExplorationHarness harness;
        for (const QJsonObject& event : test::eventsIn(eventsOfRun(harness))) {
            const QString name = event.value(QLatin1String("event")).toString();
            QCOMPARE(event.keys(), test::fieldsOfEvent(name));
        }
    }

    void takesPiecesOfAnySize_data()
    {
        const auto add = rows<int>();
        for (const int size : {1, 7, 4096})
            add(qPrintable(QString::number(size)), size);
    }
    void takesPiecesOfAnySize()
    {
        ExplorationHarness harness;
        const QByteArray events = eventsOfRun(harness);
        EventReader reader;
        for (qsizetype begin = 0; begin < events.size(); begin += row<int>())
            reader.read(events.mid(begin, row<int>()));
        QCOMPARE(everything(reader.snapshot()), everything(harness.snapshot()));
        QVERIFY(reader.snapshot().finish == harness.snapshot().finish);
    }

    void readsWhatAnOlderProgramWrote()
    {
        EventReader reader;
        reader.read(olderEvents());
        const engine::Snapshot& snapshot = reader.snapshot();
        QVERIFY(reader.hasEnded());
        QCOMPARE(snapshot.trials.size(), 3u);
        QVERIFY(snapshot.trials.back().outcome == trial::Outcome::OutOfMemory);
        QVERIFY(!snapshot.trials.back().samplesPerSecond);
        QCOMPARE(snapshot.trials.front().secondsPerStep.value_or(0.0), 0.011);
        QVERIFY(snapshot.searchState.recommendation);
        QCOMPARE(snapshot.searchState.recommendation->size, 2);
        QCOMPARE(snapshot.recommendedPeakBytes, 1300000000);
        QCOMPARE(snapshot.devices.size(), 1u);
        QCOMPARE(snapshot.devices.front().id, QStringLiteral("cpu"));
        QVERIFY(snapshot.devices.front().usableBytes > 0);
        QCOMPARE(snapshot.run->family, QStringLiteral("gpt2"));
        QVERIFY(std::holds_alternative<config::Explore>(snapshot.run->plan.setting));
        QVERIFY(snapshot.log.size() >= 6);
        QVERIFY(!snapshot.ending.isEmpty());
    }

    void beginsAgainWithEachStart()
    {
        ExplorationHarness first;
        ExplorationHarness second("slope=600000000");
        EventReader reader;
        int started = 0;
        connect(&reader, &EventReader::occurred, this, [&](const auto& event) {
            started += std::holds_alternative<engine::Started>(event) ? 1 : 0;
        });
        const QByteArray events = eventsOfRun(first);
        // The start, the first state, and a part of what follows.
        const QByteArray cut = events.left(events.indexOf('\n', events.indexOf('\n') + 1) + 100);
        // A program that was killed left half of a line; the next one begins with a new line.
        reader.read(cut + '\n' + eventsOfRun(second));
        QCOMPARE(started, 2);
        QCOMPARE(reader.unreadableLines(), 1);
        QCOMPARE(everything(reader.snapshot()), everything(second.snapshot()));
    }

    void leavesOutWhatItCannotRead_data()
    {
        const auto add = rows<QByteArray>();
        add("no text", QByteArray("\0\xff\xfe\0{}", 6));
        add("no object", "[1,2,3]");
        add("half a line", "{\"event\":\"trial_finished\",\"trial\":7,\"micro_ba");
        add("deep", QByteArray(100000, '[') + QByteArray(100000, ']'));
        add("an unknown event", R"({"event":"from_a_newer_program","trial":[7]})");
        add("unknown fields",
            R"({"event":"state","changed":{"new":1,"state":"newer"},"trials":[],"more":2})");
        add("no trial", R"({"event":"trial_started","trial":0,"micro_batch_size":4})");
        add("too many trials", R"({"event":"trial_started","trial":2000000000,"micro_batch_size":4})");
        add("a size that is none",
            R"({"event":"state","trials":[{"trial":9,"micro_batch_size":-4}],"changed":{}})");
        add("a speed that is none",
            R"({"event":"trial_finished","trial":1,"outcome":"ok","samples_per_second":1e308})");
        add("a confidence that is none",
            R"({"event":"recommendation","micro_batch_size":2,"confidence":100,"samples_per_second":1})");
        add("a curve that is none",
            R"({"event":"state","changed":{"search":{"curve":[{"size":0,"samples_per_second":1}]}}})");
        add("curves in no order",
            R"({"event":"state","changed":{"search":{"curve":[{"size":4},{"size":2}]}}})");
        add("a device without a name", R"({"event":"device","total_bytes":7})");
        add("members of other kinds",
            R"({"event":"state","changed":{"run":[],"devices":{"a":1},"search":7,"progress":"x"}})");
        add("a long line", QByteArray(20 << 20, 'a'));
    }
    void leavesOutWhatItCannotRead()
    {
        ExplorationHarness harness("slope=600000000");
        const QByteArray events = eventsOfRun(harness);
        const qsizetype middle = events.indexOf("{\"changed\"", events.size() / 2);
        QVERIFY(middle > 0);
        EventReader reader;
        reader.read(events.left(middle) + row<QByteArray>() + '\n' + events.mid(middle));
        QVERIFY(reader.snapshot().trials == harness.snapshot().trials);
        QVERIFY(reader.snapshot().finish == harness.snapshot().finish);
        QVERIFY(reader.snapshot().searchState.recommendation->size == 2);
        EventReader alone;
        alone.read(row<QByteArray>() + '\n');
        QVERIFY(!alone.hasBegun());
    }

    void readsTheRecordedStreams()
    {
        // Of programs before the event "state".
        for (const char* name : {"gpt2-tiny", "llama-tiny", "bert-tiny"}) {
            QFile file(QStringLiteral(BATCHPEAK_TEST_DATA "/streams/%1.jsonl").arg(QLatin1String(name)));
            QVERIFY(file.open(QIODevice::ReadOnly));
            EventReader reader;
            reader.read(file.readAll());
            QVERIFY(reader.hasEnded());
            QVERIFY(reader.snapshot().searchState.recommendation);
            QVERIFY(std::ranges::none_of(reader.snapshot().trials, &trial::TrialRecord::isRunning));
        }
    }
};

BATCHPEAK_TEST(EventReaderTest)
#include "tst_event_reader.moc"
