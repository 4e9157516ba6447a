// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "exploration_records.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace batchpeak::store {

class ExplorationStore;
class ProgramLock;

/// Writes explorations into the history of a user, whatever becomes of its file: one that another program
/// holds is tried again and again, a damaged one is set aside and a new one begun, one that is removed or has
/// lost the exploration gets all of it anew, and what no history takes goes into a file beside it, which the
/// next HistoryWriter of that history takes in.
///
/// It takes one exploration at a time, and decides nothing about what is worth keeping. No call throws.
class HistoryWriter : public QObject
{
    Q_OBJECT

public:
    /// \param retryEvery  where another program holds the history
    explicit HistoryWriter(QString path, std::chrono::milliseconds retryEvery = std::chrono::seconds(1),
                           QObject* parent = nullptr);
    /// What still waits is tried once more, and goes into a file beside the history else.
    ~HistoryWriter() override;

    /// Whether a program of this computer writes that exploration at present.
    static bool isUnderWay(const QString& path, qint64 exploration);
    /// All that programs of this computer write at present, this one among them; the history itself is not
    /// read.
    static std::vector<qint64> underWay(const QString& path);
    /// Takes in what lies beside \p history and no program writes any more.
    /// \param path  of the history
    /// \param say  is told what became of it, as message()
    /// \throws StoreError  where the history cannot be used
    static void takeInLeftOnes(ExplorationStore& history, const QString& path,
                               const std::function<void(const QString& sentence)>& say);

    /// The calls below are for this exploration.
    void begin(const ExplorationInfo& info);
    /// For one that the history holds, and that no program writes any more: it goes on.
    void resumeFrom(const StoredExploration& exploration);
    /// It goes on after its end.
    void reopen();
    void setFidelity(const FidelityRecord& fidelity);
    void addDevice(const DeviceRecord& device);
    void setSearchSpace(const QByteArray& space);
    void addSearchCalls(const std::vector<QByteArray>& calls);
    /// No more than keptLogLines are kept of an exploration, here as in its file.
    void addLog(const std::vector<LogRecord>& lines);
    /// \param calls  that the search is told with it
    void addTrial(const trial::TrialRecord& trial, const std::vector<QByteArray>& calls = {});
    void addRecommendation(const RecommendationRecord& recommendation);
    void finish(const ExplorationEnd& end);
    /// It is as cut off as it was.
    void leave();

    /// Not everything has been written yet.
    bool waits() const { return !m_waiting.empty() || m_waitingLog > 0; }

signals:
    /// The present exploration stands in the history from now on, under that number.
    void kept(qint64 exploration);
    /// What became of the history, as a full sentence: it waits, it goes on, where things went.
    void message(const QString& sentence);

private:
    using Write = std::function<void(ExplorationStore&, qint64 exploration)>;
    void write(Write write);
    void writeLog();
    void writeAllAnew();
    void forget();
    void writeWaiting();
    void open();
    bool beginNewHistory();
    bool hasLostExploration() const;
    void setAside(const QString& why);
    void setAsideWhatWaits();
    void giveUp(const QString& why);
    void close();
    void startAnew(const ExplorationInfo& info);
    void holdExploration();

    QString m_path;
    /// That is written: the history, or a file beside it.
    QString m_file;
    std::chrono::milliseconds m_patience;
    std::unique_ptr<ExplorationStore> m_store;
    /// Somebody wrote into the file past SQLite, and no page of it has been looked at since.
    bool m_isDoubted = false;
    /// Of the present exploration, for writing it anew elsewhere; what waits is its end.
    std::vector<Write> m_writes;
    std::deque<Write> m_waiting;
    /// The newest lines of its log, and how many at their end still wait.
    std::deque<LogRecord> m_log;
    std::size_t m_waitingLog = 0;
    ExplorationInfo m_info;
    /// 0 before the exploration is in a file.
    qint64 m_id = 0;
    bool m_isBeside = false;
    bool m_hasGivenUp = false;
    bool m_hasSaidThatItWaits = false;
    bool m_hasBegunNewHistory = false;
    /// Of the file beside the history, while it is written.
    std::unique_ptr<ProgramLock> m_lock;
    /// Tells other programs that the exploration is under way, from where it is in the history until it is
    /// over here, wherever it is written in between.
    std::unique_ptr<ProgramLock> m_underWay;
    QTimer m_retry;
};

} // namespace batchpeak::store
