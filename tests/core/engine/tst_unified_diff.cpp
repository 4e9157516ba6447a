// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/unified_diff.h"
#include "support/test_main.h"

#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using batchpeak::engine::unifiedDiff;

namespace {

QString diffOf(const QByteArray& before, const QByteArray& after, int context = 3)
{
    return unifiedDiff({before.constData(), std::size_t(before.size())},
                       {after.constData(), std::size_t(after.size())}, QStringLiteral("a/c.yaml"),
                       QStringLiteral("b/c.yaml"), context);
}

void write(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    QVERIFY2(file.open(QIODevice::WriteOnly), qPrintable(path));
    QCOMPARE(file.write(bytes), bytes.size());
}

QByteArray read(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Lines "1".."count", those that are named replaced by "x".
QByteArray numbers(int count, const QList<int>& replaced = {}, const QByteArray& lineEnd = "\n")
{
    QByteArray text;
    for (int line = 1; line <= count; ++line)
        text += (replaced.contains(line) ? QByteArray("x") : QByteArray::number(line)) + lineEnd;
    return text;
}

} // namespace

class UnifiedDiffTest : public QObject
{
    Q_OBJECT

private slots:
    void wordsChanges_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        QTest::addColumn<QString>("hunks");
        const auto row = [](const char* name, const QByteArray& before, const QByteArray& after,
                            const char* hunks) {
            QTest::newRow(name) << before << after << QString::fromUtf8(hunks);
        };
        row("one line", "batch_size: 8\nmicro_batch_size: auto # sizes\n",
            "batch_size: 8\nmicro_batch_size: 4 # sizes\n",
            "@@ -1,2 +1,2 @@\n batch_size: 8\n-micro_batch_size: auto # sizes\n+micro_batch_size: 4 # "
            "sizes\n");
        row("within a long text", numbers(20), numbers(20, {10}),
            "@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+x\n 11\n 12\n 13\n");
        row("two changes whose context meet", numbers(20), numbers(20, {5, 12}),
            "@@ -2,14 +2,14 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n 9\n 10\n 11\n-12\n+x\n 13\n 14\n 15\n");
        row("two hunks that do not meet", numbers(20), numbers(20, {5, 13}),
            "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"
            "@@ -10,7 +10,7 @@\n 10\n 11\n 12\n-13\n+x\n 14\n 15\n 16\n");
        row("into an empty text", "", "a\n", "@@ -0,0 +1,1 @@\n+a\n");
        row("to an empty text", "a\n", "", "@@ -1,1 +0,0 @@\n-a\n");
        row("no final newline in both", "a\nb", "x\nb",
            "@@ -1,2 +1,2 @@\n-a\n+x\n b\n\\ No newline at end of file\n");
        row("a final newline more", "a", "a\n", "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n");
        row("carriage returns", "a\r\nb\r\n", "a\r\nx\r\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+x\r\n");
        row("letters of all kinds", "größe: 8 # 大小\n", "größe: 4 # 大小\n",
            "@@ -1,1 +1,1 @@\n-größe: 8 # 大小\n+größe: 4 # 大小\n");
    }
    void wordsChanges()
    {
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        QFETCH(QString, hunks);
        QCOMPARE(diffOf(before, after), QStringLiteral("--- a/c.yaml\n+++ b/c.yaml\n") + hunks);
    }

    void isEmptyWhereNothingChanges()
    {
        QCOMPARE(diffOf("a\nb", "a\nb"), QString());
        QCOMPARE(diffOf("", ""), QString());
    }

    void takesAnyContext()
    {
        QVERIFY(diffOf(numbers(9), numbers(9, {5}), 0).endsWith(QStringLiteral("@@ -5,1 +5,1 @@\n-5\n+x\n")));
        QVERIFY(diffOf(numbers(9), numbers(9, {5}), 100).contains(QStringLiteral("@@ -1,9 +1,9 @@\n")));
        QVERIFY(diffOf(numbers(9), numbers(10, {}), 0).endsWith(QStringLiteral("@@ -9,0 +10,1 @@\n+10\n")));
    }

    void quotesNames_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("written");
        QTest::newRow("plain") << QStringLiteral("a/c.yaml") << QStringLiteral("a/c.yaml");
        QTest::newRow("spaces") << QStringLiteral("a/my c.yaml") << QStringLiteral("a/my c.yaml\t");
        QTest::newRow("a tab") << QStringLiteral("a/\tc") << QStringLiteral("\"a/\\011c\"");
        QTest::newRow("a line end") << QStringLiteral("a/\nc") << QStringLiteral("\"a/\\012c\"");
        QTest::newRow("quotes") << QStringLiteral("a/\"c\\") << QStringLiteral("\"a/\\\"c\\\\\"");
    }
    void quotesNames()
    {
        QFETCH(QString, name);
        QFETCH(QString, written);
        QCOMPARE(unifiedDiff("a", "b", name, QStringLiteral("b")).section(QLatin1Char('\n'), 0, 0),
                 QStringLiteral("--- ") + written);
    }

    void isTakenByTools_data()
    {
        QTest::addColumn<QString>("tool");
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        const QList<std::pair<QString, QStringList>> tools{
            {QStringLiteral("patch"), {QStringLiteral("-p1"), QStringLiteral("-i"), QStringLiteral("diff")}},
            {QStringLiteral("git"), {QStringLiteral("apply"), QStringLiteral("diff")}}};
        for (const auto& [tool, arguments] : tools) {
            const auto row = [&](const char* what, const QString& name, const QByteArray& before,
                                 const QByteArray& after) {
                QTest::addRow("%s, %s", qPrintable(tool), what)
                    << tool << arguments << name << before << after;
            };
            const QString plain = QStringLiteral("c.yaml");
            row("one line", plain, numbers(20), numbers(20, {10}));
            row("several hunks", plain, numbers(90), numbers(91, {1, 8, 30, 31, 70}));
            row("carriage returns", plain, numbers(20, {}, "\r\n"), numbers(20, {9}, "\r\n"));
            row("mixed line ends", plain, "a\r\nb\nc\r\nd\n", "a\r\nb\nx\r\nd\n");
            row("no final newline", plain, "a\nb", "a\nx");
            row("a final newline more", plain, "a\nb", "a\nb\n");
            row("another alphabet", plain, "大小: 8\n", "大小: 4\n");
            row("a name with a space", QStringLiteral("my c.yaml"), "a\n", "b\n");
            row("a name with quotes", QStringLiteral("\"c\".yaml"), "a\n", "b\n");
        }
    }
    void isTakenByTools()
    {
        QFETCH(QString, tool);
        QFETCH(QStringList, arguments);
        QFETCH(QString, name);
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        if (QStandardPaths::findExecutable(tool).isEmpty())
            QSKIP(qPrintable(tool + QStringLiteral(" is not installed here.")));
        const QTemporaryDir folder;
        QVERIFY(folder.isValid());
        write(folder.filePath(name), before);
        const QString diff = unifiedDiff({before.constData(), std::size_t(before.size())},
                                         {after.constData(), std::size_t(after.size())},
                                         QStringLiteral("a/") + name, QStringLiteral("b/") + name);
        write(folder.filePath(QStringLiteral("diff")), diff.toUtf8());
        QProcess process;
        process.setWorkingDirectory(folder.path());
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(tool, arguments);
        QVERIFY(process.waitForFinished());
        QVERIFY2(process.exitCode() == 0, process.readAll().constData());
        QCOMPARE(read(folder.filePath(name)), after);
    }

    void isFastOnAMegabyte()
    {
        const QByteArray before = numbers(190'000);
        const QByteArray after = numbers(190'000, {2, 95'000, 189'999});
        QVERIFY(before.size() > 1'000'000);
        QElapsedTimer timer;
        timer.start();
        const QString diff = diffOf(before, after);
        QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(diff.count(QStringLiteral("@@ -")), 3);
    }
};

BATCHPEAK_TEST(UnifiedDiffTest)
#include "tst_unified_diff.moc"
