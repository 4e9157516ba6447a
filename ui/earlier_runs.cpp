// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "earlier_runs.h"

#include "engine/fidelity_text.h"
#include "engine/phase_sequence.h"
#include "engine/readable_text.h"
#include "engine/stored_snapshot.h"
#include "store/exploration_store.h"

#include <QFileInfo>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace batchpeak::ui {

namespace {

// Each holds its whole log and curve.
constexpr std::size_t mostKept = 8;
constexpr int mostOfHistory = 12;
// Between the moments at which the window and the history note a start.
constexpr qint64 sameStartMilliseconds = 2000;

/// "14:02 · 192 · 96 % · 18 trials", "14:05 · evaluation · 512 · 97 % · 20 trials"
QString entryText(const QDateTime& started, model::Phase phase, const std::optional<std::int64_t>& size,
                  int confidence, int trials, const config::Fidelity& fidelity)
{
    QStringList parts{startText(started)};
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

QString startText(const QDateTime& started)
{
    const QDateTime local = started.toLocalTime();
    const QString time = local.time().toString(QStringLiteral("HH:mm"));
    if (local.date() == QDate::currentDate())
        return time;
    return EarlierRuns::tr("%1 %2", "a day and a time")
        .arg(QLocale().toString(local.date(), QLocale::ShortFormat), time);
}

EarlierRuns::EarlierRuns(QWidget* parent) : QMenu(tr("&Earlier runs"), parent)
{
    connect(this, &QMenu::aboutToShow, this, &EarlierRuns::fill);
    fill();
}

void EarlierRuns::begin(const QDateTime& now)
{
    m_began = now;
}

void EarlierRuns::follow(const engine::Snapshot& snapshot)
{
    m_run = snapshot.run;
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
    // Only the window's own exploration can go on.
    m_ended.back().snapshot.canGoOn = false;
    if (m_ended.size() > mostKept)
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

bool EarlierRuns::isOfThisWindow(const QDateTime& started) const
{
    const auto isSame = [&](const QDateTime& own) {
        return own.isValid() && std::abs(own.msecsTo(started)) < sameStartMilliseconds;
    };
    return isSame(m_began) || std::ranges::any_of(m_ended, isSame, &EarlierRun::started);
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
    const QString text = entryText(run.started, run.snapshot.run->phase,
                                   recommendation ? std::optional(recommendation->size) : std::nullopt,
                                   recommendation ? recommendation->confidence : 0,
                                   static_cast<int>(run.snapshot.trials.size()), run.snapshot.run->fidelity);
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
            if (summary.info.filePath != file || summary.trials == 0 || isOfThisWindow(summary.info.started))
                continue;
            const auto& recommendation = summary.recommendation;
            const QString text = entryText(
                summary.info.started,
                model::fromText<model::Phase>(summary.info.phase.toStdString()).value_or(model::Phase::Train),
                recommendation ? std::optional<std::int64_t>(recommendation->microBatchSize) : std::nullopt,
                recommendation ? recommendation->confidence : 0, summary.trials,
                engine::fidelityOf(summary.info.fidelity));
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
        const store::ExplorationStore store(m_historyPath);
        if (const auto stored = store.show(exploration))
            emit chosen(
                {.started = stored->summary.info.started, .snapshot = engine::snapshotOf(*stored, *m_run)});
    } catch (const store::StoreError& error) {
        emit failed(error.sentence());
    }
}

} // namespace batchpeak::ui
