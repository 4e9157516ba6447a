// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "python_growth.h"

#include "syntax/config_error.h"
#include "workers/process_group.h"

#include <QDeadlineTimer>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>

#include <csignal>
#include <cstring>
#include <memory>
#include <utility>

namespace batchpeak::training {

namespace {

/// Longest wait in the destructor for killed processes.
constexpr std::chrono::seconds patience{2};
/// Answers of growth_runner.py are far shorter.
constexpr qsizetype longestAnswerBytes = qsizetype{64} * 1024;
/// Enough for the last line that a Python which does not start prints.
constexpr qsizetype keptErrorBytes = 1000;

QString runner()
{
    QFile file(QStringLiteral(":/batchpeak/training/growth_runner.py"));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("growth_runner.py is not built into the program");
    return QString::fromUtf8(file.readAll());
}

QString lastLine(const QByteArray& text)
{
    return QString::fromUtf8(text.trimmed()).section(QLatin1Char('\n'), -1).trimmed();
}

} // namespace

PythonGrowth::PythonGrowth(const QString& path, std::chrono::milliseconds timeout, engine::CodeContent code,
                           QObject* parent)
    : GrowthFunction(parent), m_path(path), m_code(std::move(code)), m_timeout(timeout)
{
    if (!QFileInfo(path).isFile()) {
        const QString sentence = tr("There is no file %1, which was to hold batch_increase_function; check "
                                    "the path, or give an expression of epoch and current_batch_size.")
                                     .arg(path);
        throw config::ConfigError(sentence.toStdString());
    }
    m_limit.setSingleShot(true);
    connect(&m_limit, &QTimer::timeout, this, [this] {
        const std::chrono::duration<double> seconds = m_timeout;
        fail(tr("%1 did not answer within %2 s and was ended; let it take less time.")
                 .arg(call(), QString::number(seconds.count())));
    });
}

PythonGrowth::~PythonGrowth()
{
    dropProcess();
    // Processes that were dropped before may still be ending; one that is blocked by a dead disk is not
    // waited for.
    const QDeadlineTimer untilGone(patience);
    for (QProcess* process : findChildren<QProcess*>()) {
        process->setParent(nullptr);
        engine::destroyKilled(std::unique_ptr<QProcess>(process), untilGone);
    }
}

void PythonGrowth::ask(std::int64_t epoch, std::int64_t currentBatchSize)
{
    m_questions.enqueue({.epoch = epoch, .currentBatchSize = currentBatchSize});
    if (m_questions.size() == 1)
        QTimer::singleShot(0, this, &PythonGrowth::putQuestion);
}

void PythonGrowth::putQuestion()
{
    m_isAsking = true;
    m_limit.start(m_timeout);
    if (!m_process)
        startProcess();
    // If the process could not be started, the question has already failed.
    if (!m_process)
        return;
    const Question& question = m_questions.head();
    const QJsonObject line{
        {QStringLiteral("epoch"), static_cast<qint64>(question.epoch)},
        {QStringLiteral("current_batch_size"), static_cast<qint64>(question.currentBatchSize)}};
    m_process->write(QJsonDocument(line).toJson(QJsonDocument::Compact) + '\n');
}

void PythonGrowth::startProcess()
{
    m_unread.clear();
    m_lastErrors.clear();
    if (const QString problem = m_code.problem(); !problem.isEmpty())
        return failSaying(problem);
    const QFileInfo file(m_path);
    auto* process = new QProcess(this);
    m_process = process;
    connect(process, &QProcess::readyReadStandardOutput, this, &PythonGrowth::readAnswer);
    connect(process, &QProcess::readyReadStandardError, this, &PythonGrowth::readErrors);
    connect(process, &QProcess::finished, this, &PythonGrowth::takeExit);
    connect(process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        // Every other error is followed by finished().
        if (error == QProcess::FailedToStart)
            fail(tr("python3 could not be started: %1. Install Python 3, or give an expression of epoch and "
                    "current_batch_size instead.")
                     .arg(m_process->errorString()));
    });
    engine::leadOwnGroup(*process);
    // Python must not import anything from the file's folder while it starts; the runner changes to that
    // folder afterwards.
    process->setWorkingDirectory(QDir::rootPath());
    process->start(QStringLiteral("python3"), {QStringLiteral("-c"), runner(), file.absoluteFilePath()});
    m_group = process->processId();
}

void PythonGrowth::dropProcess()
{
    QProcess* process = std::exchange(m_process, nullptr);
    if (!process)
        return;
    process->disconnect(this);
    engine::signalGroup(*process, std::exchange(m_group, 0), SIGKILL);
    // This may be called from one of the process's signals.
    if (process->state() == QProcess::NotRunning)
        process->deleteLater();
    else
        connect(process, &QProcess::finished, process, &QObject::deleteLater);
}

void PythonGrowth::readAnswer()
{
    m_unread += m_process->readAllStandardOutput();
    if (m_unread.isEmpty())
        return;
    if (!m_isAsking)
        return dropProcess();
    const qsizetype end = m_unread.indexOf('\n');
    if (end < 0 && m_unread.size() <= longestAnswerBytes)
        return;
    const auto answer = QJsonDocument::fromJson(m_unread.left(end));
    if (end < 0 || end != m_unread.size() - 1 || !answer.isObject())
        return fail(tr("%1 gave no answer that can be read; keep the file from writing to descriptors that "
                       "are not its own.")
                        .arg(call()));
    m_unread.clear();
    judge(answer.object());
}

void PythonGrowth::readErrors()
{
    m_lastErrors = (m_lastErrors + m_process->readAllStandardError()).right(keptErrorBytes);
}

void PythonGrowth::judge(const QJsonObject& answer)
{
    const auto text = [&](const char* key) { return answer[QLatin1String(key)].toString(); };
    const int line = answer[QLatin1String("line")].toInt();
    if (answer.contains(QLatin1String("increment")))
        return succeed(answer[QLatin1String("increment")].toInteger());
    if (answer.contains(QLatin1String("raised")))
        return fail(tr("%1 raised %2; fix it.").arg(call(), text("raised")), line);
    if (answer.contains(QLatin1String("left")))
        return fail(tr("%1 left Python with exit code %2; let it return a number.").arg(call(), text("left")),
                    line);
    if (answer.contains(QLatin1String("returned")))
        return fail(tr("%1 returned %2; let it return by how many samples the batch is to grow, as an int.")
                        .arg(call(), text("returned")));
    if (answer.contains(QLatin1String("too_large")))
        return fail(tr("%1 returned a number beyond 64 bits; let it return by how many samples the batch is "
                       "to grow.")
                        .arg(call()));
    fail(tr("there is no function batch_increase_function in it; define batch_increase_function(epoch: int, "
            "current_batch_size: int) -> int."));
}

void PythonGrowth::takeExit(int code, QProcess::ExitStatus status)
{
    readErrors();
    readAnswer();
    if (!m_process)
        return;
    QString what =
        status == QProcess::NormalExit
            ? tr("python3 ended with exit code %1 before %2 had answered.").arg(QString::number(code), call())
            : tr("python3 was ended by signal %1 (%2) before %3 had answered.")
                  .arg(QString::number(code), QString::fromLocal8Bit(strsignal(code)), call());
    if (const QString words = lastLine(m_lastErrors); !words.isEmpty())
        what += tr(" Its last words: %1").arg(words);
    fail(what);
}

void PythonGrowth::succeed(qint64 increment)
{
    endQuestion();
    // Emitted from the event loop, since this runs in a signal of the process, which the owner may delete
    // together with this object.
    QTimer::singleShot(0, this, [this, increment] { emit answered(increment); });
}

void PythonGrowth::fail(const QString& what, int line)
{
    const QString place = line > 0 ? m_path + QLatin1Char(':') + QString::number(line) : m_path;
    failSaying(place + QLatin1String(": ") + what);
}

void PythonGrowth::failSaying(const QString& sentence)
{
    dropProcess();
    // A process that ended after its answer does not owe another one.
    if (!m_isAsking)
        return;
    endQuestion();
    QTimer::singleShot(0, this, [this, sentence] { emit failed(sentence); });
}

void PythonGrowth::endQuestion()
{
    m_limit.stop();
    m_isAsking = false;
    m_questions.dequeue();
    if (!m_questions.isEmpty())
        QTimer::singleShot(0, this, &PythonGrowth::putQuestion);
}

QString PythonGrowth::call() const
{
    const Question question = m_questions.isEmpty() ? Question{} : m_questions.head();
    return QStringLiteral("batch_increase_function(epoch=%1, current_batch_size=%2)")
        .arg(QString::number(question.epoch), QString::number(question.currentBatchSize));
}

} // namespace batchpeak::training
