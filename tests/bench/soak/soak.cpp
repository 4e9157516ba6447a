// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/event_log.h"
#include "engine/exploration_recorder.h"
#include "process_footprint.h"
#include "support/event_spy.h"
#include "support/fake_parts.h"
#include "support/small_config.h"
#include "training/training_event_log.h"
#include "training/training_run.h"

#include <CLI/CLI.hpp>

#include <QBuffer>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTimer>

#include <cstdio>
#include <iterator>
#include <malloc.h>
#include <map>

using namespace batchpeak;
using namespace std::chrono_literals;

namespace {

struct Options
{
    int explorations = 1000;
    int trainings = 200;
    int devices = 8;
    unsigned seed = 1;
};

// Behavior of the fake worker (tests/support/fake_behavior.h). faultWords() adds a random size to each,
// except to lines.
constexpr const char* explorationFaults[] = {"trial=exit",
                                             "trial=kill",
                                             "trial=abort",
                                             "trial=exit42",
                                             "trial=garbage",
                                             "trial=oom",
                                             "trial=host-memory",
                                             "trial=failed",
                                             "trial=unsupported",
                                             "trial=timeout",
                                             "trial=disturbed",
                                             "trial=thrash",
                                             "trial=late",
                                             "trial=hang",
                                             "trial=zero-steps",
                                             "trial=lost-memory",
                                             "trial=long-line",
                                             "compare=exit",
                                             "compare=hang",
                                             "compare=missing-visit",
                                             "line=half:result",
                                             "line=huge:result:/seconds_per_step",
                                             "line=nan:loaded:/limit_bytes",
                                             "line=duplicate:result",
                                             "line=signal11:hello",
                                             "line=garbage:step"};
constexpr const char* trainingFaults[] = {"batch=exit",
                                          "batch=kill",
                                          "batch=abort",
                                          "batch=exit42",
                                          "batch=hang",
                                          "batch=garbage",
                                          "batch=late",
                                          "batch=oom",
                                          "batch=thrash",
                                          "batch=host-memory",
                                          "batch=failed",
                                          "batch=nan",
                                          "line=half:saved",
                                          "line=huge:batch_result:/loss",
                                          "line=signal9:training_ready"};

template<std::size_t Count>
QString oneOf(const char* const (&choices)[Count], QRandomGenerator& random)
{
    return QString::fromLatin1(choices[random.bounded(static_cast<quint32>(Count))]);
}

/// Returns no fault in one of three runs, otherwise one or two faults, each at a random size and up to three
/// times.
template<std::size_t Count>
QString faultWords(const char* const (&choices)[Count], QRandomGenerator& random)
{
    QStringList words;
    for (quint32 left = random.bounded(3U); left > 0; --left) {
        QString word = oneOf(choices, random);
        if (!word.startsWith(QLatin1String("line=")))
            word += QStringLiteral("@%1").arg(1U << random.bounded(6U));
        words.append(word + QStringLiteral("*%1").arg(random.bounded(1, 4)));
    }
    return words.join(QLatin1Char(' '));
}

/// Returns the parts of a GPU server, with timeouts so short that faults are detected quickly.
engine::ExplorationParts partsOf(const Options& options)
{
    engine::ExplorationParts parts = test::fakeParts();
    std::vector<std::string> uuids;
    for (int i = 0; i < options.devices; ++i)
        uuids.push_back("GPU-" + std::to_string(i));
    test::setGpus(parts, uuids);
    parts.readingsOf = [](const std::string& /*uuid*/) { return device::DeviceReadings(); };
    parts.timeouts = {.startUp = 2s,
                      .load = 1s,
                      .untilMemoryIsBack = 10ms,
                      .trialGrace = -299'500ms,
                      .training = 500ms,
                      .batch = 500ms,
                      .save = 500ms,
                      .cancel = 200ms,
                      .quit = 500ms,
                      .terminate = 500ms};
    parts.restAfter = 50ms;
    return parts;
}

/// Waits until \p run reports its end, and calls \p meanwhile after \p afterMilliseconds.
template<typename End, typename Run>
bool wait(Run& run, const std::function<void()>& meanwhile, int afterMilliseconds)
{
    test::EventSpy<End> ended(run);
    if (meanwhile)
        QTimer::singleShot(afterMilliseconds, &run, meanwhile);
    return ended.count() > 0 || ended.wait(120'000);
}

using Ends = std::map<QString, int>;

/// \return how it ended
QString explore(const Options& options, QRandomGenerator& random, const QTemporaryDir& folder)
{
    engine::Exploration exploration(partsOf(options));
    engine::ExplorationOptions asked;
    for (int i = 0; i < options.devices; ++i)
        asked.devices.append(QStringLiteral("cuda:%1").arg(i));
    asked.maxTrials = random.bounded(2, 24);
    asked.strategy = random.bounded(4) == 0 ? QStringLiteral("posterior") : QStringLiteral("ramp");
    asked.verify = random.bounded(2) == 0;
    // Explorations with the same seed, strategy and worker recall each other's trials.
    asked.isFresh = random.bounded(4) == 0;
    asked.seed = random.bounded(1, 3);
    asked.workerCommand = test::fakeWorkerCommand(faultWords(explorationFaults, random), folder);

    const QString history = folder.filePath(QStringLiteral("history.sqlite"));
    exploration.load(QStringLiteral("config.yaml"), test::smallConfig(), asked);
    exploration.setHistory(history);
    const engine::ExplorationRecorder recorder(exploration, history);
    QBuffer events;
    events.open(QIODevice::WriteOnly);
    const engine::EventLog log(exploration, events);

    const int moment = random.bounded(300);
    std::function<void()> meanwhile;
    const int action = random.bounded(10);
    if (action == 0)
        meanwhile = [&] { exploration.stop(); };
    else if (action == 1)
        meanwhile = [&] {
            exploration.pause();
            QTimer::singleShot(100, &exploration, &engine::Exploration::resume);
        };
    else if (action == 2)
        meanwhile = [&] { exploration.skipTrial(); };
    exploration.start();
    if (action == 3) {
        // A user who closes the window does not wait for the end.
        QEventLoop loop;
        QTimer::singleShot(moment, &loop, &QEventLoop::quit);
        loop.exec();
        return QStringLiteral("destroyed in the midst");
    }
    if (!wait<engine::Finished>(exploration, meanwhile, moment))
        return QStringLiteral("HANGS");
    return engine::toText(*exploration.snapshot().finish);
}

QString train(const Options& options, QRandomGenerator& random, const QTemporaryDir& folder)
{
    const QTemporaryDir checkpoints;
    training::TrainingRun run(partsOf(options));
    training::TrainingOptions asked;
    asked.run.devices = {QStringLiteral("cuda:0")};
    asked.run.workerCommand = test::fakeWorkerCommand(faultWords(trainingFaults, random), folder);
    asked.steps = random.bounded(1, 12);
    asked.evaluateEvery = random.bounded(4);
    if (random.bounded(2) == 0) {
        asked.checkpointFolder = checkpoints.path();
        asked.checkpointEvery = 2;
    }
    run.load(QStringLiteral("config.yaml"), test::smallConfig(), asked);
    QBuffer events;
    events.open(QIODevice::WriteOnly);
    const training::TrainingEventLog log(run, events);
    std::function<void()> meanwhile;
    if (random.bounded(6) == 0)
        meanwhile = [&] { run.stop(); };
    run.start();
    if (!wait<training::TrainingFinished>(run, meanwhile, random.bounded(200)))
        return QStringLiteral("HANGS");
    return training::toText(*run.snapshot().end);
}

void print(const char* what, const Ends& ends)
{
    std::printf("%s:", what);
    for (const auto& [end, count] : ends)
        std::printf(" %d %s%s", count, qPrintable(end), end == ends.rbegin()->first ? ".\n" : ",");
}

} // namespace

/// Runs many explorations and trainings in one process, with random faults of their workers, and checks that
/// memory, descriptors and child processes do not grow.
int main(int argc, char** argv)
{
    // Uses one arena for all threads: mallinfo2() counts only the first one, and the number of others depends
    // on the timing of the threads.
    mallopt(M_ARENA_MAX, 1);
    const QCoreApplication application(argc, argv);
    Options options;
    CLI::App app(
        "Explorations and trainings in one process, with faults of their workers at random: how memory, "
        "descriptors and child processes stand meanwhile. Ends with 1 where they grow.");
    app.add_option("--explorations", options.explorations, "How many")->capture_default_str();
    app.add_option("--trainings", options.trainings, "How many, spread among them")->capture_default_str();
    app.add_option("--devices", options.devices, "Of each exploration")->capture_default_str();
    app.add_option("--seed", options.seed, "Of the faults")->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    const QTemporaryDir folder;
    QRandomGenerator random(options.seed);
    Ends explorations;
    Ends trainings;
    // Memory that libraries allocate at their first use is no leak, and SQLite's cache grows up to 2 MB.
    const int warmUp = options.explorations / 2;
    std::optional<test::ProcessFootprint> first;
    QElapsedTimer clock;
    clock.start();
    std::printf("%12s %9s %14s %13s %12s %9s %8s\n", "explorations", "trainings", "resident [KiB]",
                "in use [KiB]", "descriptors", "children", "threads");
    const auto report = [&](int explored, const test::ProcessFootprint& now, int trained) {
        std::printf("%12d %9d %14lld %13lld %12d %9d %8d\n", explored, trained,
                    static_cast<long long>(now.residentBytes / 1024),
                    static_cast<long long>(now.allocatedBytes / 1024), now.descriptors, now.children,
                    now.threads);
        std::fflush(stdout);
    };
    int trained = 0;
    for (int explored = 1; explored <= options.explorations; ++explored) {
        ++explorations[explore(options, random, folder)];
        if (static_cast<qint64>(explored) * options.trainings >
            static_cast<qint64>(trained) * options.explorations) {
            ++trainings[train(options, random, folder)];
            ++trained;
        }
        if (explored % std::max(1, options.explorations / 20) != 0)
            continue;
        const test::ProcessFootprint now = test::processFootprint();
        report(explored, now, trained);
        if (explored >= warmUp && !first)
            first = now;
    }
    if (!first)
        first = test::processFootprint();
    const test::ProcessFootprint last = test::processFootprint();
    print("Explorations ended", explorations);
    print("Trainings ended", trainings);

    const auto growth = [](std::int64_t before, std::int64_t after) {
        return 100.0 * (static_cast<double>(after) / static_cast<double>(before) - 1.0);
    };
    constexpr double maxPercent = 5.0;
    const double resident = growth(first->residentBytes, last.residentBytes);
    const double allocated = growth(first->allocatedBytes, last.allocatedBytes);
    const bool isSame = last.descriptors == first->descriptors && last.children == first->children;
    const bool hangs =
        explorations.contains(QStringLiteral("HANGS")) || trainings.contains(QStringLiteral("HANGS"));
    std::printf("Since the first half: resident %+.1f %%, in use %+.1f %%, descriptors %+d, children %+d, "
                "threads %+d; %.0f s.\n",
                resident, allocated, last.descriptors - first->descriptors, last.children - first->children,
                last.threads - first->threads, static_cast<double>(clock.elapsed()) / 1000.0);
    const bool holds = resident <= maxPercent && allocated <= maxPercent && isSame && !hangs;
    std::printf(holds ? "Nothing is left of them.\n" : "Something is left of them.\n");
    return holds ? 0 : 1;
}
