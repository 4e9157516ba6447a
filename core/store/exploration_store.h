// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "exploration_records.h"

#include <QString>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

class QSqlDatabase;

namespace batchpeak::store {

struct HistoryTrace;

/// Thrown if the history cannot be read or written, with a full sentence that tells the user what to do.
class StoreError : public std::runtime_error
{
public:
    enum class Kind {
        /// Another program holds the file; it may be free again soon.
        Busy,
        /// The file is not a history any more, and nothing in it can be read.
        Damaged,
        /// The disk or the permissions do not allow opening the file for writing; it may still be readable.
        Unwritable,
        /// Another attempt would not change anything.
        Other
    };

    explicit StoreError(const QString& sentence, Kind kind = Kind::Other, QString path = {})
        : std::runtime_error(sentence.toStdString()), m_kind(kind), m_path(std::move(path))
    {}
    QString sentence() const { return QString::fromUtf8(what()); }
    Kind kind() const { return m_kind; }
    /// Path of the file that is busy or damaged.
    const QString& path() const { return m_path; }

private:
    Kind m_kind;
    QString m_path;
};

/// Number of the newest log lines that are stored of an exploration: some hours of trials. A longer log
/// belongs in a file.
inline constexpr std::size_t keptLogLines = 1000;

/// Number of the last writings into one file that can be reverted.
inline constexpr int keptWritings = 10;

/// Default time to wait for another program's transaction: 5 s. In a window, it is 50 ms, since a window that
/// waits shows nothing new.
std::chrono::milliseconds defaultPatience();

/// The explorations of this user in one SQLite file: each trial is on disk as soon as it has ended, so that a
/// crash loses only the running trial.
///
/// Several programs may use the file at once. The class stores what it is told and does not know how an
/// exploration runs. Every call throws StoreError if the file cannot be used.
class ExplorationStore
{
public:
    /// Location of a file, which decides how it is written.
    enum class Place { ThisComputer, Network };

    /// Opens the file, and creates it and its folder if they do not exist. Needs a QCoreApplication. The file
    /// is private to this user. A file in a place without write access can still be read, unless it was cut
    /// off there: SQLite would have to write the files that it keeps beside it.
    /// \param patience  time to wait for another program's transaction; each of ours takes milliseconds
    /// \param place  location of the file; by default, the system is asked
    explicit ExplorationStore(const QString& path, std::chrono::milliseconds patience = defaultPatience(),
                              std::optional<Place> place = {});
    ~ExplorationStore();
    Q_DISABLE_COPY_MOVE(ExplorationStore)

    /// Returns batchpeak/explorations.sqlite in the user's data folder (XDG_DATA_HOME).
    static QString defaultPath();

    /// \throws StoreError if it can only be read
    void requireWritable() const;
    /// Whether its path still leads to the file that was opened, and nobody has bypassed SQLite to write into
    /// that file since the last takeNote(). SQLite does not reread pages that it has cached, so it would
    /// continue to write and leave a damaged file behind.
    bool isAsItWas() const;
    /// Records the current state of the file for comparison by isAsItWas(). Does not throw.
    void takeNote();
    /// Refuses a file with a damaged page; it reads the whole file.
    /// \throws StoreError if a page is damaged
    void requireWhole() const;

    /// Adds an exploration.
    /// \return number of the exploration, for the calls below and for people
    qint64 begin(const ExplorationInfo& info);
    /// Sets the fidelity again, since a worker reports about itself only after the beginning.
    void setFidelity(qint64 exploration, const FidelityRecord& fidelity);
    /// Adds a device. One that reports again, after a restart of its worker, replaces its earlier record.
    void addDevice(qint64 exploration, const DeviceRecord& device);
    /// Stores what the search is asked, and the calls to it. \param calls  in their order
    void setSearchSpace(qint64 exploration, const QByteArray& space);
    void addSearchCalls(qint64 exploration, const std::vector<QByteArray>& calls);
    /// Adds log lines; beyond keptLogLines, the oldest are dropped.
    void addLog(qint64 exploration, const std::vector<LogRecord>& lines);
    /// Stores a finished trial in place of an earlier record of it. \param calls  calls to the search that
    /// belong to it
    void addTrial(qint64 exploration, const trial::TrialRecord& trial,
                  const std::vector<QByteArray>& calls = {});
    void addRecommendation(qint64 exploration, const RecommendationRecord& recommendation);
    void finish(qint64 exploration, const ExplorationEnd& end);
    /// Marks the exploration as continued after its end.
    void reopen(qint64 exploration);
    /// Adds everything that another history holds of the exploration, except for the data of begin().
    void addAll(qint64 exploration, const StoredExploration& stored);

    /// Whether the exploration is in this history and has not been deleted. \param info  the data of its
    /// begin()
    bool holds(qint64 exploration, const ExplorationInfo& info) const;
    /// Returns the explorations, the newest first.
    std::vector<ExplorationSummary> list() const;
    /// Returns an exploration; nothing if it does not exist.
    std::optional<StoredExploration> show(qint64 exploration) const;
    /// Returns its outline, in the time that a few rows take, however many trials it has.
    std::optional<ExplorationOutline> outline(qint64 exploration) const;
    /// Deletes an exploration.
    /// \return whether it existed
    bool remove(qint64 exploration);
    /// Adds what another history holds, all of it or nothing. Explorations that already exist here are not
    /// added twice, and incomplete ones are replaced.
    /// \return number of explorations in the other history
    int takeIn(const QString& path);

    /// Adds a writing; beyond keptWritings, the oldest of that file are dropped.
    /// \return its number
    qint64 addWritten(const WrittenConfig& written);
    /// Returns the last writing into a file. \param filePath  as in addWritten()
    std::optional<WrittenConfig> lastWritten(const QString& filePath) const;
    void removeWritten(qint64 id);

private:
    void open(std::chrono::milliseconds patience, std::optional<Place> place);
    void openToRead();
    QSqlDatabase database() const;
    void insertTrial(qint64 exploration, const trial::TrialRecord& trial);
    void insertCalls(qint64 exploration, const std::vector<QByteArray>& calls);
    void insertLog(qint64 exploration, const std::vector<LogRecord>& lines);
    std::optional<qint64> numberOf(const ExplorationInfo& info) const;
    std::optional<StoredExploration> read(qint64 exploration) const;
    std::vector<DeviceRecord> devicesOf(qint64 exploration) const;
    void insertAll(qint64 exploration, const StoredExploration& stored);
    void addCompared(qint64 exploration, const trial::TrialRecord& trial);
    void readCompared(StoredExploration& stored) const;

    QString m_path;
    QString m_connection;
    std::unique_ptr<const HistoryTrace> m_trace;
    /// dataVersion() at the last takeNote().
    qint64 m_version = 0;
    /// Why the file can only be read; empty otherwise.
    std::optional<StoreError> m_unwritable;
};

} // namespace batchpeak::store
