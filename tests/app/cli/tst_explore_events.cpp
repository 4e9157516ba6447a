// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/event_schema.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QDateTime>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <vector>

namespace {

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
            QCOMPARE(event.keys(), batchpeak::test::fieldsOfEvent(nameOf(event)));
            const QString time = event.value(QLatin1String("time")).toString();
            QVERIFY2(time.endsWith(QLatin1Char('Z')), qPrintable(time));
            QVERIFY2(QDateTime::fromString(time, Qt::ISODateWithMs).isValid(), qPrintable(time));
        }
    }

    void tellsOfEveryTrialAndRecommendation()
    {
        const ProgramRun run = runProgram(exploreArguments("", threeTrials + words("-")));
        QVERIFY2(run.succeeded(), run.text());
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
        QVERIFY2(run.succeeded(), run.text());
        QVERIFY2(!eventsIn(run.out.toUtf8()).empty(), run.text());
        QVERIFY2(run.remarks("1.00x base"), run.text());
        QVERIFY2(run.remarks("1,071,872 parameters"), run.text());
    }
};

BATCHPEAK_TEST(ExploreEventsTest)
#include "tst_explore_events.moc"
