// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "syntax/shell_script.h"
#include "syntax/shell_variables.h"
#include "syntax/shell_words.h"

#include <QTest>

#include <array>
#include <random>

using namespace batchpeak::config;

namespace {

/// Returns a piece in the notation of these tests: its text, "{NAME}", "{NAME:default}", "(expression)" or
/// "?unknown".
std::string described(const std::string& script, const ShellPiece& piece)
{
    switch (piece.kind) {
    case ShellPiece::Kind::Literal:
        return piece.text;
    case ShellPiece::Kind::Variable:
        return "{" + piece.text +
               (piece.hasFallback
                    ? ":" + script.substr(piece.fallbackBegin, piece.fallbackEnd - piece.fallbackBegin)
                    : std::string()) +
               "}";
    case ShellPiece::Kind::Arithmetic:
        return "(" + piece.text + ")";
    case ShellPiece::Kind::Unknown:
        break;
    }
    return "?" + piece.text;
}

std::string described(const std::string& script, const ShellWord& word)
{
    std::string text;
    for (const ShellPiece& piece : word.pieces)
        text += described(script, piece);
    return text;
}

/// Returns the words, followed by the assignments, with bars between them: "a|b|NAME=4".
std::string described(const std::string& script)
{
    const ShellWords words = shellWords(script);
    std::string text;
    for (const ShellWord& word : words.words)
        text += (text.empty() ? "" : "|") + described(script, word);
    for (const ShellAssignment& assignment : words.assignments) {
        text += (text.empty() ? "" : "|") + assignment.name + (assignment.appends ? "+=" : "=") +
                (assignment.isArray ? "()" : described(script, assignment.value));
    }
    return text;
}

bool isInOrder(const ShellWord& word, std::size_t size)
{
    std::size_t at = word.begin;
    for (const ShellPiece& piece : word.pieces) {
        if (piece.begin < at || piece.end < piece.begin || piece.end > size)
            return false;
        at = piece.end;
    }
    return word.begin <= word.end && word.end <= size && at <= word.end;
}

/// Checks that all positions lie within the text, and that every query about it returns.
void checkAnyText(const std::string& text)
{
    const ShellScript script(text);
    for (const ShellWord& word : script.words().words) {
        QVERIFY(isInOrder(word, text.size()));
        script.valueOf(word);
        const ShellPlace place = script.placeOf(word);
        QVERIFY(place.begin <= place.end && place.end <= text.size());
    }
    for (const ShellAssignment& assignment : script.words().assignments) {
        QVERIFY(assignment.isArray || isInOrder(assignment.value, text.size()));
        script.variable(assignment.name);
    }
}

} // namespace

class ShellWordsTest : public QObject
{
    Q_OBJECT

private slots:
    void splitsIntoWords_data()
    {
        rows<std::string, std::string>({
            {"blanks and line ends", {"a  b\tc\nd\r\ne", "a|b|c|d|e"}},
            {"nothing", {" \n\t", ""}},
            {"comments", {"a # b 'c\nd#e #f", "a|d#e"}},
            {"single quotes", {"'a b' '$C' 'd\\e'", "a b|$C|d\\e"}},
            {"double quotes", {R"("a b" "$C" "\$d\q\"e")", R"(a b|{C}|$d\q"e)"}},
            {"quotes inside of a word", {"a'b'\"c\"d", "abcd"}},
            {"an empty word", {"a '' b", "a||b"}},
            {"escapes", {"a\\ b \\$C \\'d", "a b|$C|'d"}},
            {"continued lines", {"a \\\n b\\\nc \\\r\n d", "a|bc|d"}},
            {"operators", {"a;b&&c|d>e 2>&1<f(g)", "a|b|c|d|e|2|1|f|g"}},
            {"variables", {"$A ${B} $A$B x${C}y $1 $@ ${D[@]} $", "{A}|{B}|{A}{B}|x{C}y|?$1|?$@|?${D[@]}|$"}},
            {"defaults",
             {"${A:-4} ${B-5} ${C:=6} ${D:-\"e}\"} ${E:-${F:-7}} ${G:+8}",
              "{A:4}|{B:5}|{C:6}|{D:\"e}\"}|{E:${F:-7}}|?${G:+8}"}},
            {"an apostrophe in a default", {"\"${A:-it's}\" b", "{A:it's}|b"}},
            {"arithmetic", {"$((4*2)) $(( $A * (B+1) )) \"$((3))\"", "(4*2)|( $A * (B+1) )|(3)"}},
            {"command substitution", {"$(cat \")\" | wc -l) `a b` c", "?$(cat \")\" | wc -l)|?`a b`|c"}},
            {"quotes with escapes of C", {"$'a\\'b' c", "?$'a\\'b'|c"}},
            {"assignments", {"A=4 B='5' C=$A D= x=1", "A=4|B=5|C={A}|D=|x=1"}},
            {"assignments behind words",
             {"export A=4; if B=5; then C=6; run D=7", "export|if|then|run|D=7|A=4|B=5|C=6"}},
            {"no assignments", {"run --a=4 b=5 1C=6", "run|--a=4|b=5|1C=6"}},
            {"arrays", {"A=(--b 4 # five\n --c 'd e')\nf", "--b|4|--c|d e|f|A=()"}},
            {"what is added to arrays", {"A+=(b) C+=d", "b|A+=()|C+=d"}},
            {"quoted arguments", {"A=\" \\\n --b 4 \\\n --c 5\"", "--b|4|--c|5|A=  --b 4  --c 5"}},
            {"quoted arguments in a command", {"run '--b 4' \"--c\" 'd e'", "run|--b 4|--b|4|--c|d e"}},
            {"a command in a quoted command",
             {"ssh x \"bash -c 'run --b 4'\"", "ssh|x|bash -c 'run --b 4'|bash|-c|run --b 4|run|--b|4"}},
            {"what is printed", {"echo 'use --b 4' $A; run --c 5", "echo|use --b 4|{A}|run|--c|5"}},
            {"here-documents", {"cat <<EOF > a\nb 'c\nEOF\nd", "cat|a|b|c\n|d"}},
            {"here-documents with tabs", {"cat <<-'END'\n\tb\n\tEND\nd", "cat|b|d"}},
            {"an open single quote", {"a 'b c", "a|b c"}},
            {"an open double quote", {"a \"b $c", "a|b {c}"}},
            {"an open substitution", {"a $(b c", "a|?$(b c"}},
            {"an open brace", {"a ${b c", "a|?${b c"}},
            {"an open arithmetic", {"a $((4 ", "a|?$((4 "}},
            {"an open backtick", {"a `b c", "a|?`b c"}},
            {"an open array", {"A=(b c", "b|c|A=()"}},
            {"an open here-document", {"a <<EOF\nb c", "a|b|c"}},
            {"a backslash at the end", {"a\\", "a\\"}},
        });
    }
    void splitsIntoWords()
    {
        const auto& [script, words] = row<std::string, std::string>();
        QCOMPARE(described(script), words);
    }

    void reportsTheBytesOfAWord()
    {
        const std::string script = "a \"4\" b$C";
        const ShellWords words = shellWords(script);
        QCOMPARE(words.words.at(1).begin, std::size_t{2});
        QCOMPARE(words.words.at(1).end, std::size_t{5});
        QCOMPARE(words.words.at(1).pieces.front().begin, std::size_t{3});
        QCOMPARE(words.words.at(1).pieces.front().end, std::size_t{4});
        QCOMPARE(words.words.at(2).pieces.at(1).begin, std::size_t{7});
        QCOMPARE(words.words.at(2).pieces.at(1).end, std::size_t{9});
    }

    void numbersCommands_data()
    {
        rows<std::string, bool>({
            {"one line", {"a b", true}},
            {"a continued line", {"a \\\nb", true}},
            {"two lines", {"a\nb", false}},
            {"two lines of an array", {"A=(a\nb)", true}},
            {"two commands", {"a;b", false}},
            {"two lines of arguments", {"--a\nb", true}},
        });
    }
    void numbersCommands()
    {
        const auto& [script, areTogether] = row<std::string, bool>();
        const ShellWords words = shellWords(script);
        QCOMPARE(words.words.at(0).command == words.words.at(1).command, areTogether);
    }

    void calculates_data()
    {
        rows<std::string>({
            {"4", "4"},
            {" 4 * 2 + 1 ", "9"},
            {"1+2*3-4", "3"},
            {"(1+2)*3", "9"},
            {"17/5%2", "1"},
            {"$A*${A}/A", "8"},
            {"2147483648", "2147483648"},
            {"2147483649", "none"},
            {"2147483648*2147483648*2147483648", "none"},
            {"99999999999999999999", "none"},
            {"4/0", "none"},
            {"4%(1-1)", "none"},
            {"B", "none"},
            {"", "none"},
            {"4 5", "none"},
            {"(4", "none"},
            {"4)", "none"},
            {"4+", "none"},
            {"${A", "none"},
            {"$", "none"},
            {"010", "none"},
            {"4.5", "none"},
        });
    }
    void calculates()
    {
        const auto& expected = row<std::string>();
        const std::string expression = QTest::currentDataTag();
        const auto value = shellArithmetic(expression, [](const std::string& name) {
            return name == "A" ? std::optional<std::int64_t>(8) : std::nullopt;
        });
        QCOMPARE(value ? std::to_string(*value) : "none", expected);
    }

    void acceptsAdversarialTexts_data()
    {
        constexpr int many = 1 << 20;
        const auto repeated = [](const std::string& text, int count) {
            std::string all;
            for (int i = 0; i < count; ++i)
                all += text;
            return all;
        };
        std::string chain;
        for (int i = 0; i < 20000; ++i) {
            const std::string next = std::to_string(i + 1);
            chain += "A" + std::to_string(i) + "=$A" + next + "$A" + next + "\n";
        }
        const auto add = rows<std::string>({
            {"deep arithmetic", "$((" + repeated("(", many) + "1" + repeated(")", many) + "))"},
            {"a chain of variables", chain + "x $A0"},
            {"a circle of variables", "A=$B\nB=$A\nx $A $((A*B)) ${A:-$B}"},
        });
        for (const char* text :
             {"$(",      "${",       "$((",   "(",    "\"",       "'",     "`",  "\\", "<<A\n",
              "A=(",     "A=$A ",    "${A:-", "\"$(", "A=\"--a ", "'--a ", "# ", "=",  "--a ",
              "--a=$B ", "A=$A$A\n", "{",     "}",    ")",        "$",     "\r", "$'", "<<"})
            add(text, repeated(text, many / 8));
    }
    void acceptsAdversarialTexts()
    {
        const auto& text = row<std::string>();
        const ShellScript script(text);
        QVERIFY(script.words().words.size() + script.words().assignments.size() <= text.size() + 1);
        checkAnyText(text.substr(0, 4096));
        script.usesOf("A");
    }

    void acceptsAnyBytes()
    {
        // Bytes that have a meaning in a shell are more frequent than others.
        constexpr std::string_view shellBytes = "AB=4 \n\t\"'$(){}`\\#;&|<>--a:+*/[]@\r_0";
        std::mt19937 random(20260821);
        for (int i = 0; i < 10000; ++i) {
            std::string text(random() % 64, ' ');
            for (char& character : text)
                character = random() % 4 == 0 ? static_cast<char>(random() % 256)
                                              : shellBytes[random() % shellBytes.size()];
            checkAnyText(text);
        }
    }
};

BATCHPEAK_TEST(ShellWordsTest)
#include "tst_shell_words.moc"
