// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "place_shell.h"

#include "text/translated.h"
#include "workers/process_group.h"

#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <csignal>
#include <sys/stat.h>
#include <utility>

namespace batchpeak::engine {

namespace {

using namespace std::chrono_literals;

/// Bytes that are read at once, and bytes at the beginning that tell one file from another: the first event
/// with its time is longer.
constexpr qint64 mostBytesAtOnce = 1 << 20;
constexpr qint64 bytesOfIdentity = 120;

constexpr auto longestAnswer = 20s;
// An answer has at most this many bytes, in base64, and a login may write some lines before.
constexpr qsizetype longestAnswerLine = 4 << 20;
constexpr qsizetype keptErrors = 1 << 14;

/// Answers each line of its input by one line. `read` has no time limit in sh, so another process reads.
///
/// tail -F would not do: after a truncation or a rotation, it does not say at which byte it continues.
const QLatin1String shellScript(R"sh(
command -v timeout >/dev/null || timeout() { shift; "$@"; }
file() {
  [ -e "$2" ] || { echo batchpeak-file none; return; }
  [ -f "$2" ] && [ -r "$2" ] || { echo batchpeak-file unreadable; return; }
  path=$2 offset=$1
  set -- $(ls -dLin -- "$path")
  printf 'batchpeak-file %s-%s %s ' "$1" "$(head -c 120 -- "$path" | cksum | tr ' ' -)" "$6"
  if [ "$6" -gt "$offset" ]; then
    tail -c "+$((offset + 1))" -- "$path" | head -c 1048576 | base64 | tr -d '\n'
  fi
  echo
}
job() {
  printf 'batchpeak-job '
  {
    scontrol show job "$1" 2>&1
    script=$(scontrol show job "$1" 2>/dev/null | sed -n 's/^ *Command=//p')
    echo batchpeak-script
    head -c 65536 -- "$script" 2>/dev/null || scontrol write batch_script "$1" - 2>/dev/null
    echo
    echo batchpeak-files
    for name in "$PWD"/*-"$1".jsonl; do [ -f "$name" ] && echo "$name"; done
  } | base64 | tr -d '\n'
  echo
}
while line=$(timeout 20 sh -c 'IFS= read -r line && printf "%s" "$line"'); do
  case $line in
    file\ *) line=${line#file }; file "${line%% *}" "${line#* }" ;;
    job\ *) job "${line#job }" ;;
  esac
done
)sh");

constexpr std::array jobEnds{"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE",      "FAILED",
                             "NODE_FAIL", "PREEMPTED", "TIMEOUT",   "OUT_OF_MEMORY", "REVOKED"};

/// Returns a word that quotedForShell() has quoted.
QString unquoted(const QString& word)
{
    QString text;
    bool isQuoted = false;
    for (qsizetype place = 0; place < word.size(); ++place) {
        const QChar character = word[place];
        if (character == QLatin1Char('\''))
            isQuoted = !isQuoted;
        else if (character == QLatin1Char('\\') && !isQuoted && place + 1 < word.size())
            text += word[++place];
        else
            text += character;
    }
    return text;
}

QString valueIn(const QString& text, const char* pattern)
{
    const QRegularExpression expression(QString::fromLatin1(pattern), QRegularExpression::MultilineOption);
    return expression.match(text).captured(1).trimmed();
}

} // namespace

bool JobLook::hasEnded() const
{
    return !isKnown ||
           std::ranges::any_of(jobEnds, [this](const char* end) { return state == QLatin1String(end); });
}

JobLook jobLookFrom(const QString& text, const QString& job)
{
    const qsizetype script = text.indexOf(QLatin1String("batchpeak-script\n"));
    const qsizetype files = text.lastIndexOf(QLatin1String("batchpeak-files\n"));
    const QString shown = text.left(script);
    JobLook look{.state = valueIn(shown, "JobState=(\\S+)"), .reason = valueIn(shown, "Reason=(\\S+)")};
    look.isKnown = !look.state.isEmpty();
    if (!look.isKnown && !shown.contains(QLatin1String("Invalid job id")))
        look.problem =
            Translated::tr("Slurm cannot be asked for the job %1 (%2). Name the file of its events "
                           "instead, or a computer of the cluster: --on ssh:HOST.")
                .arg(job, shown.trimmed().section(QLatin1Char('\n'), -1));
    const QString prefix =
        valueIn(text.mid(script, files - script), R"(^events=(.*)-\$SLURM_JOB_ID\.jsonl$)");
    const QString log = valueIn(shown, "^ *StdOut=(.*)\\.log$");
    const QStringList found = text.mid(files).split(QLatin1Char('\n'), Qt::SkipEmptyParts).mid(1);
    if (!prefix.isEmpty())
        look.events = QStringLiteral("%1-%2.jsonl").arg(unquoted(prefix), job);
    else if (!log.isEmpty())
        look.events = log + QStringLiteral(".jsonl");
    else if (found.size() == 1)
        look.events = found.front();
    return look;
}

FileLook lookedAt(const QString& path, qint64 offset)
{
    const QFileInfo info(path);
    if (!info.exists())
        return {};
    QFile file(path);
    if (!info.isFile())
        return {.exists = true, .problem = Translated::tr("%1 is no file.").arg(path)};
    // Opening it again each time shows what another computer has written, also on NFS.
    if (!file.open(QIODevice::ReadOnly | QIODevice::Unbuffered))
        return {.exists = true,
                .problem = Translated::tr("%1 cannot be read: %2.").arg(path, file.errorString())};
    struct stat status
    {};
    if (::fstat(file.handle(), &status) != 0)
        return {};
    FileLook look{.exists = true, .size = status.st_size};
    const QByteArray first = file.read(bytesOfIdentity);
    if (first.size() == bytesOfIdentity)
        look.identity = QByteArray::number(static_cast<quint64>(status.st_ino)) +
                        QCryptographicHash::hash(first, QCryptographicHash::Sha1);
    if (look.size > offset && file.seek(offset))
        look.bytes = file.read(mostBytesAtOnce);
    return look;
}

PlaceShell::PlaceShell(std::optional<Place> place, QObject* parent)
    : QObject(parent), m_place(std::move(place))
{
    m_patience.setSingleShot(true);
    connect(&m_patience, &QTimer::timeout, this, [this] {
        // ssh's own exit code for an error, so that the sentence is that of a lost connection.
        constexpr int sshError = 255;
        lose({.sentence = {}, .lastLines = {tr("it does not answer")}, .exitCode = sshError});
    });
}

PlaceShell::~PlaceShell()
{
    if (!m_process)
        return;
    m_process->disconnect();
    signalGroup(*m_process, m_group, SIGKILL);
    destroyKilled(std::move(m_process), QDeadlineTimer(std::chrono::seconds(3)));
}

void PlaceShell::lookAtFile(const QString& path, qint64 offset)
{
    ask("file " + QByteArray::number(offset) + ' ' + QFile::encodeName(path));
}

void PlaceShell::lookAtJob(const QString& job)
{
    m_job = job;
    ask("job " + job.toUtf8());
}

void PlaceShell::ask(const QByteArray& question)
{
    m_isBusy = true;
    if (!m_process)
        start();
    m_process->write(question + '\n');
    m_patience.start(longestAnswer);
}

void PlaceShell::start()
{
    const WorkerCommand command =
        m_place ? placedScript(*m_place, shellScript, {})
                : WorkerCommand{.program = QStringLiteral("sh"),
                                .arguments = {QStringLiteral("-c"), shellScript, QStringLiteral("sh")}};
    m_output.clear();
    m_errors.clear();
    m_process = std::make_unique<QProcess>();
    leadOwnGroup(*m_process);
    connect(m_process.get(), &QProcess::readyReadStandardOutput, this, &PlaceShell::readAnswers);
    connect(m_process.get(), &QProcess::readyReadStandardError, this,
            [this] { m_errors = (m_errors + m_process->readAllStandardError()).right(keptErrors); });
    connect(m_process.get(), &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        WorkerEnd end;
        if (status == QProcess::NormalExit)
            end.exitCode = code;
        for (const QByteArray& line : (m_errors + m_process->readAllStandardError()).split('\n')) {
            if (!line.trimmed().isEmpty())
                end.lastLines << QString::fromUtf8(line.trimmed());
        }
        lose(end);
    });
    connect(m_process.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            lose({.sentence = {}, .lastLines = {m_process->errorString()}});
    });
    m_process->start(command.program, command.arguments);
    m_group = m_process->processId();
}

void PlaceShell::readAnswers()
{
    m_output += m_process->readAllStandardOutput();
    for (qsizetype end = m_output.indexOf('\n'); end >= 0; end = m_output.indexOf('\n')) {
        const QByteArray line = m_output.left(end);
        m_output.remove(0, end + 1);
        takeAnswer(line);
        if (!m_process)
            return;
    }
    if (m_output.size() > longestAnswerLine)
        lose({.sentence = {}, .lastLines = {tr("it writes something else than an answer")}});
}

void PlaceShell::takeAnswer(const QByteArray& line)
{
    const QList<QByteArray> words = line.split(' ');
    const bool isFile = words.front() == "batchpeak-file";
    const bool isJob = words.front() == "batchpeak-job";
    // Other lines are those of a login.
    if (!m_isBusy || words.size() < 2 || !(isFile || isJob))
        return;
    m_isBusy = false;
    m_patience.stop();
    if (isJob) {
        emit jobSeen(jobLookFrom(QString::fromUtf8(QByteArray::fromBase64(words[1])), m_job));
        return;
    }
    FileLook look{.exists = words[1] != "none"};
    if (words[1] == "unreadable")
        look.problem = tr("The file is none that can be read.");
    if (words.size() < 4) {
        emit fileSeen(look);
        return;
    }
    look.size = words[2].toLongLong();
    if (look.size >= bytesOfIdentity)
        look.identity = words[1];
    look.bytes = QByteArray::fromBase64(words[3]);
    emit fileSeen(look);
}

void PlaceShell::lose(const WorkerEnd& end)
{
    endProcess();
    m_isBusy = false;
    const auto loss = m_place ? lostConnection(*m_place, end) : std::nullopt;
    const QString said = end.lastLines.isEmpty() ? tr("it said nothing") : end.lastLines.last();
    const QString where = m_place ? m_place->target : QStringLiteral("sh");
    emit lost(loss.value_or(
        LostConnection{.sentence = tr("The shell of %1 ended (%2).").arg(where, said), .mayReturn = true}));
}

void PlaceShell::endProcess()
{
    m_patience.stop();
    if (!m_process)
        return;
    m_process->disconnect();
    // It may be the sender of the signal that led here.
    QProcess* const process = m_process.release();
    if (process->state() == QProcess::NotRunning)
        return process->deleteLater();
    signalGroup(*process, m_group, SIGKILL);
    connect(process, &QProcess::finished, process, &QObject::deleteLater);
}

} // namespace batchpeak::engine
