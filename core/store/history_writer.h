// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "exploration_store.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace batchpeak::store {

class ProgramLock;

/// Writes explorations into the history of a user, whatever happens to its file. While another program holds
/// the file, it retries. It sets a damaged file aside and begins a new one. If the file is removed or has
/// lost the exploration, it writes the whole exploration again. If no history can be written, it writes a
/// file beside the history, which the next HistoryWriter of that history takes in.
///
/// It writes one exploration at a time, and does not decide what is worth storing. No call throws.
class HistoryWriter : public QObject
{
    Q_OBJECT

public:
    /// \param retryEvery  interval of retries while another program holds the history
    explicit HistoryWriter(QString path, std::chrono::milliseconds retryEvery = std::chrono::seconds(1),
                           QObject* parent = nullptr);
    /// Tries once more to write what is still waiting; otherwise, writes it into a file beside the history.
    ~HistoryWriter() override;

    /// Whether a program on this computer is writing that exploration at the moment.
    static bool isUnderWay(const QString& path, qint64 exploration);
    /// Returns all explorations that programs on this computer, including this one, are writing at the
    /// moment, without reading the history itself.
    static std::vector<qint64> underWay(const QString& path);
    /// Takes in the files beside \p history that no program writes any more.
    /// \param path  path of the history
    /// \param say  called with what became of each, as for message()
    /// \throws StoreError if the history cannot be used
    static void takeInLeftOnes(ExplorationStore& history, const QString& path,
                               const std::function<void(const QString& sentence)>& say);

    /// Begins an exploration, to which the calls below apply.
    void begin(const ExplorationInfo& info);
    /// Continues an exploration that the history holds, and that no program writes any more.
    void resumeFrom(const StoredExploration& exploration);
    /// Marks the exploration as continued after its end.
    void reopen() { write(&ExplorationStore::reopen); }
    void setFidelity(const FidelityRecord& fidelity) { write(&ExplorationStore::setFidelity, fidelity); }
    void addDevice(const DeviceRecord& device) { write(&ExplorationStore::addDevice, device); }
    void setSearchSpace(const QByteArray& space) { write(&ExplorationStore::setSearchSpace, space); }
    void addSearchCalls(const std::vector<QByteArray>& calls)
    {
        write(&ExplorationStore::addSearchCalls, calls);
    }
    /// Adds log lines. At most keptLogLines are kept of an exploration, here as in its file.
    void addLog(const std::vector<LogRecord>& lines);
    /// \param calls  calls to the search that belong to the trial
    void addTrial(const trial::TrialRecord& trial, const std::vector<QByteArray>& calls = {})
    {
        write(&ExplorationStore::addTrial, trial, calls);
    }
    void addRecommendation(const RecommendationRecord& recommendation)
    {
        write(&ExplorationStore::addRecommendation, recommendation);
    }
    void finish(const ExplorationEnd& end);
    /// Leaves an exploration cut off, as it was.
    void leave();

    /// Whether something has not been written yet.
    bool waits() const { return !m_waiting.empty() || m_waitingLog > 0; }

signals:
    /// Emitted when the current exploration is in the history, under that number.
    void kept(qint64 exploration);
    /// Emitted with what became of the history, as a full sentence: that it is waiting, that it continues,
    /// where data was written.
    void message(const QString& sentence);

private:
    using Write = std::function<void(ExplorationStore&, qint64 exploration)>;
    void write(Write write);
    /// Calls a member function of the store for the exploration, with these values.
    template<typename... Parameters, typename... Values>
    void write(void (ExplorationStore::*call)(qint64, Parameters...), const Values&... values)
    {
        write([call, values...](ExplorationStore& store, qint64 id) { (store.*call)(id, values...); });
    }
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
    /// The file that is written: the history, or a file beside it.
    QString m_file;
    std::chrono::milliseconds m_patience;
    std::unique_ptr<ExplorationStore> m_store;
    /// Whether somebody bypassed SQLite to write into the file, and its pages have not been checked since.
    bool m_isDoubted = false;
    /// All writes of the current exploration, to repeat them in another file; those that are waiting are the
    /// last ones.
    std::vector<Write> m_writes;
    std::deque<Write> m_waiting;
    /// Newest lines of its log, and how many of the last of them are still waiting.
    std::deque<LogRecord> m_log;
    std::size_t m_waitingLog = 0;
    ExplorationInfo m_info;
    /// Number of the exploration; 0 before it is in a file.
    qint64 m_id = 0;
    bool m_isBeside = false;
    bool m_hasGivenUp = false;
    bool m_hasSaidThatItWaits = false;
    bool m_hasBegunNewHistory = false;
    /// Lock of the file beside the history, while it is written.
    std::unique_ptr<ProgramLock> m_lock;
    /// Tells other programs that the exploration is under way, from its first record in the history until its
    /// end here, wherever it is written in between.
    std::unique_ptr<ProgramLock> m_underWay;
    QTimer m_retry;
};

} // namespace batchpeak::store
