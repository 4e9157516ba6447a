// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/event_log.h"
#include "exploration_harness.h"
#include "support/event_schema.h"
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
    QList<QJsonObject> events;
    for (const QByteArray& line : buffer.data().trimmed().split('\n'))
        events.append(QJsonDocument::fromJson(line).object());
    return events;
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
        ExplorationHarness harness({QStringLiteral("slope=600000000")});
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
        QCOMPARE(events.front().value(QLatin1String("schema")).toInt(), 1);
        QCOMPARE(events.front().value(QLatin1String("setting")).toString(), QStringLiteral("explore"));
        QCOMPARE(events.at(3).value(QLatin1String("seconds_per_step")).toDouble(), 0.011);
        const QJsonObject failed = events.at(events.size() - 2);
        QCOMPARE(failed.value(QLatin1String("outcome")).toString(), QStringLiteral("oom"));
        QVERIFY(failed.value(QLatin1String("samples_per_second")).isNull());
        QCOMPARE(events.back().value(QLatin1String("micro_batch_size")).toInt(), 2);
        QCOMPARE(events.back().value(QLatin1String("accumulation_steps")).toInt(), 32);
        QCOMPARE(events.back().value(QLatin1String("peak_reserved_bytes")).toInteger(), 1'300'000'000);
    }

    void tellsOfTheVerification()
    {
        ExplorationHarness harness({});
        harness.options.verify = true;
        const auto events = eventsOf(harness);
        for (const QJsonObject& event : events) {
            if (event.contains(QLatin1String("trial")))
                QCOMPARE(event.value(QLatin1String("verification")).toBool(),
                         event.value(QLatin1String("trial")).toInt() == 4);
        }
        const QJsonObject result = events.back().value(QLatin1String("verification")).toObject();
        QCOMPARE(result.value(QLatin1String("outcome")).toString(), QStringLiteral("confirmed"));
        QCOMPARE(result.value(QLatin1String("micro_batch_size")).toInt(), 4);
        QCOMPARE(result.value(QLatin1String("spare_bytes")).toInteger(), 1'860'000'000);
        QCOMPARE(events.back().value(QLatin1String("trials")).toInt(), 4);
    }

    void tellsOfEnergyAndRepetitions()
    {
        ExplorationHarness harness({QStringLiteral("trial=disturbed@4*1"), QStringLiteral("trial=energy@4")});
        const auto events = eventsOf(harness);
        QList<QJsonObject> trials;
        for (const QJsonObject& event : events) {
            if (event.value(QLatin1String("event")) == QLatin1String("trial_finished"))
                trials.append(event);
        }
        QCOMPARE(trials.size(), 4);
        QVERIFY(trials[2].value(QLatin1String("joules_per_sample")).isNull());
        QCOMPARE(trials[2].value(QLatin1String("repetition")).toInt(), 0);
        QCOMPARE(trials[3].value(QLatin1String("joules_per_sample")).toDouble(), 2.0);
        QCOMPARE(trials[3].value(QLatin1String("repetition")).toInt(), 1);
        QCOMPARE(trials[3].value(QLatin1String("flags")).toArray().first().toString(),
                 QStringLiteral("repetition"));
        QCOMPARE(events.back().value(QLatin1String("joules_per_sample")).toDouble(), 2.0);
    }

    void saysNullWhereNothingIsRecommended()
    {
        ExplorationHarness harness({QStringLiteral("slope=1900000000")});
        const QJsonObject last = eventsOf(harness).back();
        QCOMPARE(last.value(QLatin1String("status")).toString(), QStringLiteral("nothing_fits"));
        QVERIFY(last.value(QLatin1String("micro_batch_size")).isNull());
        QCOMPARE(last.value(QLatin1String("trials")).toInt(), 1);
    }
};

BATCHPEAK_TEST(EventLogTest)
#include "tst_event_log.moc"
