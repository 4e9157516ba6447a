// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "history/stored_snapshot.h"
#include "snapshot/snapshot.h"
#include "workers/background_thread.h"
#include "workers/runs_elsewhere.h"

#include <QDateTime>
#include <QMenu>
#include <QString>

#include <functional>
#include <optional>
#include <vector>

namespace batchpeak::ui {

/// Another exploration than the window's present one, as it is looked at: one that has ended, or one that
/// another program runs.
struct EarlierRun
{
    QDateTime started;
    engine::Snapshot snapshot;
    /// Its number in the history; 0 of one that this window has run.
    qint64 exploration = 0;
    /// What its search knew is still to be made out of the history.
    bool awaitsSearch = false;
};

/// The menu of the explorations that can be looked at beside the present one: those of this window that have
/// ended, with all that was known of them, and those of the same config in the history, under way or not.
///
/// The history is read when the menu opens, or its entries are asked for. One that cannot be read costs the
/// entries from it and nothing else.
class EarlierRuns : public QMenu
{
    Q_OBJECT

public:
    explicit EarlierRuns(QWidget* parent);

    /// \param path  of the store; without one there are only the runs of this window
    void setHistory(const QString& path) { m_historyPath = path; }
    const QString& history() const { return m_historyPath; }
    /// An exploration of the window begins; what is followed from now on is that one.
    void begin(const QDateTime& now);
    /// The state of the window's own exploration; it is kept each time that it ends.
    void follow(const engine::Snapshot& snapshot);

    struct Entry
    {
        /// "14:02 · 192 · 96 % · 18 trials"
        QString text;
        /// Has the run looked at; without it the text says why there is none.
        std::function<void()> choose;
    };
    /// Of the config in hand, those of this window first; the history is read now.
    std::vector<Entry> entries();

    /// The newest run of this window but for the one that it has in hand; null without one.
    const EarlierRun* previous() const;

    /// Whether the history has all of an exploration by now, as far as it can be read at once.
    bool holds(const engine::Snapshot& exploration) const;
    /// That exploration of the history as it stands now; nothing where it is gone.
    /// \throws store::StoreError
    std::optional<EarlierRun> read(qint64 exploration) const;
    /// Looks for those that other programs run, whatever their configs; the history is read only where there
    /// are some. \return whether they are others than before
    bool lookElsewhere();
    const std::vector<engine::RunElsewhere>& elsewhere() const { return m_elsewhere; }
    /// The one of that config, by its absolute path; null without one.
    const engine::RunElsewhere* elsewhereOf(const QString& path) const;
    /// One that a run of that config on these devices would disturb, as a sentence; empty without one.
    /// \param devices  ids, or "cuda" for any GPU; where they are not known, any may be meant
    QString elsewhereText(const QString& path, const QStringList& devices) const;

    /// Has that exploration of the history looked at, as it stands now. What its search knew follows, which
    /// takes a processor's time; trials that run would suffer from that, and so it waits for their end.
    void choose(qint64 exploration);
    /// Whether that can begin now.
    bool mayThink() const { return !m_isUnderWay && m_elsewhere.empty() && !m_search.isBusy(); }
    /// As choose(), without failed().
    /// \throws store::StoreError
    void lookAt(qint64 exploration);

signals:
    void chosen(const batchpeak::ui::EarlierRun& run);
    /// What the search of one that was chosen knew is made out of the history by now, and is added to it as
    /// far as it could be.
    void searchFound(const batchpeak::ui::EarlierRun& run);
    /// The history cannot be read; \p sentence says why and what to do.
    void failed(const QString& sentence);

private:
    struct RunAndSearch
    {
        EarlierRun run;
        engine::StoredSearch search;
    };

    void fill();
    /// \throws store::StoreError
    std::optional<RunAndSearch> readWithSearch(qint64 exploration) const;
    Entry entryOf(const EarlierRun& run);
    void addHistory(std::vector<Entry>& entries);
    /// Of the config in hand, and not in hand itself.
    bool isEarlier(const EarlierRun& run) const;
    bool isOfThisWindow(qint64 exploration) const;

    QString m_historyPath;
    engine::BackgroundThread m_search;
    /// Of the exploration in hand; invalid before the first one has begun.
    QDateTime m_began;
    bool m_isUnderWay = false;
    std::optional<engine::RunDescription> m_run;
    /// Snapshot::numberInHistory of the exploration in hand.
    qint64 m_numberInHistory = 0;
    /// The oldest first.
    std::vector<EarlierRun> m_ended;
    std::vector<engine::RunElsewhere> m_elsewhere;
};

/// "Stopped after 5 trials with size 24, confidence 61 %, on cuda:0 NVIDIA H100"
QString outcomeText(const engine::Snapshot& snapshot);
/// "Viewing the run of 28 Nov, 14:09 (evaluation)." and how it ended, or who runs it.
QString viewingText(const EarlierRun& run);

} // namespace batchpeak::ui
