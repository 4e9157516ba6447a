// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "files/unified_diff.h"
#include "support/files.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

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

/// Returns lines "1" to "count", with "x" in place of each line in \p replaced.
QByteArray numbers(int count, const QList<int>& replaced = {}, const QByteArray& lineEnd = "\n")
{
    QByteArray text;
    for (int line = 1; line <= count; ++line)
        text += (replaced.contains(line) ? QByteArray("x") : QByteArray::number(line)) + lineEnd;
    return text;
}

/// A diff that a tool applies to a file.
struct Application
{
    QStringList command;
    QString name;
    QByteArray before;
    QByteArray after;
};

} // namespace

class UnifiedDiffTest : public QObject
{
    Q_OBJECT

private slots:
    void formatsChanges_data()
    {
        const auto add = rows<QByteArray, QByteArray, Text>();
        add("one line",
            {"batch_size: 8\nmicro_batch_size: auto # sizes\n",
             "batch_size: 8\nmicro_batch_size: 4 # sizes\n",
             "@@ -1,2 +1,2 @@\n batch_size: 8\n-micro_batch_size: auto # sizes\n+micro_batch_size: 4 # "
             "sizes\n"});
        add("within a long text",
            {numbers(20), numbers(20, {10}), "@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+x\n 11\n 12\n 13\n"});
        add("two changes whose context meet",
            {numbers(20), numbers(20, {5, 12}),
             "@@ -2,14 +2,14 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n 9\n 10\n 11\n-12\n+x\n 13\n 14\n 15\n"});
        add("two hunks that do not meet", {numbers(20), numbers(20, {5, 13}),
                                           "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"
                                           "@@ -10,7 +10,7 @@\n 10\n 11\n 12\n-13\n+x\n 14\n 15\n 16\n"});
        add("into an empty text", {"", "a\n", "@@ -0,0 +1,1 @@\n+a\n"});
        add("to an empty text", {"a\n", "", "@@ -1,1 +0,0 @@\n-a\n"});
        add("no final newline in both",
            {"a\nb", "x\nb", "@@ -1,2 +1,2 @@\n-a\n+x\n b\n\\ No newline at end of file\n"});
        add("a final newline more", {"a", "a\n", "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"});
        add("carriage returns", {"a\r\nb\r\n", "a\r\nx\r\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+x\r\n"});
        add("letters of all kinds", {"größe: 8 # 大小\n", "größe: 4 # 大小\n",
                                     "@@ -1,1 +1,1 @@\n-größe: 8 # 大小\n+größe: 4 # 大小\n"});
    }
    void formatsChanges()
    {
        const auto& [before, after, hunks] = row<QByteArray, QByteArray, Text>();
        QCOMPARE(diffOf(before, after), QStringLiteral("--- a/c.yaml\n+++ b/c.yaml\n") + hunks);
    }

    void isEmptyWithoutChanges()
    {
        QCOMPARE(diffOf("a\nb", "a\nb"), QString());
        QCOMPARE(diffOf("", ""), QString());
    }

    void acceptsAnyContext()
    {
        QVERIFY(diffOf(numbers(9), numbers(9, {5}), 0).endsWith(QStringLiteral("@@ -5,1 +5,1 @@\n-5\n+x\n")));
        VERIFY_CONTAINS(diffOf(numbers(9), numbers(9, {5}), 100), "@@ -1,9 +1,9 @@\n");
        QVERIFY(diffOf(numbers(9), numbers(10, {}), 0).endsWith(QStringLiteral("@@ -9,0 +10,1 @@\n+10\n")));
    }

    void quotesNames_data()
    {
        rows<Text, Text>({{"plain", {"a/c.yaml", "a/c.yaml"}},
                          {"spaces", {"a/my c.yaml", "a/my c.yaml\t"}},
                          {"a tab", {"a/\tc", "\"a/\\011c\""}},
                          {"a line end", {"a/\nc", "\"a/\\012c\""}},
                          {"quotes", {"a/\"c\\", "\"a/\\\"c\\\\\""}}});
    }
    void quotesNames()
    {
        const auto& [name, written] = row<Text, Text>();
        QCOMPARE(unifiedDiff("a", "b", name, QStringLiteral("b")).section(QLatin1Char('\n'), 0, 0),
                 QStringLiteral("--- ") + written);
    }

    void isAcceptedByTools_data()
    {
        const auto add = rows<Application>();
        for (const char* command : {"patch -p1 -i diff", "git apply diff"}) {
            const auto addFor = [&](const std::string& what, const char* name, const QByteArray& before,
                                    const QByteArray& after) {
                const QStringList words = QString::fromUtf8(command).split(QLatin1Char(' '));
                add(words.front().toStdString() + ", " + what,
                    {words, QString::fromUtf8(name), before, after});
            };
            const char* plain = "c.yaml";
            addFor("one line", plain, numbers(20), numbers(20, {10}));
            addFor("several hunks", plain, numbers(90), numbers(91, {1, 8, 30, 31, 70}));
            addFor("carriage returns", plain, numbers(20, {}, "\r\n"), numbers(20, {9}, "\r\n"));
            addFor("mixed line ends", plain, "a\r\nb\nc\r\nd\n", "a\r\nb\nx\r\nd\n");
            addFor("no final newline", plain, "a\nb", "a\nx");
            addFor("a final newline more", plain, "a\nb", "a\nb\n");
            addFor("another alphabet", plain, "大小: 8\n", "大小: 4\n");
            addFor("a name with a space", "my c.yaml", "a\n", "b\n");
            addFor("a name with quotes", "\"c\".yaml", "a\n", "b\n");
        }
    }
    void isAcceptedByTools()
    {
        const auto& [command, name, before, after] = row<Application>();
        if (QStandardPaths::findExecutable(command.front()).isEmpty())
            QSKIP(qPrintable(command.front() + QStringLiteral(" is not installed here.")));
        const QTemporaryDir folder;
        QVERIFY(folder.isValid());
        batchpeak::test::writeFile(folder.filePath(name), before);
        const QString diff = unifiedDiff({before.constData(), std::size_t(before.size())},
                                         {after.constData(), std::size_t(after.size())},
                                         QStringLiteral("a/") + name, QStringLiteral("b/") + name);
        batchpeak::test::writeFile(folder.filePath(QStringLiteral("diff")), diff.toUtf8());
        QProcess process;
        process.setWorkingDirectory(folder.path());
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(command.front(), command.mid(1));
        QVERIFY(process.waitForFinished());
        QVERIFY2(process.exitCode() == 0, process.readAll().constData());
        QCOMPARE(batchpeak::test::readFile(folder.filePath(name)), after);
    }

    void isFastOnAMegabyte()
    {
        const QByteArray before = numbers(190'000);
        const QByteArray after = numbers(190'000, {2, 95'000, 189'999});
        QVERIFY(before.size() > 1'000'000);
        // Comparing each line with every other line would take minutes.
        const QString diff = diffOf(before, after);
        QCOMPARE(diff.count(QStringLiteral("@@ -")), 3);
    }
};

BATCHPEAK_TEST(UnifiedDiffTest)
#include "tst_unified_diff.moc"
