// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "syntax/shell_script.h"

#include <QTest>

using namespace batchpeak::config;

namespace {

struct Place
{
    std::string before;
    std::string after;
    bool isExpression = false;
};

} // namespace

class ShellScriptTest : public QObject
{
    Q_OBJECT

private slots:
    void readsArguments_data()
    {
        rows<std::string, std::string>({
            {"a word behind it", {"run --size 4", "4"}},
            {"joined", {"run --size=4", "4"}},
            {"joined and quoted", {"run --size=\"4\"", "4"}},
            {"joined with a variable", {"A=4\nrun --size=$A", "4"}},
            {"with underscores", {"run --si_ze 4 --size 5", "5"}},
            {"in the next line of a command", {"run --size \\\n 4", "4"}},
            {"in the next line of arguments", {"--size\n4", "4"}},
            {"in the next line of another command", {"run --size\n4", "none"}},
            {"of the last", {"run --size 4 --size 5", "5"}},
            {"read by the script itself", {"run --size 4\ncase $1 in --size) shift;; esac", "4"}},
            {"a flag", {"run --size --bf16", "none"}},
            {"printed", {"echo --size 4", "none"}},
            {"a part of another", {"run --sizes 4", "none"}},
            {"quoted as a whole", {"run '--size 4'", "4"}},
            {"a variable", {"A=4\nrun --size $A", "4"}},
            {"a variable in braces", {"A='4'\nrun --size ${A}", "4"}},
            {"a variable of a variable", {"A=4\nB=$A\nrun --size \"$B\"", "4"}},
            {"a product", {"A=4\nB=$(($A*2))\nrun --size $B", "8"}},
            {"a default", {"run --size ${A:-4}", "4"}},
            {"a default of a default", {"run --size ${A:-${B:-4}}", "4"}},
            {"a default that counts for nothing", {"A=5\nrun --size ${A:-4}", "5"}},
            {"a variable that is its own default", {"A=${A:-4}\nrun --size $A", "4"}},
            {"a default that is assigned", {": ${A:=4}\nrun --size $A", "4"}},
            {"assigned the same twice", {"A=4\nA=${A:-4}\nrun --size $A", "4"}},
            {"assigned differently", {"A=4\nA=5\nrun --size $A", "none"}},
            {"added to", {"A=4\nA+=5\nrun --size $A", "none"}},
            {"an array", {"A=(4)\nrun --size $A", "none"}},
            {"of a loop", {"for A in 4; do run --size $A; done", "none"}},
            {"read", {"A=4\nread -r A\nrun --size $A", "none"}},
            {"of the caller", {"run --size $1", "none"}},
            {"of a command", {"run --size $(nproc)", "none"}},
            {"never assigned", {"run --size $A", "none"}},
            {"a circle", {"A=$B\nB=$A\nrun --size $A", "none"}},
        });
    }
    void readsArguments()
    {
        const auto& [text, value] = row<std::string, std::string>();
        const ShellScript script(text);
        QCOMPARE(script.value("--size").value_or("none"), value);
    }

    void reportsWhereToWrite_data()
    {
        rows<Place>({
            {"a word", {"run --size 4 x", "run --size 7 x"}},
            {"joined", {"run --size=4", "run --size=7"}},
            {"quoted", {"run --size '4' \"x\"", "run --size '7' \"x\""}},
            {"joined and quoted", {"run --size=\"4\"", "run --size=\"7\""}},
            {"escaped", {"run --size \\4", "run --size 7"}},
            {"a variable", {"A=4 # four\nrun --size $A", "A=7 # four\nrun --size $A"}},
            {"a quoted variable", {"A=\"4\"\nrun --size \"${A}\"", "A=\"7\"\nrun --size \"${A}\""}},
            {"a chain", {"A=4\nB=$A\nrun --size=$B", "A=7\nB=$A\nrun --size=$B"}},
            {"a default", {"run --size ${A:-4}", "run --size ${A:-7}"}},
            {"a quoted default", {"A=${A:-\"4\"}\nrun --size $A", "A=${A:-\"7\"}\nrun --size $A"}},
            {"a product", {"run --size $((2*2))", "run --size 7", true}},
            {"a product in a variable", {"A=\"$((2*2))\"\nrun --size $A", "A=\"7\"\nrun --size $A", true}},
            {"assigned twice", {"A=4\nA=5\nrun --size $A", "A=4\nA=5\nrun --size 7", true}},
            {"two variables", {"A=1\nrun --size $A$A", "A=1\nrun --size 7", true}},
            {"of the caller", {"run --size $1", "run --size 7", true}},
            {"of the caller, through a variable", {"A=$1\nrun --size $A", "A=7\nrun --size $A", true}},
        });
    }
    void reportsWhereToWrite()
    {
        const auto& [before, after, isExpression] = row<Place>();
        const ShellScript script(before);
        const ShellPlace place = script.placeOf(script.argument("--size")->values.front());
        QCOMPARE(std::string(before).replace(place.begin, place.end - place.begin, "7"), after);
        QCOMPARE(place.isExpression, isExpression);
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
