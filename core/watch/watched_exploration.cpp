// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "watched_exploration.h"

#include "text/readable_text.h"

#include <algorithm>
#include <utility>

namespace batchpeak::engine {

namespace {

std::chrono::milliseconds since(const QElapsedTimer& timer)
{
    return std::chrono::milliseconds(timer.isValid() ? timer.elapsed() : 0);
}

} // namespace

Snapshot cutOff(Snapshot snapshot, const QString& why)
{
    snapshot.state = State::Finished;
    snapshot.finish = FinishStatus::Cancelled;
    snapshot.ending = why;
    snapshot.pauseRequested = false;
    snapshot.thinkingSeconds.reset();
    snapshot.stalledSeconds = 0.0;
    snapshot.underWay.clear();
    snapshot.next.reset();
    snapshot.askedSizes.clear();
    snapshot.timeLeft.reset();
    snapshot.setback.clear();
    snapshot.progress = 1.0;
    for (trial::TrialRecord& trial : snapshot.trials) {
        if (trial.isRunning())
            trial.outcome = trial::Outcome::Cancelled;
    }
    return snapshot;
}

WatchedExploration::WatchedExploration(WatchTarget target, QObject* parent, const WatchTimes& times)
    : QObject(parent),
      m_target(std::move(target)),
      m_times(times),
      m_shell(m_target.place),
      m_path(m_target.path)
{
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &WatchedExploration::look);
    connect(&m_shell, &PlaceShell::fileSeen, this, &WatchedExploration::takeFile);
    connect(&m_shell, &PlaceShell::jobSeen, this, &WatchedExploration::takeJob);
    connect(&m_shell, &PlaceShell::lost, this, &WatchedExploration::takeLoss);
}

void WatchedExploration::start()
{
    m_sinceNews.start();
    lookAgain(std::chrono::milliseconds(0));
}

void WatchedExploration::lookAgain(std::chrono::milliseconds after)
{
    if (!m_isOver)
        m_timer.start(after);
}

bool WatchedExploration::isJobDue() const
{
    if (m_target.job.isEmpty() || (m_job && m_job->hasEnded()))
        return false;
    return !m_job || m_reader.hasEnded() || since(m_sinceJob) >= m_times.job;
}

void WatchedExploration::look()
{
    if (isJobDue())
        return m_shell.lookAtJob(m_target.job);
    if (m_path.isEmpty())
        return lookAgain(m_times.look);
    if (m_target.place)
        m_shell.lookAtFile(m_path, m_offset);
    else
        takeFile(lookedAt(m_path, m_offset));
}

void WatchedExploration::takeJob(const JobLook& look)
{
    m_sinceJob.start();
    const bool wasKnown = m_job && m_job->isKnown;
    m_job = look;
    // A Slurm that restarts answers again later.
    if (!look.problem.isEmpty()) {
        m_job->isKnown = true;
        if (!wasKnown)
            return end(look.problem);
        setWaiting(look.problem);
    }
    if (m_path.isEmpty())
        m_path = look.events;
    if (m_path.isEmpty())
        return end(look.isKnown
                       ? tr("The batch script of the Slurm job %1 names no events; `batchpeak submit` "
                            "writes one that does. Name the file of its events instead.")
                             .arg(m_target.job)
                       : tr("Slurm does not know the job %1 any more, and there is no file *-%1.jsonl "
                            "in this folder. Name the file of its events instead.")
                             .arg(m_target.job));
    if (look.state == QLatin1String("PENDING"))
        setWaiting(tr("The Slurm job %1 waits in the queue (%2).").arg(m_target.job, look.reason));
    // The events last, since the job may have written its last ones meanwhile.
    m_target.place ? m_shell.lookAtFile(m_path, m_offset) : takeFile(lookedAt(m_path, m_offset));
}

void WatchedExploration::takeLoss(const LostConnection& loss)
{
    if (!loss.mayReturn)
        return end(loss.sentence);
    setWaiting(tr("%1 It is tried again.").arg(loss.sentence));
    lookAgain(m_times.reconnect);
}

void WatchedExploration::beginFile()
{
    m_identity.clear();
    m_offset = 0;
    m_reader.dropLine();
}

void WatchedExploration::takeFile(const FileLook& look)
{
    const bool isQueued = m_job && m_job->state == QLatin1String("PENDING");
    if (!look.problem.isEmpty()) {
        // A network disk that has failed may be there again later.
        if (!m_hasFile)
            return end(look.problem);
        setWaiting(look.problem);
    } else if (!look.exists) {
        if (std::exchange(m_hasFile, false))
            beginFile();
        if (!isQueued)
            setWaiting(tr("There is no file %1 yet.").arg(m_path));
    } else {
        m_hasFile = true;
        const bool isOther = !m_identity.isEmpty() && !look.identity.isEmpty() && look.identity != m_identity;
        if (isOther || look.size < m_offset) {
            beginFile();
            return lookAgain(std::chrono::milliseconds(0));
        }
        m_identity = look.identity;
        if (!isQueued)
            setWaiting({});
        if (!look.bytes.isEmpty()) {
            m_offset += look.bytes.size();
            m_sinceNews.start();
            m_reader.read(look.bytes);
            if (m_isOver)
                return;
        }
        if (!look.bytes.isEmpty() && m_offset < look.size)
            return lookAgain(std::chrono::milliseconds(0));
        if (!std::exchange(m_hasCaughtUp, true) && m_reader.eventTime().isValid()) {
            // Clocks of two computers may differ; a beginning in the future is now.
            const qint64 age = m_reader.eventTime().msecsTo(QDateTime::currentDateTimeUtc());
            m_ageOfNews = std::chrono::milliseconds(std::max<qint64>(0, age));
        } else if (!look.bytes.isEmpty()) {
            m_ageOfNews = std::chrono::milliseconds(0);
        }
    }
    judgeEnd();
    tellRemark();
    lookAgain(m_target.place ? m_times.lookElsewhere : m_times.look);
}

/// Ends once nothing more can come.
void WatchedExploration::judgeEnd()
{
    if (m_reader.isTraining())
        return end(tr("These are the events of a training; `batchpeak watch` follows explorations."));
    const bool isQuiet = m_ageOfNews + since(m_sinceNews) >= m_times.untilOver;
    if (!isQuiet)
        return;
    const bool wasStopped = m_reader.snapshot().finish == FinishStatus::Cancelled;
    const bool mayContinue = m_job && !m_job->hasEnded() && wasStopped;
    if (m_reader.hasEnded() && !mayContinue)
        return end({});
    // Slurm calls a job ended before all of its processes have, and they may have something to say.
    if (m_job && m_job->hasEnded() && m_ageOfNews + since(m_sinceNews) >= m_times.untilJobIsOver)
        end(endedJobSentence(*m_job));
}

QString WatchedExploration::endedJobSentence(const JobLook& job) const
{
    const QString how = !job.isKnown                              ? tr("has ended")
                        : job.state == QLatin1String("CANCELLED") ? tr("was canceled")
                        : job.state == QLatin1String("TIMEOUT")   ? tr("has reached its time limit")
                        : job.state == QLatin1String("NODE_FAIL") ? tr("has lost a node")
                        : job.state == QLatin1String("PREEMPTED") ? tr("was preempted")
                                                                  : tr("has ended as %1").arg(job.state);
    if (!m_reader.hasBegun())
        return tr("The Slurm job %1 %2 before its exploration began. Its log says more; submit it again with "
                  "`batchpeak submit`.")
            .arg(m_target.job, how);
    const qint64 number = m_reader.snapshot().numberInHistory;
    return tr("The Slurm job %1 %2 before its exploration ended. To continue it from all finished trials, "
              "run "
              "`batchpeak explore --resume %3`, or submit the job again.")
        .arg(m_target.job, how, number > 0 ? QString::number(number) : QString())
        .replace(QLatin1String(" `,"), QLatin1String("`,"));
}

std::optional<std::chrono::seconds> WatchedExploration::silence() const
{
    if (!m_reader.hasBegun() || m_reader.hasEnded() || !m_hasCaughtUp)
        return std::nullopt;
    const auto age = m_ageOfNews + since(m_sinceNews);
    if (age < (m_reader.hasStates() ? m_times.silence : m_times.longSilence))
        return std::nullopt;
    return std::chrono::duration_cast<std::chrono::seconds>(age);
}

Snapshot WatchedExploration::snapshot() const
{
    Snapshot snapshot = m_reader.snapshot();
    if (const auto age = silence()) {
        snapshot.stalledSeconds = static_cast<double>(age->count());
        snapshot.timeLeft.reset();
        snapshot.setback.clear();
    }
    return snapshot;
}

QString WatchedExploration::remark() const
{
    const auto age = silence();
    const QString old =
        age ? tr("No news for %1.").arg(durationText(static_cast<double>(age->count()))) : QString();
    if (m_waiting.isEmpty())
        return age ? tr("%1 The exploration may not be running any more.").arg(old) : QString();
    return old.isEmpty() ? m_waiting : m_waiting + QLatin1Char(' ') + old;
}

void WatchedExploration::setWaiting(const QString& sentence)
{
    m_waiting = sentence;
    tellRemark();
}

/// Tells of another reason to wait, but not of each second of it.
void WatchedExploration::tellRemark()
{
    const QString kind = m_waiting.isEmpty() && silence() ? QStringLiteral("silence") : m_waiting;
    if (std::exchange(m_said, kind) != kind)
        emit remarkChanged(remark());
}

void WatchedExploration::end(const QString& problem)
{
    if (std::exchange(m_isOver, true))
        return;
    m_timer.stop();
    m_waiting.clear();
    emit over(problem);
}

} // namespace batchpeak::engine
