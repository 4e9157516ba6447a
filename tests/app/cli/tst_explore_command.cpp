// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "store/history_writer.h"
#include "support/event_schema.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <functional>
#include <sys/stat.h>
#include <vector>

namespace store = batchpeak::store;

namespace {

const QStringList threeTrials = words("--max-trials 3 --events");

struct End
{
    const char* behavior = "";
    const char* options = "";
    int exitCode;
    const char* message;
};

/// A data folder of a user in which no history can be stored.
struct BadHome
{
    /// Path of the folder; empty for the folder of the test.
    Text home;
    std::function<void(const QString& path)> make = [](const QString&) {};
    const char* message = "";
};

} // namespace

/// Tests "batchpeak explore" with workers of every kind: its output, its files and its exit codes.
class ExploreCommandTest : public QObject
{
    Q_OBJECT

private slots:
    void endsWithTheRightCode_data()
    {
        rows<End>(
            {{"good", {.options = "--max-trials 3", .exitCode = 0, .message = "micro_batch_size: "}},
             {"nothing fits", {.behavior = "base=3000000000", .exitCode = 2, .message = "not even 1"}},
             {"one size verified",
              {.options = "--setting 32", .exitCode = 0, .message = "micro_batch_size: 32"}},
             {"the one size does not fit",
              {"slope=100000000", "--setting 32", 2, "not even 32, the smallest"}},
             {"not even the network fits",
              {"base=3000000000", "--setting 32", 2, "not even 1. The network alone"}},
             {"worker ends at once", {.behavior = "start=exit", .exitCode = 3, .message = "batchpeak: "}},
             {"worker refuses", {.behavior = "start=refuse", .exitCode = 3, .message = "refuses to start"}},
             {"network not loaded", {.behavior = "load=error", .exitCode = 3, .message = "batchpeak: "}},
             {"one lost trial", {"trial=exit@2", "--max-trials 3", 0, "micro_batch_size: "}},
             {"time for no trial",
              {"trial=hang", "--time-budget 1s", 3, "too short for one trial of size 1: it had reached "}},
             {"every trial lost", {.behavior = "trial=exit", .exitCode = 3, .message = "batchpeak: "}}});
    }
    void endsWithTheRightCode()
    {
        const auto& [behavior, options, exitCode, message] = row<End>();
        const ProgramRun run = runProgram(exploreArguments(behavior, words(options)));
        QVERIFY2(run.exitCode == exitCode, run.text());
        QVERIFY2(exitCode == 0 ? run.answers(message) : run.remarks(message), run.text());
    }

    void printsEachRecommendationInOneLine()
    {
        const ProgramRun run = runProgram(exploreArguments(""));
        QVERIFY2(run.succeeded(), run.text());
        const QRegularExpression expected(QStringLiteral(
            "^BEXP202 \\d\\d:\\d\\d:\\d\\d GMT  Current recommended micro_batch_size: \\d+, estimated "
            "performance: \\d+\\.\\d\\dx base, confidence score: [1-9]\\d? \\(out of 100\\); another run$"));
        const QStringList lines = run.outLines().filter(QStringLiteral("BEXP202"));
        QVERIFY2(lines.size() > 1, run.text());
        for (const QString& line : lines)
            QVERIFY2(expected.match(line).hasMatch(), qPrintable(line));
        QVERIFY2(lines.front().contains(QStringLiteral("1.00x base")), qPrintable(lines.front()));
    }

    void reusesTrialsOfAnEarlierExploration()
    {
        const QTemporaryDir home;
        QProcessEnvironment environment = environmentWithoutDisplay();
        environment.insert(QStringLiteral("XDG_DATA_HOME"), home.path());
        const auto explore = [&](const char* options) {
            QStringList arguments = exploreArguments("", words(options));
            arguments.replaceInStrings(QStringLiteral("ramp"), QStringLiteral("posterior"));
            return runProgram(arguments, environment);
        };
        const auto trialsOf = [](const ProgramRun& run) {
            return run.err.count(QRegularExpression(QStringLiteral("^trial \\d+ on cpu: size "),
                                                    QRegularExpression::MultilineOption));
        };
        const ProgramRun first = explore("");
        QVERIFY2(first.succeeded() && !first.remarks("of exploration"), first.text());
        const ProgramRun second = explore("");
        QVERIFY2(second.succeeded(), second.text());
        QVERIFY2(second.remarks(" trials of exploration 1, moments old. "), second.text());
        // Performance is relative to the size that the first exploration began with.
        QVERIFY2(!second.answers("performance: 1.00x base"), second.text());
        const ProgramRun fresh = explore("--fresh");
        QVERIFY2(fresh.succeeded() && !fresh.remarks("of exploration"), fresh.text());
        QVERIFY2(trialsOf(second) < trialsOf(fresh), second.text());
    }

    void warnsOfAnotherExploration_data()
    {
        rows<const char*, bool, const char*>(
            {{"any device", {"cpu", false, "Both may disturb each other."}},
             {"the same device", {"cpu", true, "Both disturb each other."}},
             {"a device that is not known yet", {"", true, "Both may disturb each other."}},
             {"another device", {"cuda:0", true, ""}}});
    }
    void warnsOfAnotherExploration()
    {
        const auto& [device, namesDevice, message] = row<const char*, bool, const char*>();
        const QTemporaryDir home;
        QVERIFY(QDir(home.path()).mkdir(QStringLiteral("batchpeak")));
        store::HistoryWriter elsewhere(home.filePath(QStringLiteral("batchpeak/explorations.sqlite")));
        elsewhere.begin(
            {.started = QDateTime::currentDateTimeUtc(), .filePath = QStringLiteral("/other.yaml")});
        if (const QString id = QString::fromUtf8(device); !id.isEmpty())
            elsewhere.addDevice({.id = id, .name = {}, .program = {}});
        QProcessEnvironment environment = environmentWithoutDisplay();
        environment.insert(QStringLiteral("XDG_DATA_HOME"), home.path());
        QStringList arguments = exploreArguments("", words("--max-trials 1"));
        if (!namesDevice)
            arguments.remove(arguments.indexOf(QStringLiteral("--device")), 2);
        const ProgramRun run = runProgram(arguments, environment);
        QVERIFY2(run.succeeded(), run.text());
        const QString text = QString::fromUtf8(message);
        QVERIFY2(run.err.contains(QStringLiteral("has been exploring other.yaml")) == !text.isEmpty() &&
                     run.err.contains(text),
                 run.text());
    }

    void printsOnlyTheLastLinesWhenQuiet()
    {
        const ProgramRun run = runProgram(exploreArguments("", words("--quiet")));
        QVERIFY2(run.succeeded(), run.text());
        QVERIFY2(run.outLines().front().startsWith(QLatin1String("recommended")), run.text());
        QVERIFY2(!run.answers("BEXP202"), run.text());
        QVERIFY2(run.err.isEmpty(), run.text());
    }

    void exploresBothPhasesAndWritesBothSizes()
    {
        const QTemporaryDir folder;
        const QString target = folder.filePath(QStringLiteral("out.yaml"));
        const QString events = folder.filePath(QStringLiteral("events"));
        const ProgramRun run =
            runProgram(exploreArguments("", words("--phase both --quiet --min-confidence 0 --output") +
                                                QStringList{target, QStringLiteral("--events"), events}));
        QVERIFY2(run.succeeded({" for evaluation"}), run.text());
        QCOMPARE(run.outLines().filter(QStringLiteral("recommended")).size(), 2);
        QStringList phases;
        QList<QByteArray> sizes;
        for (const QByteArray& line : bytesOf(events).split('\n')) {
            const QJsonObject event = QJsonDocument::fromJson(line).object();
            if (event[QLatin1String("event")] == QLatin1String("started"))
                phases << event[QLatin1String("phase")].toString();
            if (event[QLatin1String("event")] == QLatin1String("finished"))
                sizes << QByteArray::number(event[QLatin1String("micro_batch_size")].toInteger());
        }
        QCOMPARE(phases, (QStringList{QStringLiteral("train"), QStringLiteral("eval")}));
        QList<QByteArray> written;
        for (const QByteArray& line : bytesOf(target).split('\n')) {
            if (line.trimmed().startsWith("micro_batch_size: "))
                written << line.trimmed().split(' ').value(1);
        }
        QCOMPARE(written, sizes);
    }

    void explainsHowToWriteTheOnlySizeFound()
    {
        const QTemporaryDir folder;
        // Training, which is explored first, does not fit.
        const QString worker =
            QStringLiteral("sh -c \"if test -e %1/trained; then exec %2; fi; touch %1/trained; "
                           "exec %2 base=3000000000\"")
                .arg(folder.path(), QStringLiteral(BATCHPEAK_FAKE_WORKER));
        const QString target = folder.filePath(QStringLiteral("out.yaml"));
        const ProgramRun run = runProgram(
            words("explore --strategy ramp --max 64 --phase both --output") +
            QStringList{target, QStringLiteral("--worker"), worker, examplePath("gpt2-tiny.yaml")});
        QVERIFY2(run.exitCode == 2, run.text());
        QVERIFY2(run.answers(" for evaluation"), run.text());
        QVERIFY2(run.remarks("since one phase has no size") && run.remarks("--phase eval --output"),
                 run.text());
        QVERIFY(!QFileInfo::exists(target));
    }

    void printsThePlanAndRunsNoTrial()
    {
        const QTemporaryDir folder;
        const QString history = folder.filePath(QStringLiteral("batchpeak"));
        const QString target = folder.filePath(QStringLiteral("out.yaml"));
        QProcessEnvironment environment = environmentWithoutDisplay();
        environment.insert(QStringLiteral("XDG_DATA_HOME"), folder.path());
        // This worker never answers, so the run ends only if none is asked.
        const ProgramRun run = runProgram(
            exploreArguments("start=silent",
                             words("--dry-run --tolerance 5 --memory-limit 800M --max 64 --output") +
                                 QStringList{target}),
            environment);
        QVERIFY2(run.succeeded({"gpt2 with 1071872 parameters", "train_input.batch_size, line 6",
                                "Sizes 1 to 64 are considered.", "736 MiB"}),
                 run.text());
        const auto says = [&run](const char* pattern) {
            return run.out.contains(
                QRegularExpression(QString::fromUtf8(pattern), QRegularExpression::MultilineOption));
        };
        QVERIFY2(says("^trials +About \\d+ trials \\(\\d+ to \\d+, at most 64\\)\\.$"), run.text());
        QVERIFY2(says("^--tolerance +5 +yours$"), run.text());
        QVERIFY2(says("^--confidence +95 +default$"), run.text());
        QVERIFY2(says("^--min-confidence +50 +default$"), run.text());
        QVERIFY2(says("^--sequence-length +128 +config, .*line \\d+$"), run.text());
        QVERIFY2(says("^cpu +"), run.text());
        QVERIFY2(!run.answers("BEXP202") && !run.remarks("trial "), run.text());
        QVERIFY(!QFileInfo::exists(history) && !QFileInfo::exists(target));
    }

    void reportsWhyAPlanWouldBeRefused()
    {
        const ProgramRun run =
            runProgram(exploreArguments("", words("--dry-run --setting auto --min 33 --max 63")));
        QVERIFY2(run.exitCode == 1 && run.remarks("batchpeak: "), run.text());
        QVERIFY2(run.remarks("No divisor of the per-device batch"), run.text());
    }

    void runsInTheTerminalWithoutADisplay()
    {
        QStringList arguments = exploreArguments("");
        arguments.front() = QStringLiteral("--start");
        const ProgramRun run = runProgram(arguments);
        QVERIFY2(run.succeeded({"BEXP202"}), run.text());
    }

    void changesOneLineOfTheConfig()
    {
        const QTemporaryDir folder;
        const QString target = folder.filePath(QStringLiteral("out.yaml"));
        const ProgramRun run =
            runProgram(exploreArguments("", words("--setting 32 --output") + QStringList{target}));
        QVERIFY2(run.succeeded(), run.text());
        QCOMPARE(bytesOf(target), exampleWithSize("32"));
    }

    void writesNothingWithoutAUsableSize_data()
    {
        rows<const char*, int>({{"nothing fits", {"base=3000000000", 2}},
                                {"no trials", {"start=exit", 3}},
                                // The example's batch_size is 256, and this worker is faster at larger sizes.
                                {"size above the batch", {"alpha=1 beta=0.0001 slope=1000", 1}}});
    }
    void writesNothingWithoutAUsableSize()
    {
        const auto& [behavior, exitCode] = row<const char*, int>();
        const QTemporaryDir folder;
        const QString target = folder.filePath(QStringLiteral("out.yaml"));
        const ProgramRun run = runProgram(exploreArguments(behavior, {QStringLiteral("--output"), target}));
        QVERIFY2(run.exitCode == exitCode, run.text());
        QVERIFY2(!QFileInfo::exists(target), run.text());
        QVERIFY2(run.remarks("batchpeak: "), run.text());
    }

    void writesTheDocumentedFieldsOfEvents_data()
    {
        rows<const char*, const char*>({{"good", {"", "budget"}},
                                        {"nothing fits", {"base=3000000000", "nothing_fits"}},
                                        {"no worker", {"start=exit", "failed"}}});
    }
    void writesTheDocumentedFieldsOfEvents()
    {
        const auto& [behavior, status] = row<const char*, const char*>();
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("events.jsonl"));
        const ProgramRun run = runProgram(exploreArguments(behavior, threeTrials + QStringList{path}));
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

    void reportsThatEventsAreMissing()
    {
        const QString full = QStringLiteral("/dev/full");
        if (!QFileInfo::exists(full))
            QSKIP("This system has no file that takes nothing.");
        const ProgramRun run = runProgram(exploreArguments("", threeTrials + QStringList{full}));
        QVERIFY2(run.exitCode == 4, run.text());
        QVERIFY2(run.answers("recommended") && run.remarks("events could not all be written: "), run.text());
    }

    // Without a history, the exploration still ends with a size, and prints one warning.
    void needsNoHistory_data()
    {
        rows<BadHome>(
            {{"no home", {.home = "/proc/nowhere", .message = "Nothing more of this exploration is kept."}},
             {"a damaged history",
              {.make = [](const QString& path) { QVERIFY(writeBytes(path, QByteArray(5000, 'x'))); },
               .message = "was damaged. It was kept as "}},
             {"a folder in its place",
              {.make = [](const QString& path) { QVERIFY(QDir().mkpath(path)); },
               .message = "and the next start takes it in."}},
             {"a pipe in its place",
              {.make =
                   [](const QString& path) {
                       QCOMPARE(::mkfifo(QFile::encodeName(path).constData(), 0600), 0);
                   },
               .message = "and the next start takes it in."}}});
    }
    void needsNoHistory()
    {
        const auto& [home, make, message] = row<BadHome>();
        const QTemporaryDir folder;
        QProcessEnvironment environment = environmentWithoutDisplay();
        environment.remove(QStringLiteral("HOME"));
        environment.insert(QStringLiteral("XDG_DATA_HOME"), home.isEmpty() ? folder.path() : QString(home));
        QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("batchpeak")));
        make(folder.filePath(QStringLiteral("batchpeak/explorations.sqlite")));
        const QString target = folder.filePath(QStringLiteral("out.yaml"));
        const ProgramRun run = runProgram(
            exploreArguments("", words("--setting 32 --output") + QStringList{target}), environment);
        QVERIFY2(run.succeeded({"micro_batch_size: 32"}), run.text());
        QCOMPARE(bytesOf(target), exampleWithSize("32"));
        QVERIFY2(run.remarks(message), run.text());
        QCOMPARE(run.err.count(QLatin1String("warning: The history ")), 1);
    }

    void writesEventsOfEveryTrialAndRecommendation()
    {
        const ProgramRun run = runProgram(exploreArguments("", threeTrials + words("-")));
        QVERIFY2(run.succeeded(), run.text());
        const std::vector<QJsonObject> events = eventsIn(run.out.toUtf8());
        QVERIFY2(!events.empty(), run.text());
        const auto count = [&](const char* name) {
            return std::ranges::count(events, QLatin1String(name), nameOf);
        };
        QCOMPARE(count("device"), 1);
        // Three trials, and one that verifies the recommended size in a fresh process.
        QCOMPARE(count("trial_started"), 4);
        QCOMPARE(count("trial_finished"), 4);
        QVERIFY2(run.remarks("4 trials (one of them a verification)"), run.text());
        QVERIFY(count("recommendation") > 0);
        // Text for people goes to stderr.
        QVERIFY2(run.remarks("BEXP202"), run.text());
        QVERIFY2(run.remarks("recommended"), run.text());
    }

    void reportsThatTheRecommendedSizeIsUnverified()
    {
        const QTemporaryDir folder;
        const QByteArray behavior =
            "start=refuse after=1 starts=" + folder.filePath(QStringLiteral("starts")).toUtf8();
        const ProgramRun run = runProgram(exploreArguments(behavior.constData(), threeTrials + words("-")));
        QVERIFY2(run.succeeded(), run.text());
        QVERIFY2(run.remarks("was not verified in a fresh process.\n"), run.text());
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

BATCHPEAK_TEST(ExploreCommandTest)
#include "tst_explore_command.moc"
