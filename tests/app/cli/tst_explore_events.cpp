// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QDateTime>
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

const QStringList threeTrials = words("--max-trials 3 --events");

} // namespace

class ExploreEventsTest : public QObject
{
    Q_OBJECT

private slots:
    void holdsTheFieldsOfTheContract_data()
    {
        rows<const char*, const char*>({{"good", {"", "budget"}},
                                        {"nothing fits", {"base=3000000000", "nothing_fits"}},
                                        {"no worker", {"start=exit", "failed"}}});
    }
    void holdsTheFieldsOfTheContract()
    {
        const auto& [behaviour, status] = row<const char*, const char*>();
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("events.jsonl"));
        const ProgramRun run = runProgram(exploreArguments(behaviour, threeTrials + QStringList{path}));
        const std::vector<QJsonObject> events = eventsIn(bytesOf(path));
        QVERIFY2(!events.empty(), run.text());
        QCOMPARE(nameOf(events.front()), QStringLiteral("started"));
        QCOMPARE(events.front().value(QLatin1String("schema")).toInt(), 1);
        QCOMPARE(nameOf(events.back()), QStringLiteral("finished"));
        QCOMPARE(events.back().value(QLatin1String("status")).toString(), QLatin1String(status));
        for (const QJsonObject& event : events) {
            QVERIFY2(!fieldsOf(nameOf(event)).isEmpty(), qPrintable(nameOf(event)));
            for (const QString& field : fieldsOf(nameOf(event)))
                QVERIFY2(event.contains(field), qPrintable(nameOf(event) + QLatin1Char(' ') + field));
            const QString time = event.value(QLatin1String("time")).toString();
            QVERIFY2(time.endsWith(QLatin1Char('Z')), qPrintable(time));
            QVERIFY2(QDateTime::fromString(time, Qt::ISODateWithMs).isValid(), qPrintable(time));
        }
    }

    void tellsOfEveryTrialAndRecommendation()
    {
        const ProgramRun run = runProgram(exploreArguments("", threeTrials + words("-")));
        QVERIFY2(run.exitCode == 0, run.text());
        const std::vector<QJsonObject> events = eventsIn(run.out.toUtf8());
        QVERIFY2(!events.empty(), run.text());
        const auto count = [&](const char* name) {
            return std::ranges::count(events, QLatin1String(name), nameOf);
        };
        QCOMPARE(count("device"), 1);
        QCOMPARE(count("trial_started"), 3);
        QCOMPARE(count("trial_finished"), 3);
        QVERIFY(count("recommendation") > 0);
        // What people read has moved out of the way.
        QVERIFY2(run.remarks("BEXP202"), run.text());
        QVERIFY2(run.remarks("recommended"), run.text());
    }

    void writesNumbersAsTheCLocaleDoes()
    {
        QProcessEnvironment environment = environmentWithoutDisplay();
        environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("de_DE.UTF-8"));
        const ProgramRun run = runProgram(exploreArguments("", threeTrials + words("-")), environment);
        QVERIFY2(run.exitCode == 0, run.text());
        QVERIFY2(!eventsIn(run.out.toUtf8()).empty(), run.text());
        QVERIFY2(run.remarks("1.00x base"), run.text());
        QVERIFY2(run.remarks("1,071,872 parameters"), run.text());
    }
};

BATCHPEAK_TEST(ExploreEventsTest)
#include "tst_explore_events.moc"
