// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "history_writer.h"

#include "history_file.h"
#include "program_lock.h"
#include "text/translated.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QUuid>

#include <algorithm>
#include <utility>

namespace batchpeak::store {

using engine::Translated;

namespace {

// A window is blocked for this long, once per attempt.
constexpr std::chrono::milliseconds patience{50};
// At the end, there is nothing left to block.
constexpr std::chrono::milliseconds lastPatience{2000};

QString besidePattern(const QString& path)
{
    return QFileInfo(path).completeBaseName() + QStringLiteral(".beside-*.sqlite");
}

QString newBesidePath(const QString& path)
{
    const QFileInfo history(path);
    return history.dir().filePath(
        history.completeBaseName() +
        QStringLiteral(".beside-%1.sqlite").arg(QUuid::createUuid().toString(QUuid::WithoutBraces)));
}

QString lockOf(const QString& path)
{
    return path + QStringLiteral(".lock");
}

/// Returns the lock of an exploration in a history.
QString lockOf(const QString& path, qint64 exploration)
{
    return lockOf(QStringLiteral("%1.%2").arg(path).arg(exploration));
}

void removeHistory(const QString& path)
{
    for (const QString& file : filesOfHistory(path))
        QFile::remove(file);
}

/// \return the new name; empty if the file cannot be moved
QString moveAway(const QString& path)
{
    QString name = path + QDateTime::currentDateTime().toString(QStringLiteral("'.damaged-'yyyyMMdd-HHmmss"));
    if (!QFile::rename(path, name))
        return {};
    const QStringList files = filesOfHistory(path);
    const QStringList names = filesOfHistory(name);
    for (qsizetype i = 1; i < files.size(); ++i)
        QFile::rename(files[i], names[i]);
    return name;
}

} // namespace

HistoryWriter::HistoryWriter(QString path, std::chrono::milliseconds retryEvery, QObject* parent)
    : QObject(parent), m_path(std::move(path)), m_file(m_path), m_patience(patience)
{
    m_retry.setSingleShot(true);
    m_retry.setInterval(retryEvery);
    connect(&m_retry, &QTimer::timeout, this, &HistoryWriter::writeWaiting);
}

HistoryWriter::~HistoryWriter()
{
    if (!waits())
        return;
    m_store.reset();
    m_patience = lastPatience;
    writeWaiting();
    setAsideWhatWaits();
}

bool HistoryWriter::isUnderWay(const QString& path, qint64 exploration)
{
    return ProgramLock::isHeld(lockOf(path, exploration));
}

std::vector<qint64> HistoryWriter::underWay(const QString& path)
{
    const QFileInfo history(path);
    const QString begin = history.fileName() + QLatin1Char('.');
    const QString end = lockOf(QString());
    std::vector<qint64> explorations;
    for (const QString& name : history.dir().entryList(QDir::Files)) {
        if (!name.startsWith(begin) || !name.endsWith(end))
            continue;
        bool isNumber = false;
        const qint64 exploration =
            name.mid(begin.size(), name.size() - begin.size() - end.size()).toLongLong(&isNumber);
        if (isNumber && isUnderWay(path, exploration))
            explorations.push_back(exploration);
    }
    return explorations;
}

void HistoryWriter::startAnew(const ExplorationInfo& info)
{
    setAsideWhatWaits();
    close();
    m_underWay.reset();
    m_file = m_path;
    forget();
    m_isBeside = m_hasGivenUp = m_hasSaidThatItWaits = m_hasBegunNewHistory = false;
    m_info = info;
    m_id = 0;
}

void HistoryWriter::begin(const ExplorationInfo& info)
{
    startAnew(info);
    // The exploration begins in the file to which it is first written.
    write([](ExplorationStore&, qint64) {});
}

void HistoryWriter::resumeFrom(const StoredExploration& exploration)
{
    startAnew(exploration.summary.info);
    m_id = exploration.summary.id;
    emit kept(m_id);
    holdExploration();
    // If the history cannot be written any more, the whole exploration is written again elsewhere.
    m_writes.push_back([exploration](ExplorationStore& store, qint64 id) { store.addAll(id, exploration); });
    reopen();
}

void HistoryWriter::addLog(const std::vector<LogRecord>& lines)
{
    if (m_hasGivenUp)
        return;
    m_log.insert(m_log.end(), lines.begin(), lines.end());
    if (m_log.size() > keptLogLines)
        m_log.erase(m_log.begin(), m_log.end() - static_cast<std::ptrdiff_t>(keptLogLines));
    m_waitingLog = std::min(m_waitingLog + lines.size(), m_log.size());
    if (!m_retry.isActive())
        writeWaiting();
}

void HistoryWriter::finish(const ExplorationEnd& end)
{
    write(&ExplorationStore::finish, end);
    leave();
}

void HistoryWriter::leave()
{
    // A file beside the history is left to the next start, when nobody writes it any more. Until that start
    // takes it in, the history itself has the exploration as cut off.
    if (!m_hasGivenUp && (m_isBeside || waits()))
        return;
    close();
    m_underWay.reset();
}

void HistoryWriter::close()
{
    m_store.reset();
    m_isDoubted = false;
    m_lock.reset();
}

/// Takes the lock. If it cannot be taken, as in a folder of another user, nothing is blocked. Each write
/// tries again: a program that checks the lock holds it for a moment.
void HistoryWriter::holdExploration()
{
    if (m_isBeside)
        (void)m_lock->take();
    else if (!m_underWay)
        m_underWay = std::make_unique<ProgramLock>(lockOf(m_path, m_id));
    if (m_underWay)
        (void)m_underWay->take();
}

void HistoryWriter::write(Write write)
{
    if (m_hasGivenUp)
        return;
    m_writes.push_back(write);
    m_waiting.push_back(std::move(write));
    if (!m_retry.isActive())
        writeWaiting();
}

void HistoryWriter::writeLog()
{
    if (m_waitingLog > 0)
        m_store->addLog(m_id, {m_log.end() - static_cast<std::ptrdiff_t>(m_waitingLog), m_log.end()});
    m_waitingLog = 0;
}

/// Prepares to write everything into the next file, which has nothing of the exploration yet.
void HistoryWriter::writeAllAnew()
{
    m_waiting.assign(m_writes.begin(), m_writes.end());
    m_waitingLog = m_log.size();
    m_id = 0;
}

void HistoryWriter::forget()
{
    m_writes.clear();
    m_waiting.clear();
    m_log.clear();
    m_waitingLog = 0;
}

void HistoryWriter::open()
{
    if (m_store && !m_isDoubted && m_store->isAsItWas())
        return;
    // If the file is busy, the next attempt checks it as well.
    m_isDoubted = m_isDoubted || m_store;
    m_store.reset();
    m_store = std::make_unique<ExplorationStore>(m_file, m_patience);
    m_store->requireWritable();
    if (m_isDoubted)
        m_store->requireWhole();
    m_isDoubted = false;
    if (!m_isBeside)
        takeInLeftOnes(*m_store, m_path, [this](const QString& sentence) { emit message(sentence); });
}

void HistoryWriter::takeInLeftOnes(ExplorationStore& history, const QString& path,
                                   const std::function<void(const QString& sentence)>& say)
{
    const QDir folder = QFileInfo(path).dir();
    for (const QString& name : folder.entryList({besidePattern(path)}, QDir::Files)) {
        const QString left = folder.filePath(name);
        // A file that another program is still writing is left for the next time.
        ProgramLock lock(lockOf(left));
        if (lock.take() != ProgramLock::Outcome::Taken || !QFileInfo::exists(left))
            continue;
        try {
            const int taken = history.takeIn(left);
            removeHistory(left);
            say(Translated::tr("The history took in %n exploration(s) that it could not take before.",
                               nullptr, taken));
        } catch (const StoreError& error) {
            const bool isDamaged = error.kind() == StoreError::Kind::Damaged;
            if (isDamaged && error.path() != left)
                throw;
            const QString aside = isDamaged ? moveAway(left) : QString();
            if (!aside.isEmpty()) {
                say(Translated::tr("%1, which the history could not take in before, was damaged. It was "
                                   "kept as %2.")
                        .arg(left, aside));
            } else if (error.kind() != StoreError::Kind::Busy) {
                // It may be readable another time.
                say(error.sentence());
            }
        }
    }
}

void HistoryWriter::writeWaiting()
{
    m_retry.stop();
    try {
        open();
        const bool isLost = hasLostExploration();
        if (isLost) {
            if (!m_isBeside)
                m_underWay.reset();
            writeAllAnew();
        }
        if (m_id == 0) {
            m_id = m_store->begin(m_info);
            if (!m_isBeside)
                emit kept(m_id);
        }
        holdExploration();
        while (!m_waiting.empty()) {
            m_waiting.front()(*m_store, m_id);
            m_waiting.pop_front();
        }
        writeLog();
        m_store->takeNote();
        if (isLost)
            emit message(Translated::tr("The history %1 did not hold this exploration any more, as when "
                                        "somebody removes it. All of it was written there anew.")
                             .arg(m_file));
        if (std::exchange(m_hasSaidThatItWaits, false))
            emit message(
                Translated::tr("The history %1 is free again, and everything is written.").arg(m_path));
    } catch (const StoreError& error) {
        if (error.kind() == StoreError::Kind::Damaged && beginNewHistory())
            return writeWaiting();
        if (error.kind() != StoreError::Kind::Busy || m_isBeside)
            return setAside(error.sentence());
        // Our own writes before the file became busy do not count as changes by others.
        if (m_store)
            m_store->takeNote();
        m_retry.start();
        if (!std::exchange(m_hasSaidThatItWaits, true))
            emit message(
                Translated::tr("The history %1 is held by another program. What is found is written as "
                               "soon as it is free.")
                    .arg(m_path));
    }
}

/// Whether the exploration has disappeared: a person may delete it, or remove the whole file, while it is
/// under way.
bool HistoryWriter::hasLostExploration() const
{
    return m_id != 0 && !m_store->holds(m_id, m_info);
}

/// Keeps a damaged history under another name, and prepares to write the whole exploration into a new one.
/// \return whether this was possible: only once for each exploration, so that a disk that damages every file
///         does not fill up
bool HistoryWriter::beginNewHistory()
{
    if (m_isBeside || m_hasBegunNewHistory)
        return false;
    close();
    const QString name = moveAway(m_path);
    if (name.isEmpty())
        return false;
    m_hasBegunNewHistory = true;
    m_underWay.reset();
    writeAllAnew();
    emit message(Translated::tr("The history %1 was damaged. It was kept as %2, and a new one is begun.")
                     .arg(m_path, name));
    return true;
}

/// Writes the whole exploration into a file beside the history, and continues there.
void HistoryWriter::setAside(const QString& why)
{
    if (m_isBeside)
        return giveUp(why);
    m_isBeside = true;
    close();
    m_file = newBesidePath(m_path);
    QDir().mkpath(QFileInfo(m_file).path());
    m_lock = std::make_unique<ProgramLock>(lockOf(m_file));
    // On a file system without locks, the next start takes nothing in, but the file is kept all the same.
    if (const auto outcome = m_lock->take();
        outcome != ProgramLock::Outcome::Taken && outcome != ProgramLock::Outcome::NoLocks)
        return giveUp(why);
    writeAllAnew();
    m_hasSaidThatItWaits = false;
    writeWaiting();
    if (!m_hasGivenUp)
        emit message(Translated::tr("%1 This exploration is kept in %2, and the next start takes it in.")
                         .arg(why, QDir::toNativeSeparators(m_file)));
}

void HistoryWriter::setAsideWhatWaits()
{
    if (waits() && !m_isBeside)
        setAside(Translated::tr("The history %1 is held by another program.").arg(m_path));
}

void HistoryWriter::giveUp(const QString& why)
{
    m_hasGivenUp = true;
    forget();
    close();
    if (m_isBeside)
        removeHistory(m_file);
    emit message(why + QLatin1Char(' ') + Translated::tr("Nothing more of this exploration is kept."));
}

} // namespace batchpeak::store
