// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/error_of.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "syntax/config_error.h"
#include "training/growth/growth_function.h"

#include <QSignalSpy>
#include <QTest>

#include <limits>

using namespace batchpeak;
using training::GrowthFunction;

namespace {

QString refusalOf(const QString& text)
{
    return test::errorOf<config::ConfigError>([&] { (void)training::makeGrowthFunction(text); });
}

} // namespace

class ExpressionGrowthTest : public QObject
{
    Q_OBJECT

private slots:
    void answers_data()
    {
        const auto add = rows<Text, qint64, qint64, qint64>();
        const auto gives = [&](const char* expression, qint64 epoch, qint64 size, qint64 increment) {
            add(QByteArray(expression).simplified().toStdString() + " at " + std::to_string(epoch) + ", " +
                    std::to_string(size),
                {expression, epoch, size, increment});
        };
        gives("4", 1, 8, 4);
        gives("0", 1, 8, 0);
        gives("-2", 1, 8, -2);
        gives("epoch", 3, 8, 3);
        gives("current_batch_size", 3, 8, 8);
        gives("epoch < 3 ? 4 : 0", 2, 8, 4);
        gives("epoch < 3 ? 4 : 0", 3, 8, 0);
        gives("epoch == 1 ? 1 : epoch == 2 ? 2 : 3", 2, 8, 2);
        gives("epoch >= 2 && current_batch_size < 16 ? 4 : 0", 2, 8, 4);
        gives("epoch >= 2 && current_batch_size < 16 ? 4 : 0", 2, 16, 0);
        gives("epoch == 0 || epoch != 5 ? 1 : 0", 5, 8, 0);
        gives("epoch % 3 == 2 ? 4 : 0", 5, 8, 4);
        gives("7 % 4 * 2", 5, 8, 6);
        gives("floor(current_batch_size * 0.3)", 1, 8, 2);
        gives("ceil(current_batch_size * 0.3)", 1, 8, 3);
        gives("min(4, 16 - current_batch_size)", 1, 14, 2);
        gives("2^epoch", 5, 8, 32);
        gives("  4\n", 1, 8, 4);
        gives("current_batch_size", 1, std::int64_t{1} << 53, std::int64_t{1} << 53);
        gives("-2^63", 1, 8, std::numeric_limits<qint64>::min());
    }
    void answers()
    {
        const auto& [expression, epoch, size, increment] = row<Text, qint64, qint64, qint64>();
        const auto growth = training::makeGrowthFunction(expression);
        QSignalSpy answered(growth.get(), &GrowthFunction::answered);
        QSignalSpy failed(growth.get(), &GrowthFunction::failed);
        growth->ask(epoch, size);
        QVERIFY2(answered.isEmpty(), "it answered before ask() had returned");
        TRY_COMPARE(answered.count() + failed.count(), 1);
        QVERIFY2(failed.isEmpty(),
                 qPrintable(failed.isEmpty() ? QString() : failed.first().first().toString()));
        QCOMPARE(answered.first().first().toLongLong(), increment);
    }

    void fails_data()
    {
        const auto add = rows<Text, Text>();
        const auto says = [&](const char* expression, const char* part) {
            add(expression, {expression, part});
        };
        says("2.5", "gives 2.5 for epoch=3 and current_batch_size=8, which is no whole number");
        says("epoch / 2", "gives 1.5 for epoch=3");
        says("1 / (epoch - 3)", "gives inf for epoch=3");
        says("0 / (epoch - 3)", "which is no whole number");
        says("sqrt(-epoch)", "which is no whole number");
        says("2^63", "which is beyond 64 bits");
        says("-2^64", "which is beyond 64 bits");
        says("2^2000", "which is no whole number");
    }
    void fails()
    {
        const auto& [expression, part] = row<Text, Text>();
        const auto growth = training::makeGrowthFunction(expression);
        QSignalSpy answered(growth.get(), &GrowthFunction::answered);
        QSignalSpy failed(growth.get(), &GrowthFunction::failed);
        growth->ask(3, 8);
        QVERIFY2(failed.isEmpty(), "it answered before ask() had returned");
        TRY_COMPARE(answered.count() + failed.count(), 1);
        QVERIFY(answered.isEmpty());
        const QString sentence = failed.first().first().toString();
        VERIFY_CONTAINS(sentence, part);
    }

    void refuses_data()
    {
        const auto add = rows<Text, Text>();
        const auto says = [&](const char* expression, const char* part) {
            add(expression, {expression, part});
        };
        says("", "at column 1 of \"\" there is nothing to compute");
        says("epochs + 1", "at column 1 of \"epochs + 1\" \"epochs\" is not known");
        says("epoch + steps", "at column 9 of \"epoch + steps\" \"steps\" is not known");
        says("_pi", "at column 1 of \"_pi\" \"_pi\" is not known");
        says("epoch +", "at column 8 of \"epoch +\" something is still missing");
        says("(epoch", "at column 7 of \"(epoch\" a closing parenthesis is missing");
        says("epoch)", "at column 6 of \"epoch)\" \")\" is not expected");
        says("epoch ? 1", "at column 10 of \"epoch ? 1\" the \":\" of a \"?\" is missing");
        says("1 : 2", "a \":\" stands without its \"?\"");
        says("epoch epoch", "at column 7 of \"epoch epoch\" \"epoch\" is not expected");
        says("epoch = 3 ? 4 : 0", "at column 7 of \"epoch = 3 ? 4 : 0\" \"=\" would assign");
        says("current_batch_size = 1", "\"=\" would assign");
        says("1, 2", "at column 2 of \"1, 2\" \",\" separates several answers");
        says("min()", "\"min\" has too few arguments");
        says("sqrt(1, 2)", "\"sqrt\" has too many arguments");
        says("\"4\"", "is not expected");
        says("epoch + é", "at column 9 of \"epoch + é\" \"é\" is not known");
        add("long", {QString(30000, QLatin1Char('1')), "begins more than can be read"});
        says("import os", "\"import\" is not known");
    }
    void refuses()
    {
        const auto& [expression, part] = row<Text, Text>();
        const QString sentence = refusalOf(expression);
        VERIFY_CONTAINS(sentence, part);
        VERIFY_CONTAINS(sentence, "An expression may hold epoch, current_batch_size");
    }

    void answersOnceForEachQuestion()
    {
        const auto growth = training::makeGrowthFunction(QStringLiteral("4 / epoch"));
        QStringList heard;
        connect(growth.get(), &GrowthFunction::answered, this,
                [&](qint64 increment) { heard.append(QString::number(increment)); });
        connect(growth.get(), &GrowthFunction::failed, this, [&] { heard.append(QStringLiteral("failed")); });
        for (const int epoch : {1, 2, 3, 4})
            growth->ask(epoch, 8);
        TRY_COMPARE(heard.size(), 4);
        QCOMPARE(heard.join(QLatin1Char(' ')), QStringLiteral("4 2 failed 1"));
        QCoreApplication::processEvents();
        QCOMPARE(heard.size(), 4);
    }

    void refusesAMissingFile()
    {
        const QString sentence = refusalOf(QStringLiteral("/nowhere/growth.py"));
        VERIFY_CONTAINS(sentence, "There is no file /nowhere/growth.py");
    }
};

BATCHPEAK_TEST(ExpressionGrowthTest)
#include "tst_expression_growth.moc"
