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

namespace batchpeak::store {

struct HistoryTrace;

/// The history cannot be read or written, as a full sentence that tells the user what to do.
class StoreError : public std::runtime_error
{
public:
    enum class Kind {
        /// Another program holds the file; it may be free in a moment.
        Busy,
        /// The file is no history any more, and nothing in it can be read.
        Damaged,
        /// The disk, or the rights on it, let it not be opened to be written; it may be readable still.
        Unwritable,
        /// Trying again changes nothing.
        Other
    };

    explicit StoreError(const QString& sentence, Kind kind = Kind::Other, QString path = {})
        : std::runtime_error(sentence.toStdString()), m_kind(kind), m_path(std::move(path))
    {}
    QString sentence() const { return QString::fromUtf8(what()); }
    Kind kind() const { return m_kind; }
    /// Of the file that is busy or damaged.
    const QString& path() const { return m_path; }

private:
    Kind m_kind;
    QString m_path;
};

/// Of an exploration's log the newest lines are kept: some hours of trials. Beyond that a log is for a file.
inline constexpr std::size_t keptLogLines = 1000;

/// So many of the sizes that were written into one file last can be taken back.
inline constexpr int keptWritings = 10;

/// For so long another program's transaction is waited for where nothing else is said: 5 s, but a window that
/// reads shows nothing new meanwhile, and waits 50 ms.
std::chrono::milliseconds defaultPatience();

/// The explorations of this user in one SQLite file: each trial is on disk as soon as it has ended, so
/// that a crash loses nothing but the trial that was running.
///
/// Several programs may use the file at once. It keeps what it is told and knows nothing of how an
/// exploration runs. Every call throws StoreError when the file cannot be used.
class ExplorationStore
{
public:
    /// Where a file is, which decides how it is written.
    enum class Place { ThisComputer, Network };

    /// Opens the file, and makes it and its folder where there are none. Needs a QCoreApplication.
    /// The file is for this user alone. One that lies where nothing can be written can be read still, unless
    /// it was cut off there: what SQLite keeps beside it has to be written for that.
    /// \param patience  with another program's transaction; each of ours takes milliseconds
    /// \param place  asked of the system where nothing is said
    explicit ExplorationStore(const QString& path, std::chrono::milliseconds patience = defaultPatience(),
                              std::optional<Place> place = {});
    ~ExplorationStore();
    Q_DISABLE_COPY_MOVE(ExplorationStore)

    /// batchpeak/explorations.sqlite in the user's data folder (XDG_DATA_HOME).
    static QString defaultPath();

    /// \throws StoreError  where it can be read alone
    void requireWritable() const;
    /// Whether its path still leads to the file that was opened, and nobody has written into that past SQLite
    /// since the last takeNote(). SQLite reads no page again that it knows, so that it would write on, and
    /// leave a damaged file behind.
    bool isAsItWas() const;
    /// Takes the file as it is now for what isAsItWas() compares with. Does not throw.
    void takeNote();
    /// Refuses a file of which any page is damaged; it reads all of it.
    /// \throws StoreError
    void requireWhole() const;

    /// \return the exploration's number, for the calls below and for people
    qint64 begin(const ExplorationInfo& info);
    /// What a worker says of itself comes after the beginning.
    void setFidelity(qint64 exploration, const FidelityRecord& fidelity);
    /// A device that reports again, after a restart of its worker, replaces what it said before.
    void addDevice(qint64 exploration, const DeviceRecord& device);
    /// What the search is asked, and what it is told. \param calls  in their order
    void setSearchSpace(qint64 exploration, const QByteArray& space);
    void addSearchCalls(qint64 exploration, const std::vector<QByteArray>& calls);
    /// The oldest lines beyond keptLogLines make room.
    void addLog(qint64 exploration, const std::vector<LogRecord>& lines);
    /// A finished trial, in the place of what was kept of it before. \param calls  that the search is told
    /// with it
    void addTrial(qint64 exploration, const trial::TrialRecord& trial,
                  const std::vector<QByteArray>& calls = {});
    void addRecommendation(qint64 exploration, const RecommendationRecord& recommendation);
    void finish(qint64 exploration, const ExplorationEnd& end);
    /// It goes on after its end.
    void reopen(qint64 exploration);
    /// All that another history holds of it, but for what it began with.
    void addAll(qint64 exploration, const StoredExploration& stored);

    /// Whether it is here, and has not been deleted. \param info  that it began with
    bool holds(qint64 exploration, const ExplorationInfo& info) const;
    /// The newest first.
    std::vector<ExplorationSummary> list() const;
    /// Nothing where there is no such exploration.
    std::optional<StoredExploration> show(qint64 exploration) const;
    /// The same, in the time of a few rows, however many trials it has had.
    std::optional<ExplorationOutline> outline(qint64 exploration) const;
    /// \return whether there was such an exploration
    bool remove(qint64 exploration);
    /// Adds what another history holds, all of it or nothing; what is here already is not added twice, and
    /// what is here in part is replaced.
    /// \return how many explorations it holds
    int takeIn(const QString& path);

    /// \return its number; the oldest of that file beyond keptWritings make room
    qint64 addWritten(const WrittenConfig& written);
    /// The newest of a file. \param filePath  as it was told
    std::optional<WrittenConfig> lastWritten(const QString& filePath) const;
    void removeWritten(qint64 id);

private:
    void open(std::chrono::milliseconds patience, std::optional<Place> place);
    void openToRead();
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
    /// Why it can be read alone.
    std::optional<StoreError> m_unwritable;
};

} // namespace batchpeak::store
