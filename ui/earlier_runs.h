// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/snapshot.h"

#include <QDateTime>
#include <QMenu>
#include <QString>

#include <functional>
#include <optional>
#include <vector>

namespace batchpeak::ui {

/// An exploration that has ended, as it is looked at again.
struct EarlierRun
{
    QDateTime started;
    engine::Snapshot snapshot;
};

/// The menu of the explorations that have ended and can be looked at again: those of this window, with all
/// that was known of them, and those of the same config in the history.
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

signals:
    void chosen(const batchpeak::ui::EarlierRun& run);
    /// The history cannot be read; \p sentence says why and what to do.
    void failed(const QString& sentence);

private:
    void fill();
    Entry entryOf(const EarlierRun& run);
    void addHistory(std::vector<Entry>& entries);
    void choose(qint64 exploration);
    /// Of the config in hand, and not in hand itself.
    bool isEarlier(const EarlierRun& run) const;
    bool isOfThisWindow(const QDateTime& started) const;

    QString m_historyPath;
    /// Of the exploration in hand; invalid before the first one has begun.
    QDateTime m_began;
    std::optional<engine::RunDescription> m_run;
    /// The oldest first.
    std::vector<EarlierRun> m_ended;
};

/// "14:02", with the day where that is another than today's.
QString startText(const QDateTime& started);

} // namespace batchpeak::ui
