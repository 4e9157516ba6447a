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
        // A comma for the decimal point, a point for thousands.
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

    void tellsOfTheVerification()
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

    void tellsOfEnergyAndRepetitions()
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

    void saysNullWhereNothingIsRecommended()
    {
        ExplorationHarness harness("slope=1900000000");
        const QJsonObject last = eventsOf(harness).back();
        QCOMPARE(test::valuesOf(last, "micro_batch_size status trials"),
                 R"({"micro_batch_size":null,"status":"nothing_fits","trials":1})");
    }
};

BATCHPEAK_TEST(EventLogTest)
#include "tst_event_log.moc"
