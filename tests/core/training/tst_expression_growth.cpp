// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_error.h"
#include "support/test_main.h"
#include "training/growth_function.h"

#include <QSignalSpy>
#include <QTest>

#include <limits>

using namespace batchpeak;
using training::GrowthFunction;

class ExpressionGrowthTest : public QObject
{
    Q_OBJECT

private slots:
    void answers_data();
    void answers();
    void fails_data();
    void fails();
    void refuses_data();
    void refuses();
    void answersOnceForEachQuestion();
    void refusesAFileThatIsNotThere();
};

void ExpressionGrowthTest::answers_data()
{
    QTest::addColumn<QString>("expression");
    QTest::addColumn<qint64>("epoch");
    QTest::addColumn<qint64>("size");
    QTest::addColumn<qint64>("increment");
    const auto row = [](const char* expression, qint64 epoch, qint64 size, qint64 increment) {
        QTest::addRow("%s at %lld, %lld", QByteArray(expression).simplified().constData(),
                      static_cast<long long>(epoch), static_cast<long long>(size))
            << QString::fromUtf8(expression) << epoch << size << increment;
    };
    row("4", 1, 8, 4);
    row("0", 1, 8, 0);
    row("-2", 1, 8, -2);
    row("epoch", 3, 8, 3);
    row("current_batch_size", 3, 8, 8);
    row("epoch < 3 ? 4 : 0", 2, 8, 4);
    row("epoch < 3 ? 4 : 0", 3, 8, 0);
    row("epoch == 1 ? 1 : epoch == 2 ? 2 : 3", 2, 8, 2);
    row("epoch >= 2 && current_batch_size < 16 ? 4 : 0", 2, 8, 4);
    row("epoch >= 2 && current_batch_size < 16 ? 4 : 0", 2, 16, 0);
    row("epoch == 0 || epoch != 5 ? 1 : 0", 5, 8, 0);
    row("epoch % 3 == 2 ? 4 : 0", 5, 8, 4);
    row("7 % 4 * 2", 5, 8, 6);
    row("floor(current_batch_size * 0.3)", 1, 8, 2);
    row("ceil(current_batch_size * 0.3)", 1, 8, 3);
    row("min(4, 16 - current_batch_size)", 1, 14, 2);
    row("2^epoch", 5, 8, 32);
    row("  4\n", 1, 8, 4);
    row("current_batch_size", 1, std::int64_t{1} << 53, std::int64_t{1} << 53);
    row("-2^63", 1, 8, std::numeric_limits<qint64>::min());
}

void ExpressionGrowthTest::answers()
{
    QFETCH(QString, expression);
    QFETCH(qint64, epoch);
    QFETCH(qint64, size);
    QFETCH(qint64, increment);
    const auto growth = training::makeGrowthFunction(expression);
    QSignalSpy answered(growth.get(), &GrowthFunction::answered);
    QSignalSpy failed(growth.get(), &GrowthFunction::failed);
    growth->ask(epoch, size);
    QVERIFY2(answered.isEmpty(), "it answered before ask() had returned");
    QTRY_COMPARE(answered.count() + failed.count(), 1);
    QVERIFY2(failed.isEmpty(), qPrintable(failed.isEmpty() ? QString() : failed.first().first().toString()));
    QCOMPARE(answered.first().first().toLongLong(), increment);
}

void ExpressionGrowthTest::fails_data()
{
    QTest::addColumn<QString>("expression");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* expression, const char* part) {
        QTest::newRow(expression) << QString::fromUtf8(expression) << QString::fromUtf8(part);
    };
    row("2.5", "gives 2.5 for epoch=3 and current_batch_size=8, which is no whole number");
    row("epoch / 2", "gives 1.5 for epoch=3");
    row("1 / (epoch - 3)", "gives inf for epoch=3");
    row("0 / (epoch - 3)", "which is no whole number");
    row("sqrt(-epoch)", "which is no whole number");
    row("2^63", "which is beyond 64 bits");
    row("-2^64", "which is beyond 64 bits");
    row("2^2000", "which is no whole number");
}

void ExpressionGrowthTest::fails()
{
    QFETCH(QString, expression);
    QFETCH(QString, part);
    const auto growth = training::makeGrowthFunction(expression);
    QSignalSpy answered(growth.get(), &GrowthFunction::answered);
    QSignalSpy failed(growth.get(), &GrowthFunction::failed);
    growth->ask(3, 8);
    QVERIFY2(failed.isEmpty(), "it answered before ask() had returned");
    QTRY_COMPARE(answered.count() + failed.count(), 1);
    QVERIFY(answered.isEmpty());
    const QString sentence = failed.first().first().toString();
    QVERIFY2(sentence.contains(part), qPrintable(sentence));
}

void ExpressionGrowthTest::refuses_data()
{
    QTest::addColumn<QString>("expression");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* expression, const char* part) {
        QTest::newRow(expression) << QString::fromUtf8(expression) << QString::fromUtf8(part);
    };
    row("", "at column 1 of \"\" there is nothing to compute");
    row("epochs + 1", "at column 1 of \"epochs + 1\" \"epochs\" is not known");
    row("epoch + steps", "at column 9 of \"epoch + steps\" \"steps\" is not known");
    row("_pi", "at column 1 of \"_pi\" \"_pi\" is not known");
    row("epoch +", "at column 8 of \"epoch +\" something is still missing");
    row("(epoch", "at column 7 of \"(epoch\" a closing parenthesis is missing");
    row("epoch)", "at column 6 of \"epoch)\" \")\" is not expected");
    row("epoch ? 1", "at column 10 of \"epoch ? 1\" the \":\" of a \"?\" is missing");
    row("1 : 2", "a \":\" stands without its \"?\"");
    row("epoch epoch", "at column 7 of \"epoch epoch\" \"epoch\" is not expected");
    row("epoch = 3 ? 4 : 0", "at column 7 of \"epoch = 3 ? 4 : 0\" \"=\" would assign");
    row("current_batch_size = 1", "\"=\" would assign");
    row("1, 2", "at column 2 of \"1, 2\" \",\" separates several answers");
    row("min()", "\"min\" has too few arguments");
    row("sqrt(1, 2)", "\"sqrt\" has too many arguments");
    row("\"4\"", "is not expected");
    row("epoch + é", "at column 9 of \"epoch + é\" \"é\" is not known");
    QTest::newRow("long") << QString(30000, QLatin1Char('1'))
                          << QStringLiteral("begins more than can be read");
    row("import os", "\"import\" is not known");
}

void ExpressionGrowthTest::refuses()
{
    QFETCH(QString, expression);
    QFETCH(QString, part);
    try {
        (void)training::makeGrowthFunction(expression);
        QFAIL("it was taken");
    } catch (const config::ConfigError& error) {
        const QString sentence = QString::fromUtf8(error.what());
        QVERIFY2(sentence.contains(part), qPrintable(sentence));
        QVERIFY2(sentence.contains(QLatin1String("An expression may hold epoch, current_batch_size")),
                 qPrintable(sentence));
    }
}

void ExpressionGrowthTest::answersOnceForEachQuestion()
{
    const auto growth = training::makeGrowthFunction(QStringLiteral("4 / epoch"));
    QStringList heard;
    connect(growth.get(), &GrowthFunction::answered, this,
            [&](qint64 increment) { heard.append(QString::number(increment)); });
    connect(growth.get(), &GrowthFunction::failed, this, [&] { heard.append(QStringLiteral("failed")); });
    for (const int epoch : {1, 2, 3, 4})
        growth->ask(epoch, 8);
    QTRY_COMPARE(heard.size(), 4);
    QCOMPARE(heard.join(QLatin1Char(' ')), QStringLiteral("4 2 failed 1"));
    QTest::qWait(20);
    QCOMPARE(heard.size(), 4);
}

void ExpressionGrowthTest::refusesAFileThatIsNotThere()
{
    try {
        (void)training::makeGrowthFunction(QStringLiteral("/nowhere/growth.py"));
        QFAIL("it was taken");
    } catch (const config::ConfigError& error) {
        const QString sentence = QString::fromUtf8(error.what());
        QVERIFY2(sentence.contains(QLatin1String("There is no file /nowhere/growth.py")),
                 qPrintable(sentence));
    }
}

BATCHPEAK_TEST(ExpressionGrowthTest)
#include "tst_expression_growth.moc"
