// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/event_schema.h"
#include "support/events_in.h"
#include "support/test_main.h"
#include "support/verify.h"
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
    return test::eventsIn(buffer.data());
}

} // namespace

class TrainingEventLogTest : public QObject
{
    Q_OBJECT

private slots:
    void cleanup() { QLocale::setDefault(QLocale::c()); }

    void writesEveryFieldOfEveryEvent()
    {
        // German has a decimal comma, and points between thousands.
        QLocale::setDefault(QLocale(QLocale::German));
        TrainingHarness harness("slope=100000000 batch=oom#1 batch=nan#3");
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
        QCOMPARE(test::valuesOf(events[0], "data data_samples schema"),
                 R"({"data":"synthetic","data_samples":1024,"schema":1})");
        QCOMPARE(test::valuesOf(events[1], "recommended used"), R"({"recommended":null,"used":16})");
        QCOMPARE(events[3].value(QLatin1String("decision")).toString(), QStringLiteral("stays"));
        QCOMPARE(events[4].value(QLatin1String("reason")).toString(), QStringLiteral("out_of_memory"));
        QCOMPARE(test::valuesOf(events[5], "attempts micro_batch_size"),
                 R"({"attempts":2,"micro_batch_size":8})");
        QCOMPARE(events[5].value(QLatin1String("loss")).toDouble(), harness.losses().front());
        QVERIFY(events[6].value(QLatin1String("loss")).isNull());
        QCOMPARE(events[8].value(QLatin1String("step")).toInt(), 2);
        const QJsonObject& last = events.back();
        QCOMPARE(test::valuesOf(last, "failure peak_reserved_bytes status steps"),
                 R"({"failure":null,"peak_reserved_bytes":900000000,"status":"completed","steps":2})");
    }

    void writesNullIfNothingWasDone()
    {
        TrainingHarness harness("slope=1950000000");
        const QJsonObject last = eventsOf(harness).back();
        QCOMPARE(last.value(QLatin1String("status")).toString(), QStringLiteral("nothing_fits"));
        VERIFY_STARTS_WITH(last.value(QLatin1String("failure")).toString(), "The train loop failed");
        QCOMPARE(test::valuesOf(last, "out_of_memory_events peak_reserved_bytes samples_per_second"),
                 R"({"out_of_memory_events":7,"peak_reserved_bytes":null,"samples_per_second":null})");
    }
};

BATCHPEAK_TEST(TrainingEventLogTest)
#include "tst_training_event_log.moc"
