// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/event_log.h"
#include "exploration_harness.h"
#include "files/config_file.h"
#include "support/events_in.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QBuffer>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <cmath>
#include <utility>

using namespace batchpeak;
using test::ExplorationHarness;

namespace {

/// A search that uses the trials' own times as the elapsed time, so that the same trials give the same search
/// on any computer.
class OwnClock final : public search::Strategy
{
public:
    explicit OwnClock(std::unique_ptr<search::Strategy> strategy) : m_strategy(std::move(strategy)) {}

    void record(const search::Measurement& measurement) override
    {
        search::Measurement timed = measurement;
        // The fake worker reports the time only of successful trials.
        if (!timed.ran())
            timed.wallSeconds = 1.0;
        m_seconds += timed.wallSeconds;
        for (trial::ComparedSize& size : timed.compared) {
            for (trial::Visit& visit : size.visits)
                visit.clockSeconds += m_seconds - measurement.clockSeconds;
        }
        timed.clockSeconds = m_seconds;
        m_strategy->record(timed);
    }

    std::optional<search::Proposal> next(std::span<const std::int64_t> inFlight) override
    {
        return m_strategy->next(inFlight);
    }

    const search::SearchState& searchState() const override { return m_strategy->searchState(); }

private:
    std::unique_ptr<search::Strategy> m_strategy;
    double m_seconds = 0.0;
};

/// Removes the start times of the visits of a size.
QJsonObject withoutStartTimes(QJsonObject size)
{
    QJsonArray visits = size.value(QLatin1String("visits")).toArray();
    for (auto visit : visits) {
        QJsonObject fields = visit.toObject();
        fields.remove(QLatin1String("begin"));
        visit = fields;
    }
    size.insert(QLatin1String("visits"), visits);
    return size;
}

/// Removes fields that differ between runs or computers.
QJsonObject masked(QJsonObject event)
{
    event.remove(QLatin1String("time"));
    event.remove(QLatin1String("file"));
    if (event.value(QLatin1String("outcome")) != QLatin1String("ok"))
        event.remove(QLatin1String("wall_seconds"));
    if (QJsonArray compared = event.value(QLatin1String("compared")).toArray(); !compared.isEmpty()) {
        for (auto size : compared)
            size = withoutStartTimes(size.toObject());
        event.insert(QLatin1String("compared"), compared);
    }
    return event;
}

/// Numbers may differ by what a compiler may change in them.
bool isNearlyEqual(const QJsonValue& one, const QJsonValue& other)
{
    constexpr double relativeTolerance = 1e-6;
    if (one.type() != other.type())
        return false;
    if (one.isDouble())
        return std::abs(one.toDouble() - other.toDouble()) <=
               relativeTolerance * std::max(std::abs(one.toDouble()), std::abs(other.toDouble()));
    if (one.isArray()) {
        const QJsonArray left = one.toArray();
        const QJsonArray right = other.toArray();
        return std::ranges::equal(left, right, isNearlyEqual);
    }
    if (one.isObject()) {
        const QJsonObject left = one.toObject();
        const QJsonObject right = other.toObject();
        return left.keys() == right.keys() && std::ranges::all_of(left.keys(), [&](const QString& key) {
                   return isNearlyEqual(left.value(key), right.value(key));
               });
    }
    return one == other;
}

QByteArray textOf(const QJsonObject& event)
{
    return QJsonDocument(event).toJson(QJsonDocument::Compact);
}

QList<QJsonObject> explore(const QString& example, const Text& words)
{
    ExplorationHarness harness(words);
    const auto makeStrategy = engine::ExplorationParts().makeStrategy;
    harness.parts.makeStrategy = [makeStrategy](std::string_view name, const search::SearchSpace& space) {
        return std::make_unique<OwnClock>(makeStrategy(name, space));
    };
    harness.options.verify = true;
    const QString path = QStringLiteral(BATCHPEAK_SOURCE_DIR "/resources/examples/%1.yaml").arg(example);
    harness.contents = engine::ConfigFile::open(path).contents();
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    const engine::EventLog log(harness.exploration(), buffer);
    harness.runToEnd();
    QList<QJsonObject> events;
    for (const QJsonObject& event : test::eventsIn(buffer.data()))
        events.append(masked(event));
    return events;
}

} // namespace

/// Tests whole explorations of the examples on the fake worker, with the default search, event by event
/// against recorded streams. BATCHPEAK_RECORD_STREAMS=1 records the streams again if they are to change.
class RecordedStreamsTest : public QObject
{
    Q_OBJECT

private slots:
    void matchesTheRecordedStream_data()
    {
        const auto add = rows<Text>();
        add("gpt2-tiny", "alpha=0.01 beta=0.001");
        // Memory limits the sizes, and a worker is lost during the search.
        add("llama-tiny", "alpha=0.2 beta=0.001 slope=40000000 once trial=exit42#3");
        // A trial is disturbed, and slower than the line predicts.
        add("bert-tiny", "alpha=0.004 beta=0.002 trial=disturbed-slow@8*1 trial=energy");
    }
    void matchesTheRecordedStream()
    {
        const auto& words = row<Text>();
        const QString example = QString::fromUtf8(QTest::currentDataTag());
        const QList<QJsonObject> events = explore(example, words);
        QFile recorded(QStringLiteral(BATCHPEAK_TEST_DATA "/streams/%1.jsonl").arg(example));
        if (qEnvironmentVariableIsSet("BATCHPEAK_RECORD_STREAMS")) {
            QVERIFY(recorded.open(QIODevice::WriteOnly));
            for (const QJsonObject& event : events)
                recorded.write(textOf(event) + '\n');
            recorded.close();
        }
        QVERIFY2(recorded.open(QIODevice::ReadOnly), qPrintable(recorded.errorString()));
        const QList<QJsonObject> expected = test::eventsIn(recorded.readAll());
        for (qsizetype place = 0; place < std::min(events.size(), expected.size()); ++place) {
            if (!isNearlyEqual(events[place], expected[place]))
                QCOMPARE(textOf(events[place]), textOf(expected[place]));
        }
        QCOMPARE(events.size(), expected.size());
    }
};

BATCHPEAK_TEST(RecordedStreamsTest)
#include "tst_recorded_streams.moc"
