// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "growth_function.h"

#include "syntax/config_error.h"
#include "workers/process_group.h"

#include <QByteArray>
#include <QDeadlineTimer>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QQueue>
#include <QRegularExpression>
#include <QTimer>

#include <muParser.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <utility>

namespace batchpeak::training {

namespace {

/// Longest quoted token; muParser's tokens extend to the end of the expression.
constexpr int longestToken = 40;
/// Longest quoted expression, so that the message around it stays readable.
constexpr int longestQuote = 200;

/// Bounds of int64 as doubles; the upper one is the first number out of range.
constexpr double minInt64 = -0x1p63;
constexpr double beyondInt64 = 0x1p63;

QString quoted(const QString& token)
{
    const QString word = token.section(QRegularExpression(QStringLiteral("\\s")), 0, 0);
    return QLatin1Char('"') + word.left(longestToken) + QLatin1Char('"');
}

/// Returns what is wrong, to follow "At column N ".
QString complaint(const mu::ParserError& error)
{
    const QString token = QString::fromStdString(error.GetToken());
    switch (error.GetCode()) {
    case mu::ecUNASSIGNABLE_TOKEN:
        return GrowthFunction::tr("%1 is not known").arg(quoted(token));
    case mu::ecEMPTY_EXPRESSION:
        return GrowthFunction::tr("there is nothing to compute");
    case mu::ecUNEXPECTED_EOF:
        return GrowthFunction::tr("something is still missing");
    case mu::ecMISSING_PARENS:
        return GrowthFunction::tr("a closing parenthesis is missing");
    case mu::ecMISSING_ELSE_CLAUSE:
        return GrowthFunction::tr("the \":\" of a \"?\" is missing");
    case mu::ecMISPLACED_COLON:
        return GrowthFunction::tr("a \":\" stands without its \"?\"");
    case mu::ecTOO_FEW_PARAMS:
        return GrowthFunction::tr("%1 has too few arguments").arg(quoted(token));
    case mu::ecTOO_MANY_PARAMS:
        return GrowthFunction::tr("%1 has too many arguments").arg(quoted(token));
    case mu::ecEXPRESSION_TOO_LONG:
        return GrowthFunction::tr("begins more than can be read");
    default:
        return token.isEmpty() ? GrowthFunction::tr("something is not expected")
                               : GrowthFunction::tr("%1 is not expected").arg(quoted(token));
    }
}

[[noreturn]] void refuse(const QString& expression, qsizetype column, const QString& wrong)
{
    const QString sentence =
        GrowthFunction::tr(
            "batch_increase_function cannot be read: at column %1 of \"%2\" %3. An expression may hold "
            "epoch, "
            "current_batch_size, numbers, + - * / % ^, comparisons, && and ||, \"condition ? one : other\", "
            "and functions such as min, max, floor and ceil; for more, give a Python file, whose name ends "
            "in .py.")
            .arg(QString::number(column), expression.left(longestQuote), wrong);
    throw config::ConfigError(sentence.toStdString());
}

/// Returns the column of muParser's position, which counts bytes from 0, or is -1 at the end of the
/// expression.
qsizetype columnOf(const QString& expression, int position)
{
    const QByteArray bytes = expression.toUtf8();
    const QByteArray before = position < 0 ? bytes : bytes.left(position);
    return QString::fromUtf8(before).size() + 1;
}

/// Refuses an assignment, which would have no effect: the variables are set again for each question.
void refuseAssignment(const QString& expression)
{
    static const QRegularExpression assignment(QStringLiteral("(?<![=!<>])=(?!=)"));
    const QRegularExpressionMatch match = assignment.match(expression);
    if (match.hasMatch())
        refuse(expression, match.capturedStart() + 1,
               GrowthFunction::tr("\"=\" would assign; write \"==\" to compare"));
}

/// Evaluates batch_increase_function as an expression of muParser 2.3: numbers, + - * / % ^, comparisons, &&
/// and ||, "condition ? one : other", and muParser's functions, plus floor and ceil because the answer must
/// be an integer.
///
/// Its only variables are epoch and current_batch_size. Assignments and lists of results are refused, since
/// they would have no effect.
class ExpressionGrowth final : public GrowthFunction
{
public:
    /// \throws config::ConfigError  with the column, and what an expression may contain
    explicit ExpressionGrowth(const QString& expression);

    void ask(std::int64_t epoch, std::int64_t currentBatchSize) override;

private:
    void prepareParser();

    QString m_text;
    mu::Parser m_parser;
    double m_epoch = 0.0;
    double m_currentBatchSize = 1.0;
};

ExpressionGrowth::ExpressionGrowth(const QString& expression) : m_text(expression)
{
    refuseAssignment(expression);
    try {
        prepareParser();
        // muParser parses an expression when it is first evaluated.
        m_parser.Eval();
    } catch (const mu::ParserError& error) {
        refuse(expression, columnOf(expression, error.GetPos()), complaint(error));
    }
    if (m_parser.GetNumResults() != 1)
        refuse(expression, expression.indexOf(QLatin1Char(',')) + 1,
               tr("\",\" separates several answers, where one is needed"));
}

void ExpressionGrowth::prepareParser()
{
    m_parser.DefineVar("epoch", &m_epoch);
    m_parser.DefineVar("current_batch_size", &m_currentBatchSize);
    m_parser.DefineOprt(
        "%", [](double a, double b) { return std::fmod(a, b); }, mu::prMUL_DIV);
    m_parser.DefineFun("floor", [](double number) { return std::floor(number); });
    m_parser.DefineFun("ceil", [](double number) { return std::ceil(number); });
    m_parser.ClearConst();
    m_parser.SetExpr(m_text.toStdString());
}

void ExpressionGrowth::ask(std::int64_t epoch, std::int64_t currentBatchSize)
{
    m_epoch = static_cast<double>(epoch);
    m_currentBatchSize = static_cast<double>(currentBatchSize);
    const double result = m_parser.Eval();
    const bool isWhole = std::isfinite(result) && std::trunc(result) == result;
    if (isWhole && result >= minInt64 && result < beyondInt64) {
        const auto increment = static_cast<qint64>(result);
        QTimer::singleShot(0, this, [this, increment] { emit answered(increment); });
        return;
    }
    const QString why = isWhole ? tr("beyond 64 bits") : tr("no whole number");
    const QString sentence =
        tr("\"%1\" gives %2 for epoch=%3 and current_batch_size=%4, which is %5; let it answer by how many "
           "samples the batch is to grow.")
            .arg(m_text, QString::number(result), QString::number(epoch), QString::number(currentBatchSize),
                 why);
    QTimer::singleShot(0, this, [this, sentence] { emit failed(sentence); });
}

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

/// Runs batch_increase_function of a Python file in its own python3 process.
///
/// The file is imported once in each process, and its function is called many times. What the file prints or
/// reads is separate from the answers. Each question has a time limit; for the first question of a process,
/// it includes the import. After a failure the process is killed, with everything that it started, and the
/// next question gets a fresh process.
class PythonGrowth final : public GrowthFunction
{
public:
    /// \param code  content of the file that the user allowed to run; no process is started with any other
    ///        content. Empty for no check.
    /// \throws config::ConfigError  if the file does not exist
    PythonGrowth(const QString& path, std::chrono::milliseconds timeout, engine::CodeContent code);
    /// Kills processes that are still running.
    ~PythonGrowth() override;

    void ask(std::int64_t epoch, std::int64_t currentBatchSize) override;

private:
    struct Question
    {
        std::int64_t epoch = 0;
        std::int64_t currentBatchSize = 0;
    };

    void putQuestion();
    void startProcess();
    void dropProcess();
    void readAnswer();
    void readErrors();
    void judge(const QJsonObject& answer);
    void takeExit(int code, QProcess::ExitStatus status);
    void succeed(qint64 increment);
    void fail(const QString& what, int line = 0);
    void failSaying(const QString& sentence);
    void endQuestion();
    /// Returns the call as text: "batch_increase_function(epoch=1, current_batch_size=8)".
    QString call() const;

    QString m_path;
    engine::CodeContent m_code;
    std::chrono::milliseconds m_timeout;
    /// Pending questions; the first one is being answered, the others wait.
    QQueue<Question> m_questions;
    bool m_isAsking = false;
    /// Current process; null before the first question and after a failure.
    QProcess* m_process = nullptr;
    qint64 m_group = 0;
    QTimer m_limit;
    QByteArray m_unread;
    QByteArray m_lastErrors;
};

PythonGrowth::PythonGrowth(const QString& path, std::chrono::milliseconds timeout, engine::CodeContent code)
    : m_path(path), m_code(std::move(code)), m_timeout(timeout)
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

} // namespace

bool isPythonFile(const QString& text)
{
    return text.endsWith(QLatin1String(".py"));
}

std::unique_ptr<GrowthFunction> makeGrowthFunction(const QString& text, std::chrono::milliseconds timeout,
                                                   const engine::CodeContent& code)
{
    if (isPythonFile(text))
        return std::make_unique<PythonGrowth>(text, timeout, code);
    return std::make_unique<ExpressionGrowth>(text);
}

} // namespace batchpeak::training
