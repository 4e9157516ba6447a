// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/test_main.h"

#include <QDateTime>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMap>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <vector>

namespace {

/// The contract of docs/events.md.
QStringList fieldsOf(const QString& event)
{
    static const QMap<QString, QString> fields{
        {QStringLiteral("started"),
         QStringLiteral("schema file format family model parameters batch_size devices setting "
                        "phase objective tolerance")},
        {QStringLiteral("device"), QStringLiteral("id kind name total_bytes limit_bytes")},
        {QStringLiteral("trial_started"), QStringLiteral("trial device micro_batch_size predicted_fit")},
        {QStringLiteral("trial_finished"),
         QStringLiteral(
             "trial device micro_batch_size outcome seconds_per_step samples_per_second relative_error "
             "peak_allocated_bytes peak_reserved_bytes wall_seconds flags")},
        {QStringLiteral("recommendation"),
         QStringLiteral("micro_batch_size relative_performance confidence samples_per_second reason")},
        {QStringLiteral("finished"),
         QStringLiteral("status micro_batch_size relative_performance confidence samples_per_second "
                        "peak_reserved_bytes accumulation_steps trials wall_seconds")}};
    return fields.value(event).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

/// Nothing where one line is no JSON object.
std::vector<QJsonObject> eventsIn(const QByteArray& text)
{
    std::vector<QJsonObject> events;
    for (const QByteArray& line : text.trimmed().split('\n')) {
        const QJsonDocument document = QJsonDocument::fromJson(line);
        if (!document.isObject())
            return {};
        events.push_back(document.object());
    }
    return events;
}

QString name(const QJsonObject& event)
{
    return event.value(QLatin1String("event")).toString();
}

} // namespace

class ExploreEventsTest : public QObject
{
    Q_OBJECT

private slots:
    void holdsTheFieldsOfTheContract_data()
    {
        QTest::addColumn<QString>("behaviour");
        QTest::addColumn<QString>("status");
        QTest::newRow("good") << QString() << QStringLiteral("budget");
        QTest::newRow("nothing fits") << QStringLiteral("base=3000000000") << QStringLiteral("nothing_fits");
        QTest::newRow("no worker") << QStringLiteral("start=exit") << QStringLiteral("failed");
    }
    void holdsTheFieldsOfTheContract()
    {
        QFETCH(QString, behaviour);
        QFETCH(QString, status);
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("events.jsonl"));
        const ProgramRun run =
            runProgram(exploreArguments(behaviour, {QStringLiteral("--max-trials"), QStringLiteral("3"),
                                                    QStringLiteral("--events"), path}));
        const std::vector<QJsonObject> events = eventsIn(bytesOf(path));
        QVERIFY2(!events.empty(), run.text());
        QCOMPARE(name(events.front()), QStringLiteral("started"));
        QCOMPARE(events.front().value(QLatin1String("schema")).toInt(), 1);
        QCOMPARE(name(events.back()), QStringLiteral("finished"));
        QCOMPARE(events.back().value(QLatin1String("status")).toString(), status);
        for (const QJsonObject& event : events) {
            QVERIFY2(!fieldsOf(name(event)).isEmpty(), qPrintable(name(event)));
            for (const QString& field : fieldsOf(name(event)))
                QVERIFY2(event.contains(field), qPrintable(name(event) + QLatin1Char(' ') + field));
            const QString time = event.value(QLatin1String("time")).toString();
            QVERIFY2(time.endsWith(QLatin1Char('Z')), qPrintable(time));
            QVERIFY2(QDateTime::fromString(time, Qt::ISODateWithMs).isValid(), qPrintable(time));
        }
    }

    void tellsOfEveryTrialAndRecommendation()
    {
        const ProgramRun run =
            runProgram(exploreArguments({}, {QStringLiteral("--max-trials"), QStringLiteral("3"),
                                             QStringLiteral("--events"), QStringLiteral("-")}));
        QVERIFY2(run.exitCode == 0, run.text());
        const std::vector<QJsonObject> events = eventsIn(run.out.toUtf8());
        QVERIFY2(!events.empty(), run.text());
        const auto count = [&](const QString& wanted) {
            return std::ranges::count_if(events,
                                         [&](const QJsonObject& event) { return name(event) == wanted; });
        };
        QCOMPARE(count(QStringLiteral("device")), 1);
        QCOMPARE(count(QStringLiteral("trial_started")), 3);
        QCOMPARE(count(QStringLiteral("trial_finished")), 3);
        QVERIFY(count(QStringLiteral("recommendation")) > 0);
        // What people read has moved out of the way.
        QVERIFY2(run.err.contains(QStringLiteral("BEXP202")), run.text());
        QVERIFY2(run.err.contains(QStringLiteral("recommended")), run.text());
    }

    void writesNumbersAsTheCLocaleDoes()
    {
        QProcessEnvironment environment = environmentWithoutDisplay();
        environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("de_DE.UTF-8"));
        const ProgramRun run =
            runProgram(exploreArguments({}, {QStringLiteral("--max-trials"), QStringLiteral("3"),
                                             QStringLiteral("--events"), QStringLiteral("-")}),
                       environment);
        QVERIFY2(run.exitCode == 0, run.text());
        QVERIFY2(!eventsIn(run.out.toUtf8()).empty(), run.text());
        QVERIFY2(run.err.contains(QStringLiteral("1.00x base")), run.text());
        QVERIFY2(run.err.contains(QStringLiteral("1,071,872 parameters")), run.text());
    }
};

BATCHPEAK_TEST(ExploreEventsTest)
#include "tst_explore_events.moc"
