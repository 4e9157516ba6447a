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

/// An exploration that the user views instead of the window's current one: one that has ended, or one that
/// another program runs.
struct EarlierRun
{
    QDateTime started;
    engine::Snapshot snapshot;
    /// Number of the exploration in the history; 0 for one that this window has run.
    qint64 exploration = 0;
    /// Whether the state of its search has yet to be recomputed from the history.
    bool awaitsSearch = false;
    /// What a user calls an exploration whose events are followed, "gpu7:run.jsonl"; empty for any other.
    QString followed = {};
    /// What is being waited for there, or does not work; empty while there is news.
    QString remark = {};
};

/// Menu of the explorations that can be viewed besides the current one: the ended ones of this window, with
/// all that was known of them, and those of the same config in the history, under way or not.
///
/// The history is read when the menu opens or its entries are requested. If an exploration cannot be read,
/// only the entries from the history are missing.
class EarlierRuns : public QMenu
{
    Q_OBJECT

public:
    explicit EarlierRuns(QWidget* parent);

    /// \param path  path of the store; if empty, there are only the runs of this window
    void setHistory(const QString& path) { m_historyPath = path; }
    const QString& history() const { return m_historyPath; }
    /// Records that an exploration of this window begins; follow() refers to it from now on.
    void begin(const QDateTime& now);
    /// Takes the state of the window's own exploration, and keeps a copy each time that it ends.
    void follow(const engine::Snapshot& snapshot);

    struct Entry
    {
        /// "14:02 · 192 · 96 % · 18 trials"
        QString text;
        /// Opens the run for viewing; if empty, the text says why that is not possible.
        std::function<void()> choose;
    };
    /// Returns the entries of the current config, those of this window first. Reads the history.
    std::vector<Entry> entries();

    /// Returns the newest run of this window other than its current one; null if there is none.
    const EarlierRun* previous() const;

    /// Whether the history already has all of an exploration. Returns false if the history cannot be read
    /// right away.
    bool holds(const engine::Snapshot& exploration) const;
    /// Returns that exploration of the history in its current state; nothing if it no longer exists.
    /// \throws store::StoreError
    std::optional<EarlierRun> read(qint64 exploration) const;
    /// Looks for explorations that other programs run, of any config. Reads the history only if there are
    /// some.
    /// \return whether the result differs from the previous one
    bool lookElsewhere();
    const std::vector<engine::RunElsewhere>& elsewhere() const { return m_elsewhere; }
    /// Returns the exploration of the config with that absolute path; null if there is none.
    const engine::RunElsewhere* elsewhereOf(const QString& path) const;
    /// Returns a sentence about an exploration that a run of that config on these devices would disturb;
    /// empty if there is none.
    /// \param devices  ids, or "cuda" for any GPU; if empty, the devices are unknown and could be any
    QString elsewhereText(const QString& path, const QStringList& devices) const;

    /// Opens that exploration of the history for viewing, in its current state. The state of its search
    /// follows later: recomputing it occupies a processor core, which would disturb running trials, and so it
    /// waits for their end.
    void choose(qint64 exploration);
    /// Whether recomputing the state of a search may begin now.
    bool mayThink() const { return !m_isUnderWay && m_elsewhere.empty() && !m_search.isBusy(); }
    /// Does the same as choose(), but throws instead of emitting failed().
    /// \throws store::StoreError
    void lookAt(qint64 exploration);

signals:
    void chosen(const batchpeak::ui::EarlierRun& run);
    /// The state of the search of a chosen exploration has been recomputed from the history, and is added to
    /// \p run as far as that was possible.
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
    /// Whether the run is of the current config, and is not the current run itself.
    bool isEarlier(const EarlierRun& run) const;
    bool isOfThisWindow(qint64 exploration) const;

    QString m_historyPath;
    engine::BackgroundThread m_search;
    /// Start time of the current exploration; invalid before the first one has begun.
    QDateTime m_began;
    bool m_isUnderWay = false;
    std::optional<engine::RunDescription> m_run;
    /// Snapshot::numberInHistory of the current exploration.
    qint64 m_numberInHistory = 0;
    /// Ended runs of this window, oldest first.
    std::vector<EarlierRun> m_ended;
    std::vector<engine::RunElsewhere> m_elsewhere;
};

/// "Stopped after 5 trials with size 24, confidence 61 %, on cuda:0 NVIDIA H100"
QString outcomeText(const engine::Snapshot& snapshot);
/// "Viewing the run of 28 Nov, 14:09 (evaluation)." followed by how the run ended, or who runs it.
QString viewingText(const EarlierRun& run);

} // namespace batchpeak::ui
