// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/exploration_charts.h"
#include "exploration/trials_view.h"
#include "sample_snapshots.h"
#include "sample_windows.h"

#include <CLI/CLI.hpp>

#include <QApplication>
#include <QStandardPaths>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

using namespace batchpeak;

namespace {

/// Returns the CPU time of this thread, which other programs affect less than wall time.
double threadMilliseconds()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

enum Part { Charts, Table, Rest };
constexpr std::array<const char*, 3> partNames{"charts", "table", "rest"};

Part partOf(const QObject* receiver)
{
    for (const QObject* object = receiver; object; object = object->parent()) {
        if (object->objectName() == QStringLiteral("charts"))
            return Charts;
        if (qobject_cast<const ui::TrialsView*>(object))
            return Table;
    }
    return Rest;
}

/// Measures the CPU time of the events of each part of the window, without that of nested events.
class TimedApplication : public QApplication
{
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override
    {
        const double outer = std::exchange(m_inner, 0.0);
        const double start = threadMilliseconds();
        const bool done = QApplication::notify(receiver, event);
        const double took = threadMilliseconds() - start;
        m_milliseconds[partOf(receiver)] += took - m_inner;
        m_inner = outer + took;
        return done;
    }

    std::array<double, 3> takeMilliseconds() { return std::exchange(m_milliseconds, {}); }

private:
    std::array<double, 3> m_milliseconds{};
    /// CPU time of the events that the current one sent.
    double m_inner = 0.0;
};

/// Exploration that never ends: it measures leaders again and compares them, like the end of a search.
class LongExploration
{
public:
    explicit LongExploration(int trials) : m_snapshot(test::runningSnapshot())
    {
        m_snapshot.trials.clear();
        while (static_cast<int>(m_snapshot.trials.size()) < trials)
            finish(begun());
        m_snapshot.trials.push_back(begun());
    }

    const engine::Snapshot& snapshot() const { return m_snapshot; }

    /// Continues by one frame: the first two steps of a trial, then its end, take one each.
    void continueSearch()
    {
        trial::TrialRecord& running = m_snapshot.trials.back();
        m_snapshot.elapsedSeconds += 0.1;
        running.wallSeconds += 0.1;
        if (++running.timedSteps <= 2) {
            running.samplesPerSecond = rateOf(running.microBatchSize, running.number);
            running.relativeError = 0.02;
            return;
        }
        const trial::TrialRecord ended = running;
        m_snapshot.trials.pop_back();
        finish(ended);
        m_snapshot.trials.push_back(begun());
    }

private:
    static double rateOf(std::int64_t size, int number)
    {
        return test::throughputAt(static_cast<double>(size)) * (1.0 + 0.01 * std::sin(7.0 * number));
    }

    trial::TrialRecord begun() const
    {
        const auto number = static_cast<int>(m_snapshot.trials.size()) + 1;
        constexpr std::array<std::int64_t, 8> grid{1, 4, 16, 48, 96, 128, 224, 240};
        if (number % 4 == 0)
            return test::comparisonOf(std::nullopt, number, {160, 160 + 4 * (1 + number % 16)}, {});
        const std::int64_t size = number % 3 == 0 ? 100 + (number * 37) % 140
                                                  : grid[static_cast<std::size_t>(number) % grid.size()];
        return test::trialThat(std::nullopt, number, size, 0.0);
    }

    void finish(trial::TrialRecord trial)
    {
        if (trial.isComparison()) {
            std::vector<std::int64_t> sizes;
            for (const trial::ComparedRecord& size : trial.compared)
                sizes.push_back(size.microBatchSize);
            trial = test::comparisonOf(trial::Outcome::Ok, trial.number, sizes, {0.0, 0.004});
        } else {
            const auto real = static_cast<double>(trial.microBatchSize);
            trial.outcome = trial::Outcome::Ok;
            trial.samplesPerSecond = rateOf(trial.microBatchSize, trial.number);
            trial.relativeError = 0.01;
            trial.secondsPerStep = real / *trial.samplesPerSecond;
            trial.forwardSeconds = 0.3 * *trial.secondsPerStep;
            trial.backwardSeconds = 0.7 * *trial.secondsPerStep;
            trial.optimizerSeconds = 0.014;
            trial.peakReservedBytes = test::bytesOf(test::peakGibibytesAt(real));
            trial.timedSteps = 12;
            trial.wallSeconds = 4.0;
        }
        m_snapshot.trials.push_back(std::move(trial));
        // The new trial moves the curve a little.
        for (search::CurvePoint& point : m_snapshot.searchState.curve) {
            const double share = 1.0 + 1e-4 * std::sin(static_cast<double>(m_snapshot.trials.size()));
            point.samplesPerSecond *= share;
            point.low *= share;
            point.high *= share;
        }
        test::say(m_snapshot, static_cast<int>(m_snapshot.trials.size()),
                  QStringLiteral("a trial has ended"));
        if (m_snapshot.log.size() > 400)
            m_snapshot.log.erase(m_snapshot.log.begin());
    }

    engine::Snapshot m_snapshot;
};

struct Frame
{
    std::array<double, 3> milliseconds{};
    double all() const { return milliseconds[Charts] + milliseconds[Table] + milliseconds[Rest]; }
};

/// Displays snapshots in a window, one after the other.
class Bench
{
public:
    explicit Bench(TimedApplication& application) : m_application(application) { m_window.show(); }

    Frame frameOf(const engine::Snapshot& snapshot)
    {
        m_application.takeMilliseconds();
        Frame frame;
        const auto timed = [](const auto& work) {
            const double start = threadMilliseconds();
            work();
            return threadMilliseconds() - start;
        };
        const auto charts = [&] { m_charts->display(snapshot); };
        const auto table = [&] { m_table->display(snapshot, m_charts->memoryUnit()); };
        frame.milliseconds[Charts] = timed(charts);
        frame.milliseconds[Table] = timed(table);
        // The second time, these two only find that nothing has changed.
        const double again = timed(charts) + timed(table);
        frame.milliseconds[Rest] = std::max(0.0, timed([&] { m_window.display(snapshot); }) - again);
        QApplication::processEvents();
        const auto events = m_application.takeMilliseconds();
        for (const Part part : {Charts, Table, Rest})
            frame.milliseconds[part] += events[part];
        return frame;
    }

    void point() { emit m_window.findChild<ui::ThroughputChart*>()->placePointedAt(224); }

private:
    TimedApplication& m_application;
    test::SampleWindow m_window{ui::Theme::light(), QSize(1440, 900)};
    ui::ExplorationCharts* m_charts = m_window.findChild<ui::ExplorationCharts*>();
    ui::TrialsView* m_table = m_window.findChild<ui::TrialsView*>();
};

double quantile(std::vector<double> values, double share)
{
    const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
    std::ranges::nth_element(values, values.begin() + place);
    return values[static_cast<std::size_t>(place)];
}

void print(const char* name, const std::vector<double>& milliseconds)
{
    std::printf("%-8s %8.2f %8.2f\n", name, quantile(milliseconds, 0.5), quantile(milliseconds, 0.95));
}

void run(TimedApplication& application, int trials, int frames, bool points)
{
    LongExploration exploration(trials - frames / 3);
    Bench bench(application);
    // The first frames lay out the window.
    for (int i = 0; i < 3; ++i)
        bench.frameOf(exploration.snapshot());
    if (points)
        bench.point();
    std::vector<Frame> taken;
    for (int i = 0; i < frames; ++i) {
        exploration.continueSearch();
        taken.push_back(bench.frameOf(exploration.snapshot()));
    }
    std::printf("%s\n%-8s %8s %8s\n", points ? "a size is pointed at" : "nothing is pointed at", "ms",
                "median", "95 %");
    const auto those = [&](const auto& of) {
        std::vector<double> milliseconds;
        std::ranges::transform(taken, std::back_inserter(milliseconds), of);
        return milliseconds;
    };
    for (const Part part : {Charts, Table, Rest})
        print(partNames[part], those([&](const Frame& frame) { return frame.milliseconds[part]; }));
    print("all", those([](const Frame& frame) { return frame.all(); }));
}

} // namespace

/// Measures the CPU time of the GUI thread for one frame of a long exploration: displaying the snapshot,
/// layout and painting.
int main(int argc, char** argv)
{
    CLI::App options("Milliseconds of processor time for one picture of the window, 1440 x 900, as an "
                     "exploration goes on: "
                     "each trial is two pictures of its steps and one of its end.");
    int trials = 400;
    int frames = 300;
    options.add_option("--trials", trials, "how many trials there are at the end")->capture_default_str();
    options.add_option("--frames", frames, "how many pictures are timed")->capture_default_str();
    CLI11_PARSE(options, argc, argv);
    // Draws offscreen, since a screen would limit the frame rate.
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QStandardPaths::setTestModeEnabled(true);
    TimedApplication application(argc, argv);
    for (const bool points : {false, true})
        run(application, trials, frames, points);
    return 0;
}
