// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/syntax/shell_script.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak::config;

class ShellScriptTest : public QObject
{
    Q_OBJECT

private slots:
    void readsArguments_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("value");
        const auto row = [](const char* name, const char* text, const char* value) {
            QTest::newRow(name) << QByteArray(text) << QByteArray(value);
        };
        row("a word behind it", "run --size 4", "4");
        row("joined", "run --size=4", "4");
        row("joined and quoted", "run --size=\"4\"", "4");
        row("joined with a variable", "A=4\nrun --size=$A", "4");
        row("with underscores", "run --si_ze 4 --size 5", "5");
        row("in the next line of a command", "run --size \\\n 4", "4");
        row("in the next line of arguments", "--size\n4", "4");
        row("in the next line of another command", "run --size\n4", "none");
        row("of the last", "run --size 4 --size 5", "5");
        row("read by the script itself", "run --size 4\ncase $1 in --size) shift;; esac", "4");
        row("a flag", "run --size --bf16", "none");
        row("printed", "echo --size 4", "none");
        row("a part of another", "run --sizes 4", "none");
        row("quoted as a whole", "run '--size 4'", "4");
        row("a variable", "A=4\nrun --size $A", "4");
        row("a variable in braces", "A='4'\nrun --size ${A}", "4");
        row("a variable of a variable", "A=4\nB=$A\nrun --size \"$B\"", "4");
        row("a product", "A=4\nB=$(($A*2))\nrun --size $B", "8");
        row("a default", "run --size ${A:-4}", "4");
        row("a default of a default", "run --size ${A:-${B:-4}}", "4");
        row("a default that counts for nothing", "A=5\nrun --size ${A:-4}", "5");
        row("a variable that is its own default", "A=${A:-4}\nrun --size $A", "4");
        row("a default that is assigned", ": ${A:=4}\nrun --size $A", "4");
        row("assigned the same twice", "A=4\nA=${A:-4}\nrun --size $A", "4");
        row("assigned differently", "A=4\nA=5\nrun --size $A", "none");
        row("added to", "A=4\nA+=5\nrun --size $A", "none");
        row("an array", "A=(4)\nrun --size $A", "none");
        row("of a loop", "for A in 4; do run --size $A; done", "none");
        row("read", "A=4\nread -r A\nrun --size $A", "none");
        row("of the caller", "run --size $1", "none");
        row("of a command", "run --size $(nproc)", "none");
        row("of nobody", "run --size $A", "none");
        row("a circle", "A=$B\nB=$A\nrun --size $A", "none");
    }
    void readsArguments()
    {
        QFETCH(QByteArray, text);
        const ShellScript script(text.toStdString());
        QTEST(QByteArray::fromStdString(script.value("--size").value_or("none")), "value");
    }

    void tellsWhereToWrite_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        QTest::addColumn<bool>("isExpression");
        const auto row = [](const char* name, const char* before, const char* after,
                            bool isExpression = false) {
            QTest::newRow(name) << QByteArray(before) << QByteArray(after) << isExpression;
        };
        row("a word", "run --size 4 x", "run --size 7 x");
        row("joined", "run --size=4", "run --size=7");
        row("quoted", "run --size '4' \"x\"", "run --size '7' \"x\"");
        row("joined and quoted", "run --size=\"4\"", "run --size=\"7\"");
        row("escaped", "run --size \\4", "run --size 7");
        row("a variable", "A=4 # four\nrun --size $A", "A=7 # four\nrun --size $A");
        row("a quoted variable", "A=\"4\"\nrun --size \"${A}\"", "A=\"7\"\nrun --size \"${A}\"");
        row("a chain", "A=4\nB=$A\nrun --size=$B", "A=7\nB=$A\nrun --size=$B");
        row("a default", "run --size ${A:-4}", "run --size ${A:-7}");
        row("a quoted default", "A=${A:-\"4\"}\nrun --size $A", "A=${A:-\"7\"}\nrun --size $A");
        row("a product", "run --size $((2*2))", "run --size 7", true);
        row("a product in a variable", "A=\"$((2*2))\"\nrun --size $A", "A=\"7\"\nrun --size $A", true);
        row("assigned twice", "A=4\nA=5\nrun --size $A", "A=4\nA=5\nrun --size 7", true);
        row("two variables", "A=1\nrun --size $A$A", "A=1\nrun --size 7", true);
        row("of the caller", "run --size $1", "run --size 7", true);
        row("of the caller, through a variable", "A=$1\nrun --size $A", "A=7\nrun --size $A", true);
    }
    void tellsWhereToWrite()
    {
        QFETCH(QByteArray, before);
        const ShellScript script(before.toStdString());
        const ShellPlace place = script.placeOf(script.argument("--size")->values.front());
        QTEST(QByteArray::fromStdString(
                  std::string(before.toStdString()).replace(place.begin, place.end - place.begin, "7")),
              "after");
        QTEST(place.isExpression, "isExpression");
    }

    void findsUses()
    {
        const ShellScript script("A=4\nrun --size $A # $A\necho ${A} AB $AB $((2*A)) A \"$A\"");
        const std::vector<std::size_t> expected{15, 28, 45, 52};
        QVERIFY(script.usesOf("A") == expected);
    }
};

BATCHPEAK_TEST(ShellScriptTest)
#include "tst_shell_script.moc"
