// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "growth_function.h"

#include "python_growth.h"
#include "syntax/config_error.h"

#include <QRegularExpression>
#include <QTimer>

#include <muParser.h>

#include <algorithm>
#include <cmath>

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
