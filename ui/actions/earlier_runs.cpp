// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "earlier_runs.h"

#include "plan/phase_sequence.h"
#include "snapshot/ending_text.h"
#include "store/exploration_store.h"
#include "store/history_writer.h"
#include "text/fidelity_text.h"
#include "text/json_fields.h"
#include "text/readable_text.h"

#include <QFileInfo>
#include <QLocale>

#include <algorithm>
#include <utility>

namespace batchpeak::ui {

namespace {

// Each run has its whole log and curve.
constexpr std::size_t maxKept = 8;
constexpr int mostOfHistory = 12;

struct EntryWords
{
    QDateTime started;
    model::Phase phase = model::Phase::Train;
    bool isUnderWay = false;
    std::optional<std::int64_t> size;
    int confidence = 0;
    int trials = 0;
    config::Fidelity fidelity;
};

/// "14:02 · 192 · 96 % · 18 trials", "14:05 · evaluation · 512 · 97 % · 20 trials"
QString entryText(const EntryWords& words)
{
    const auto& [started, phase, isUnderWay, size, confidence, trials, fidelity] = words;
    QStringList parts{engine::momentText(started)};
    if (isUnderWay)
        return (parts << EarlierRuns::tr("running elsewhere") << engine::trialsText(trials))
            .join(QStringLiteral(" · "));
    if (phase == model::Phase::Eval)
        parts << engine::phaseText(phase);
    if (size)
        parts << engine::numberText(*size) << EarlierRuns::tr("%1 %").arg(confidence);
    else
        parts << EarlierRuns::tr("no size");
    parts << engine::trialsText(trials);
    if (fidelity.hasCaveat())
        parts << engine::fidelityName(fidelity);
    return parts.join(QStringLiteral(" · "));
}

} // namespace

QString outcomeText(const engine::Snapshot& snapshot)
{
    using engine::FinishStatus;
    const QString after = !snapshot.finish                             ? EarlierRuns::tr("%1 so far")
                          : snapshot.finish == FinishStatus::Cancelled ? EarlierRuns::tr("Stopped after %1")
                          : snapshot.finish == FinishStatus::Failed    ? EarlierRuns::tr("Failed after %1")
                                                                       : EarlierRuns::tr("Finished after %1");
    QStringList parts;
    const auto& recommendation = snapshot.searchState.recommendation;
    const QString trials = after.arg(engine::trialsText(engine::uncancelledTrials(snapshot)));
    if (snapshot.recommendsSize())
        parts << EarlierRuns::tr("%1 with size %2").arg(trials, engine::numberText(recommendation->size))
              << EarlierRuns::tr("confidence %1 %").arg(recommendation->confidence);
    else
        parts << EarlierRuns::tr("%1 without a size").arg(trials);
    QStringList devices;
    for (const engine::DeviceSnapshot& device : snapshot.devices)
        devices << QStringLiteral("%1 %2").arg(device.id, device.name).trimmed();
    if (!devices.isEmpty())
        parts << EarlierRuns::tr("on %1").arg(devices.join(EarlierRuns::tr(" and ")));
    return parts.join(QStringLiteral(", "));
}

namespace {

QString followingText(const EarlierRun& run)
{
    const engine::Snapshot& snapshot = run.snapshot;
    QStringList sentences;
    // What is waited for says what is watched.
    if (!snapshot.run && !run.remark.isEmpty())
        return run.remark;
    if (!snapshot.run)
        sentences << EarlierRuns::tr("Watching %1.").arg(run.followed);
    else if (snapshot.isUnderWay())
        sentences << EarlierRuns::tr("Watching %1 (%2), which runs elsewhere: pause or stop it there. %3.")
                         .arg(run.followed, engine::phaseText(snapshot.run->phase), outcomeText(snapshot));
    else
        sentences << EarlierRuns::tr("Watched %1 (%2). %3.")
                         .arg(run.followed, engine::phaseText(snapshot.run->phase), outcomeText(snapshot));
    if (!run.remark.isEmpty())
        sentences.prepend(run.remark);
    return sentences.join(QLatin1Char(' '));
}

} // namespace

QString viewingText(const EarlierRun& run)
{
    if (!run.followed.isEmpty())
        return followingText(run);
    const QString viewing = run.snapshot.isUnderWay()
                                ? EarlierRuns::tr("Viewing the run of %1 (%2), which is running in another "
                                                  "window or terminal. %3.")
                                : EarlierRuns::tr("Viewing the run of %1 (%2). %3.");
    return viewing.arg(engine::dayAndTimeText(run.started), engine::phaseText(run.snapshot.run->phase),
                       outcomeText(run.snapshot));
}

EarlierRuns::EarlierRuns(QWidget* parent) : QMenu(tr("&Earlier runs"), parent)
{
    connect(this, &QMenu::aboutToShow, this, &EarlierRuns::fill);
    fill();
}

void EarlierRuns::begin(const QDateTime& now)
{
    m_began = now;
    m_isUnderWay = true;
    // Recomputing a search would take processor time from the trials.
    m_search.cancel();
}

void EarlierRuns::follow(const engine::Snapshot& snapshot)
{
    m_run = snapshot.run;
    m_numberInHistory = snapshot.numberInHistory;
    m_isUnderWay = snapshot.isUnderWay();
    if (snapshot.state == engine::State::Idle)
        m_began = QDateTime();
    const bool hasEnded =
        snapshot.state == engine::State::Finished || snapshot.state == engine::State::Failed;
    if (!hasEnded || !m_began.isValid() || snapshot.trials.empty())
        return;
    const bool isKept = !m_ended.empty() && m_ended.back().started == m_began;
    if (isKept && m_ended.back().snapshot.log.size() == snapshot.log.size())
        return;
    if (!isKept)
        m_ended.push_back({.started = m_began, .snapshot = {}});
    m_ended.back().snapshot = snapshot;
    // Only the window's current exploration can be continued.
    m_ended.back().snapshot.canContinue = false;
    if (m_ended.size() > maxKept)
        m_ended.erase(m_ended.begin());
}

const EarlierRun* EarlierRuns::previous() const
{
    const auto found = std::find_if(m_ended.rbegin(), m_ended.rend(),
                                    [this](const EarlierRun& run) { return isEarlier(run); });
    return found == m_ended.rend() ? nullptr : &*found;
}

bool EarlierRuns::isEarlier(const EarlierRun& run) const
{
    return run.started != m_began && m_run && run.snapshot.run->filePath == m_run->filePath;
}

bool EarlierRuns::isOfThisWindow(qint64 exploration) const
{
    const auto isSame = [&](const EarlierRun& run) { return run.snapshot.numberInHistory == exploration; };
    return m_numberInHistory == exploration || std::ranges::any_of(m_ended, isSame);
}

void EarlierRuns::fill()
{
    clear();
    for (const Entry& entry : entries()) {
        QAction* action = addAction(entry.text);
        action->setEnabled(entry.choose != nullptr);
        connect(action, &QAction::triggered, this, [choose = entry.choose] { choose(); });
    }
    if (isEmpty())
        addAction(tr("None of this config yet"))->setEnabled(false);
}

std::vector<EarlierRuns::Entry> EarlierRuns::entries()
{
    std::vector<Entry> entries;
    for (auto run = m_ended.rbegin(); run != m_ended.rend(); ++run) {
        if (isEarlier(*run))
            entries.push_back(entryOf(*run));
    }
    addHistory(entries);
    return entries;
}

EarlierRuns::Entry EarlierRuns::entryOf(const EarlierRun& run)
{
    const auto& recommendation = run.snapshot.searchState.recommendation;
    const QString text =
        entryText({.started = run.started,
                   .phase = run.snapshot.run->phase,
                   .size = recommendation ? std::optional(recommendation->size) : std::nullopt,
                   .confidence = recommendation ? recommendation->confidence : 0,
                   .trials = engine::uncancelledTrials(run.snapshot),
                   .fidelity = run.snapshot.run->fidelity});
    return {.text = text, .choose = [this, run] { emit chosen(run); }};
}

void EarlierRuns::addHistory(std::vector<Entry>& entries)
{
    if (m_historyPath.isEmpty() || !m_run || !QFileInfo::exists(m_historyPath))
        return;
    const QString file = QFileInfo(m_run->filePath).absoluteFilePath();
    try {
        const store::ExplorationStore store(m_historyPath);
        int count = 0;
        for (const store::ExplorationSummary& summary : store.list()) {
            if (summary.info.filePath != file || isOfThisWindow(summary.id))
                continue;
            const bool isUnderWay =
                !summary.end && store::HistoryWriter::isUnderWay(m_historyPath, summary.id);
            if (summary.trials == 0 && !isUnderWay)
                continue;
            const auto& recommendation = summary.recommendation;
            const QString text = entryText(
                {.started = summary.info.started,
                 .phase =
                     engine::enumFromText<model::Phase>(summary.info.phase).value_or(model::Phase::Train),
                 .isUnderWay = isUnderWay,
                 .size = recommendation ? std::optional<std::int64_t>(recommendation->microBatchSize)
                                        : std::nullopt,
                 .confidence = recommendation ? recommendation->confidence : 0,
                 .trials = summary.trials,
                 .fidelity = engine::fidelityOf(summary.info.fidelity)});
            entries.push_back({.text = text, .choose = [this, id = summary.id] { choose(id); }});
            if (++count == mostOfHistory)
                break;
        }
    } catch (const store::StoreError& error) {
        entries.push_back({.text = error.sentence(), .choose = nullptr});
    }
}

void EarlierRuns::choose(qint64 exploration)
{
    try {
        lookAt(exploration);
    } catch (const store::StoreError& error) {
        emit failed(error.sentence());
    }
}

void EarlierRuns::lookAt(qint64 exploration)
{
    const auto found = readWithSearch(exploration);
    if (!found)
        return;
    emit chosen(found->run);
    if (!found->run.awaitsSearch || !mayThink())
        return;
    m_search.run(
        [run = found->run, search = found->search](const std::stop_token& stop) mutable {
            engine::addSearch(run.snapshot, search, stop);
            run.awaitsSearch = false;
            return run;
        },
        [this](const EarlierRun& run) { emit searchFound(run); });
}

bool EarlierRuns::holds(const engine::Snapshot& exploration) const
{
    if (exploration.numberInHistory == 0 || !QFileInfo::exists(m_historyPath))
        return false;
    try {
        const auto kept = store::ExplorationStore(m_historyPath).outline(exploration.numberInHistory);
        const auto hasEnded = [](const trial::TrialRecord& trial) {
            return !trial.isRunning() && trial.outcome != trial::Outcome::Cancelled;
        };
        return kept && kept->summary.trials >= std::ranges::count_if(exploration.trials, hasEnded);
    } catch (const store::StoreError&) {
        return false;
    }
}

std::optional<EarlierRun> EarlierRuns::read(qint64 exploration) const
{
    const auto found = readWithSearch(exploration);
    return found ? std::optional(found->run) : std::nullopt;
}

std::optional<EarlierRuns::RunAndSearch> EarlierRuns::readWithSearch(qint64 exploration) const
{
    if (!m_run || !QFileInfo::exists(m_historyPath))
        return std::nullopt;
    // Queried first: an exploration that ends meanwhile has its end in the history before its program
    // releases it.
    const auto isUnderWay = store::HistoryWriter::isUnderWay(m_historyPath, exploration)
                                ? engine::IsUnderWay::Yes
                                : engine::IsUnderWay::No;
    auto stored = store::ExplorationStore(m_historyPath).show(exploration);
    if (!stored)
        return std::nullopt;
    engine::StoredSearch search(std::move(*stored));
    EarlierRun run{.started = search.stored().summary.info.started,
                   .snapshot = engine::snapshotOf(search, *m_run, isUnderWay),
                   .exploration = exploration,
                   .awaitsSearch =
                       isUnderWay == engine::IsUnderWay::No && !search.stored().searchCalls.empty()};
    return RunAndSearch{.run = std::move(run), .search = std::move(search)};
}

bool EarlierRuns::lookElsewhere()
{
    try {
        auto now = engine::runsElsewhere(m_historyPath,
                                         [this](qint64 exploration) { return isOfThisWindow(exploration); });
        return std::exchange(m_elsewhere, now) != now;
    } catch (const store::StoreError&) {
        // A caller that requests entries gets the reason; until the history can be read again, the last
        // result is kept.
        return false;
    }
}

const engine::RunElsewhere* EarlierRuns::elsewhereOf(const QString& path) const
{
    const auto run = std::ranges::find(m_elsewhere, path, &engine::RunElsewhere::filePath);
    return run == m_elsewhere.end() ? nullptr : &*run;
}

QString EarlierRuns::elsewhereText(const QString& path, const QStringList& devices) const
{
    return engine::elsewhereText(m_elsewhere, path, devices);
}

} // namespace batchpeak::ui
