// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/event_log.h"
#include "exploration_harness.h"
#include "support/event_schema.h"
#include "support/events_in.h"
#include "support/test_main.h"

#include <QBuffer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <algorithm>
#include <chrono>

using namespace batchpeak;
using engine::EventLog;
using test::ExplorationHarness;

namespace {

QList<QJsonObject> eventsOf(ExplorationHarness& harness)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    const EventLog log(harness.exploration(), buffer);
    harness.runToEnd();
    return test::eventsIn(buffer.data());
}

} // namespace

class EventLogTest : public QObject
{
    Q_OBJECT

private slots:
    void cleanup() { QLocale::setDefault(QLocale::c()); }

    void writesEveryFieldOfEveryEvent()
    {
        // German uses a decimal comma and points for thousands.
        QLocale::setDefault(QLocale(QLocale::German));
        ExplorationHarness harness("slope=600000000");
        const auto events = eventsOf(harness);
        QStringList order;
        for (const QJsonObject& event : events) {
            const QString name = event.value(QLatin1String("event")).toString();
            order.append(name);
            QCOMPARE(event.keys(), test::fieldsOfEvent(name));
            const QString time = event.value(QLatin1String("time")).toString();
            QVERIFY2(time.endsWith(QLatin1Char('Z')) &&
                         QDateTime::fromString(time, Qt::ISODateWithMs).isValid(),
                     qPrintable(time));
        }
        QCOMPARE(order.join(QLatin1Char(' ')),
                 QStringLiteral("started device trial_started trial_finished recommendation trial_started "
                                "trial_finished recommendation trial_started trial_finished finished"));
        QCOMPARE(test::valuesOf(events.front(), "schema setting"), R"({"schema":1,"setting":"explore"})");
        QCOMPARE(events.at(3).value(QLatin1String("seconds_per_step")).toDouble(), 0.011);
        const QJsonObject failed = events.at(events.size() - 2);
        QCOMPARE(test::valuesOf(failed, "outcome samples_per_second"),
                 R"({"outcome":"oom","samples_per_second":null})");
        QCOMPARE(test::valuesOf(events.back(), "accumulation_steps micro_batch_size peak_reserved_bytes"),
                 R"({"accumulation_steps":32,"micro_batch_size":2,"peak_reserved_bytes":1300000000})");
    }

    void writesConnections()
    {
        ExplorationHarness harness("mute trial-time=400 starts until=1");
        harness.options.places = {QStringLiteral("env")};
        harness.parts.timeouts.heartbeat = std::chrono::milliseconds(50);
        QStringList states;
        for (const QJsonObject& event : eventsOf(harness)) {
            if (event.value(QLatin1String("event")) != QLatin1String("connection"))
                continue;
            QCOMPARE(event.keys(), test::fieldsOfEvent(QStringLiteral("connection")));
            QCOMPARE(event.value(QLatin1String("name")).toString(), QStringLiteral("cpu"));
            states << event.value(QLatin1String("state")).toString();
            const bool isLost = states.back() == QLatin1String("lost");
            QCOMPARE(event.value(QLatin1String("reason")).isString(), isLost);
            QCOMPARE(event.value(QLatin1String("until")).isString(), isLost);
        }
        QCOMPARE(states.join(QLatin1Char(' ')), QStringLiteral("connected lost connected off"));
    }

    void writesTheFidelity()
    {
        ExplorationHarness harness("approximates=a_slow_kernel approximates=an_estimated_length");
        harness.contents.warnings.push_back(
            {.sentence = "", .position = {}, .approximation = "packed samples"});
        const auto events = eventsOf(harness);
        // The worker's own approximations are unknown at the start.
        QCOMPARE(test::valuesOf(events.front(), "fidelity approximations replaced trained_parameters tuning"),
                 R"({"approximations":["packed samples"],"fidelity":"another_run",)"
                 R"("replaced":["another worker program"],"trained_parameters":1384,"tuning":null})");
        QCOMPARE(test::valuesOf(events.at(1), "approximations"),
                 R"({"approximations":["a slow kernel","an estimated length"]})");
        for (const char* name : {"trial_finished", "recommendation", "finished"}) {
            const auto event = std::ranges::find_if(events, [name](const QJsonObject& candidate) {
                return candidate.value(QLatin1String("event")) == QLatin1String(name);
            });
            QVERIFY(event != events.end());
            QCOMPARE(event->value(QLatin1String("fidelity")).toString(), QStringLiteral("another_run"));
        }
        QVERIFY(harness.snapshot().run->fidelity.reasons ==
                (std::vector<std::string>{"packed samples", "a slow kernel", "an estimated length"}));
    }

    void writesTheVerification()
    {
        ExplorationHarness harness;
        harness.options.verify = true;
        const auto events = eventsOf(harness);
        for (const QJsonObject& event : events) {
            if (event.contains(QLatin1String("trial")))
                QCOMPARE(event.value(QLatin1String("verification")).toBool(),
                         event.value(QLatin1String("trial")).toInt() == 4);
        }
        const QJsonObject result = events.back().value(QLatin1String("verification")).toObject();
        QCOMPARE(test::valuesOf(result, "micro_batch_size outcome spare_bytes"),
                 R"({"micro_batch_size":4,"outcome":"confirmed","spare_bytes":1860000000})");
        QCOMPARE(events.back().value(QLatin1String("trials")).toInt(), 4);
    }

    void writesEnergyAndRepetitions()
    {
        ExplorationHarness harness("trial=disturbed@4*1 trial=energy@4");
        const auto events = eventsOf(harness);
        QList<QJsonObject> trials;
        for (const QJsonObject& event : events) {
            if (event.value(QLatin1String("event")) == QLatin1String("trial_finished"))
                trials.append(event);
        }
        QCOMPARE(trials.size(), 4);
        QCOMPARE(test::valuesOf(trials[2], "joules_per_sample repetition"),
                 R"({"joules_per_sample":null,"repetition":0})");
        QCOMPARE(test::valuesOf(trials[3], "joules_per_sample repetition"),
                 R"({"joules_per_sample":2,"repetition":1})");
        QCOMPARE(trials[3].value(QLatin1String("flags")).toArray().first().toString(),
                 QStringLiteral("repetition"));
        QCOMPARE(events.back().value(QLatin1String("joules_per_sample")).toDouble(), 2.0);
    }

    void writesComparisons()
    {
        ExplorationHarness harness("compare=oom@2#2");
        harness.comparisons = {{4, 1}, {4, 2}};
        harness.continuation = {.size = 4, .rival = 2, .seconds = 2400.0, .gain = 0.25};
        QList<QJsonObject> comparisons;
        const auto events = eventsOf(harness);
        for (const QJsonObject& event : events) {
            const QString name = event.value(QLatin1String("event")).toString();
            QCOMPARE(event.keys(), test::fieldsOfEvent(name));
            if (name.startsWith(QLatin1String("comparison")))
                comparisons.append(event);
        }
        QCOMPARE(comparisons.size(), 4);
        QCOMPARE(test::valuesOf(comparisons[0], "event micro_batch_sizes trial visits"),
                 R"({"event":"comparison_started","micro_batch_sizes":[4,1],"trial":4,"visits":4})");
        QCOMPARE(test::valuesOf(comparisons[1], "ended_by event flags outcome"),
                 R"({"ended_by":null,"event":"comparison_finished","flags":[],"outcome":"ok"})");
        const QJsonObject contrast = comparisons[1].value(QLatin1String("contrast")).toObject();
        QCOMPARE(test::valuesOf(contrast, "micro_batch_size runner_up"),
                 R"({"micro_batch_size":4,"runner_up":1})");
        const QJsonArray compared = comparisons[1].value(QLatin1String("compared")).toArray();
        QCOMPARE(
            test::valuesOf(compared[1].toObject(), "micro_batch_size peak_reserved_bytes seconds_per_step"),
            R"({"micro_batch_size":1,"peak_reserved_bytes":110000000,"seconds_per_step":0.011})");
        QCOMPARE(compared[0].toObject().value(QLatin1String("visits")).toArray().size(), 4);

        QCOMPARE(test::valuesOf(comparisons[3], "contrast ended_by outcome"),
                 R"({"contrast":null,"ended_by":2,"outcome":"oom"})");
        const QJsonArray cutShort = comparisons[3].value(QLatin1String("compared")).toArray();
        QCOMPARE(test::valuesOf(cutShort[1].toObject(), "micro_batch_size samples_per_second visits"),
                 R"({"micro_batch_size":2,"samples_per_second":null,"visits":[]})");
        QCOMPARE(
            test::valuesOf(events.back().value(QLatin1String("prospect")).toObject(), "gain rival seconds"),
            R"({"gain":0.25,"rival":2,"seconds":2400})");
        QCOMPARE(test::valuesOf(events.back(), "status"), R"({"status":"exhausted"})");
        QVERIFY(!events.back().value(QLatin1String("ending")).toString().isEmpty());
    }

    void writesAContinuation()
    {
        ExplorationHarness harness("", {1, 2});
        harness.more = {4};
        QBuffer buffer;
        buffer.open(QIODevice::WriteOnly);
        const EventLog log(harness.exploration(), buffer);
        QVERIFY(harness.runToEnd() &&
                harness.continuesToEnd({.trials = 3, .time = std::chrono::seconds(600)}));
        QStringList order;
        for (const QJsonObject& event : test::eventsIn(buffer.data())) {
            const QString name = event.value(QLatin1String("event")).toString();
            QCOMPARE(event.keys(), test::fieldsOfEvent(name));
            order.append(name);
            if (name == QLatin1String("went_on"))
                QCOMPARE(test::valuesOf(event, "more_trials time_budget trials"),
                         R"({"more_trials":3,"time_budget":600,"trials":2})");
        }
        QCOMPARE(order.join(QLatin1Char(' ')).section(QStringLiteral("went_on "), 1),
                 QStringLiteral("device trial_started trial_finished recommendation finished"));
    }

    void writesNullWithoutARecommendation()
    {
        ExplorationHarness harness("slope=1900000000");
        const QJsonObject last = eventsOf(harness).back();
        QCOMPARE(test::valuesOf(last, "micro_batch_size status trials"),
                 R"({"micro_batch_size":null,"status":"nothing_fits","trials":1})");
    }
};

BATCHPEAK_TEST(EventLogTest)
#include "tst_event_log.moc"
