// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "expression_growth.h"

#include "config/config_error.h"

#include <QRegularExpression>
#include <QTimer>

#include <muParser.h>

#include <algorithm>
#include <cmath>

namespace batchpeak::training {

namespace {

/// Of a quoted token: muParser's reach up to the end of the expression.
constexpr int longestToken = 40;
/// Of the quoted expression, so that its complaint can still be read.
constexpr int longestQuote = 200;

/// The bounds of int64 as doubles: the upper one is the first number that is beyond.
constexpr double leastInt64 = -0x1p63;
constexpr double beyondInt64 = 0x1p63;

QString quoted(const QString& token)
{
    const QString word = token.section(QRegularExpression(QStringLiteral("\\s")), 0, 0);
    return QLatin1Char('"') + word.left(longestToken) + QLatin1Char('"');
}

/// What is wrong, to follow "At column N ".
QString complaint(const mu::ParserError& error)
{
    const QString token = QString::fromStdString(error.GetToken());
    switch (error.GetCode()) {
    case mu::ecUNASSIGNABLE_TOKEN:
        return ExpressionGrowth::tr("%1 is not known").arg(quoted(token));
    case mu::ecEMPTY_EXPRESSION:
        return ExpressionGrowth::tr("there is nothing to compute");
    case mu::ecUNEXPECTED_EOF:
        return ExpressionGrowth::tr("something is still missing");
    case mu::ecMISSING_PARENS:
        return ExpressionGrowth::tr("a closing parenthesis is missing");
    case mu::ecMISSING_ELSE_CLAUSE:
        return ExpressionGrowth::tr("the \":\" of a \"?\" is missing");
    case mu::ecMISPLACED_COLON:
        return ExpressionGrowth::tr("a \":\" stands without its \"?\"");
    case mu::ecTOO_FEW_PARAMS:
        return ExpressionGrowth::tr("%1 has too few arguments").arg(quoted(token));
    case mu::ecTOO_MANY_PARAMS:
        return ExpressionGrowth::tr("%1 has too many arguments").arg(quoted(token));
    case mu::ecEXPRESSION_TOO_LONG:
        return ExpressionGrowth::tr("begins more than can be read");
    default:
        return token.isEmpty() ? ExpressionGrowth::tr("something is not expected")
                               : ExpressionGrowth::tr("%1 is not expected").arg(quoted(token));
    }
}

[[noreturn]] void refuse(const QString& expression, qsizetype column, const QString& wrong)
{
    const QString sentence =
        ExpressionGrowth::tr(
            "batch_increase_function cannot be read: at column %1 of \"%2\" %3. An expression may hold "
            "epoch, "
            "current_batch_size, numbers, + - * / % ^, comparisons, && and ||, \"condition ? one : other\", "
            "and functions such as min, max, floor and ceil; for more, give a Python file, whose name ends "
            "in .py.")
            .arg(QString::number(column), expression.left(longestQuote), wrong);
    throw config::ConfigError(sentence.toStdString());
}

/// muParser counts bytes from 0, and is at -1 where it has come to the end.
qsizetype columnOf(const QString& expression, int position)
{
    const QByteArray bytes = expression.toUtf8();
    const QByteArray before = position < 0 ? bytes : bytes.left(position);
    return QString::fromUtf8(before).size() + 1;
}

/// Nothing would come of one: the names are set anew for each question.
void refuseAssignment(const QString& expression)
{
    static const QRegularExpression assignment(QStringLiteral("(?<![=!<>])=(?!=)"));
    const QRegularExpressionMatch match = assignment.match(expression);
    if (match.hasMatch())
        refuse(expression, match.capturedStart() + 1,
               ExpressionGrowth::tr("\"=\" would assign; write \"==\" to compare"));
}

} // namespace

class ExpressionGrowth::Private
{
public:
    QString text;
    mu::Parser parser;
    double epoch = 0.0;
    double currentBatchSize = 1.0;

    explicit Private(const QString& expression) : text(expression)
    {
        parser.DefineVar("epoch", &epoch);
        parser.DefineVar("current_batch_size", &currentBatchSize);
        parser.DefineOprt(
            "%", [](double a, double b) { return std::fmod(a, b); }, mu::prMUL_DIV);
        parser.DefineFun("floor", [](double number) { return std::floor(number); });
        parser.DefineFun("ceil", [](double number) { return std::ceil(number); });
        parser.ClearConst();
        parser.SetExpr(expression.toStdString());
    }
};

ExpressionGrowth::ExpressionGrowth(const QString& expression, QObject* parent) : GrowthFunction(parent)
{
    refuseAssignment(expression);
    try {
        d = std::make_unique<Private>(expression);
        // muParser reads an expression when it is first evaluated.
        d->parser.Eval();
    } catch (const mu::ParserError& error) {
        refuse(expression, columnOf(expression, error.GetPos()), complaint(error));
    }
    if (d->parser.GetNumResults() != 1)
        refuse(expression, expression.indexOf(QLatin1Char(',')) + 1,
               tr("\",\" separates several answers, where one is needed"));
}

ExpressionGrowth::~ExpressionGrowth() = default;

void ExpressionGrowth::ask(std::int64_t epoch, std::int64_t currentBatchSize)
{
    d->epoch = static_cast<double>(epoch);
    d->currentBatchSize = static_cast<double>(currentBatchSize);
    const double result = d->parser.Eval();
    const bool isWhole = std::isfinite(result) && std::trunc(result) == result;
    if (isWhole && result >= leastInt64 && result < beyondInt64) {
        const auto increment = static_cast<qint64>(result);
        QTimer::singleShot(0, this, [this, increment] { emit answered(increment); });
        return;
    }
    const QString why = isWhole ? tr("beyond 64 bits") : tr("no whole number");
    const QString sentence =
        tr("\"%1\" gives %2 for epoch=%3 and current_batch_size=%4, which is %5; let it answer by how many "
           "samples the batch is to grow.")
            .arg(d->text, QString::number(result), QString::number(epoch), QString::number(currentBatchSize),
                 why);
    QTimer::singleShot(0, this, [this, sentence] { emit failed(sentence); });
}

} // namespace batchpeak::training
