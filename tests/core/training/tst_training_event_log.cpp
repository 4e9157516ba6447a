// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/event_schema.h"
#include "support/test_main.h"
#include "training/training_event_log.h"
#include "training_harness.h"

#include <QBuffer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

using namespace batchpeak;
using test::TrainingHarness;
using training::TrainingEventLog;

namespace {

QList<QJsonObject> eventsOf(TrainingHarness& harness)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    const TrainingEventLog log(harness.run(), buffer);
    harness.runToEnd();
    QList<QJsonObject> events;
    for (const QByteArray& line : buffer.data().trimmed().split('\n'))
        events.append(QJsonDocument::fromJson(line).object());
    return events;
}

} // namespace

class TrainingEventLogTest : public QObject
{
    Q_OBJECT

private slots:
    void cleanup() { QLocale::setDefault(QLocale::c()); }

    void writesEveryFieldOfEveryEvent()
    {
        // A comma for the decimal point, a point for thousands.
        QLocale::setDefault(QLocale(QLocale::German));
        TrainingHarness harness({QStringLiteral("slope=100000000"), QStringLiteral("batch=oom#1"),
                                 QStringLiteral("batch=nan#3")});
        harness.options.maximum = training::MaximumWay::Halving;
        harness.options.steps = 2;
        harness.options.evaluateEvery = 2;
        harness.options.checkpointFolder = harness.path(QStringLiteral("c"));
        const auto events = eventsOf(harness);
        QStringList order;
        for (const QJsonObject& event : events) {
            const QString name = event.value(QLatin1String("event")).toString();
            order.append(name);
            QCOMPARE(event.keys(), test::fieldsOfEvent(name));
        }
        QCOMPARE(
            order.join(QLatin1Char(' ')),
            QStringLiteral("training_started maximum_found device epoch size_changed step step evaluation "
                           "checkpoint training_finished"));
        QCOMPARE(events[0].value(QLatin1String("schema")).toInt(), 1);
        QCOMPARE(events[0].value(QLatin1String("data")).toString(), QStringLiteral("synthetic"));
        QCOMPARE(events[0].value(QLatin1String("data_samples")).toInt(), 1024);
        QCOMPARE(events[1].value(QLatin1String("used")).toInt(), 16);
        QVERIFY(events[1].value(QLatin1String("recommended")).isNull());
        QCOMPARE(events[3].value(QLatin1String("decision")).toString(), QStringLiteral("stays"));
        QCOMPARE(events[4].value(QLatin1String("reason")).toString(), QStringLiteral("out_of_memory"));
        QCOMPARE(events[5].value(QLatin1String("micro_batch_size")).toInt(), 8);
        QCOMPARE(events[5].value(QLatin1String("attempts")).toInt(), 2);
        QCOMPARE(events[5].value(QLatin1String("loss")).toDouble(), harness.losses().front());
        QVERIFY(events[6].value(QLatin1String("loss")).isNull());
        QCOMPARE(events[8].value(QLatin1String("step")).toInt(), 2);
        const QJsonObject& last = events.back();
        QCOMPARE(last.value(QLatin1String("status")).toString(), QStringLiteral("completed"));
        QVERIFY(last.value(QLatin1String("failure")).isNull());
        QCOMPARE(last.value(QLatin1String("steps")).toInt(), 2);
        QCOMPARE(last.value(QLatin1String("peak_reserved_bytes")).toInteger(), 900'000'000);
    }

    void saysNullWhereNothingWasDone()
    {
        TrainingHarness harness({QStringLiteral("slope=1950000000")});
        const QJsonObject last = eventsOf(harness).back();
        QCOMPARE(last.value(QLatin1String("status")).toString(), QStringLiteral("nothing_fits"));
        QVERIFY(last.value(QLatin1String("failure"))
                    .toString()
                    .startsWith(QLatin1String("The train loop failed")));
        QVERIFY(last.value(QLatin1String("samples_per_second")).isNull());
        QVERIFY(last.value(QLatin1String("peak_reserved_bytes")).isNull());
        QCOMPARE(last.value(QLatin1String("out_of_memory_events")).toInt(), 7);
    }
};

BATCHPEAK_TEST(TrainingEventLogTest)
#include "tst_training_event_log.moc"
