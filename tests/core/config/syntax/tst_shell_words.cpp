// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/syntax/shell_arithmetic.h"
#include "config/syntax/shell_script.h"
#include "config/syntax/shell_words.h"
#include "support/test_main.h"

#include <QTest>

#include <array>
#include <random>

using namespace batchpeak::config;

namespace {

/// One piece as a test writes it: text as it is, "{NAME}", "{NAME:default}", "(expression)", "?unknown".
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

/// Words with bars between them, assignments behind them: "a|b|NAME=4".
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

/// Whatever a text is: places lie in it, and every question about it is answered.
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
    void cutsIntoWords_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<QByteArray>("words");
        const auto row = [](const char* name, const char* script, const char* words) {
            QTest::newRow(name) << QByteArray(script) << QByteArray(words);
        };
        row("blanks and line ends", "a  b\tc\nd\r\ne", "a|b|c|d|e");
        row("nothing", " \n\t", "");
        row("comments", "a # b 'c\nd#e #f", "a|d#e");
        row("single quotes", "'a b' '$C' 'd\\e'", "a b|$C|d\\e");
        row("double quotes", R"("a b" "$C" "\$d\q\"e")", R"(a b|{C}|$d\q"e)");
        row("quotes inside of a word", "a'b'\"c\"d", "abcd");
        row("an empty word", "a '' b", "a||b");
        row("escapes", "a\\ b \\$C \\'d", "a b|$C|'d");
        row("continued lines", "a \\\n b\\\nc \\\r\n d", "a|bc|d");
        row("operators", "a;b&&c|d>e 2>&1<f(g)", "a|b|c|d|e|2|1|f|g");
        row("variables", "$A ${B} $A$B x${C}y $1 $@ ${D[@]} $", "{A}|{B}|{A}{B}|x{C}y|?$1|?$@|?${D[@]}|$");
        row("defaults", "${A:-4} ${B-5} ${C:=6} ${D:-\"e}\"} ${E:-${F:-7}} ${G:+8}",
            "{A:4}|{B:5}|{C:6}|{D:\"e}\"}|{E:${F:-7}}|?${G:+8}");
        row("an apostrophe in a default", "\"${A:-it's}\" b", "{A:it's}|b");
        row("arithmetic", "$((4*2)) $(( $A * (B+1) )) \"$((3))\"", "(4*2)|( $A * (B+1) )|(3)");
        row("command substitution", "$(cat \")\" | wc -l) `a b` c", "?$(cat \")\" | wc -l)|?`a b`|c");
        row("quotes with escapes of C", "$'a\\'b' c", "?$'a\\'b'|c");
        row("assignments", "A=4 B='5' C=$A D= x=1", "A=4|B=5|C={A}|D=|x=1");
        row("assignments behind words", "export A=4; if B=5; then C=6; run D=7",
            "export|if|then|run|D=7|A=4|B=5|C=6");
        row("no assignments", "run --a=4 b=5 1C=6", "run|--a=4|b=5|1C=6");
        row("arrays", "A=(--b 4 # five\n --c 'd e')\nf", "--b|4|--c|d e|f|A=()");
        row("what is added to arrays", "A+=(b) C+=d", "b|A+=()|C+=d");
        row("quoted arguments", "A=\" \\\n --b 4 \\\n --c 5\"", "--b|4|--c|5|A=  --b 4  --c 5");
        row("quoted arguments in a command", "run '--b 4' \"--c\" 'd e'", "run|--b 4|--b|4|--c|d e");
        row("a command in a quoted command", "ssh x \"bash -c 'run --b 4'\"",
            "ssh|x|bash -c 'run --b 4'|bash|-c|run --b 4|run|--b|4");
        row("what is printed", "echo 'use --b 4' $A; run --c 5", "echo|use --b 4|{A}|run|--c|5");
        row("here-documents", "cat <<EOF > a\nb 'c\nEOF\nd", "cat|a|b|c\n|d");
        row("here-documents with tabs", "cat <<-'END'\n\tb\n\tEND\nd", "cat|b|d");
        row("an open single quote", "a 'b c", "a|b c");
        row("an open double quote", "a \"b $c", "a|b {c}");
        row("an open substitution", "a $(b c", "a|?$(b c");
        row("an open brace", "a ${b c", "a|?${b c");
        row("an open arithmetic", "a $((4 ", "a|?$((4 ");
        row("an open backtick", "a `b c", "a|?`b c");
        row("an open array", "A=(b c", "b|c|A=()");
        row("an open here-document", "a <<EOF\nb c", "a|b|c");
        row("a backslash at the end", "a\\", "a\\");
    }
    void cutsIntoWords()
    {
        QFETCH(QByteArray, script);
        QFETCH(QByteArray, words);
        QCOMPARE(QByteArray::fromStdString(described(script.toStdString())), words);
    }

    void knowsTheBytesOfAWord()
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
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<bool>("areTogether");
        QTest::newRow("one line") << QByteArray("a b") << true;
        QTest::newRow("a continued line") << QByteArray("a \\\nb") << true;
        QTest::newRow("two lines") << QByteArray("a\nb") << false;
        QTest::newRow("two lines of an array") << QByteArray("A=(a\nb)") << true;
        QTest::newRow("two commands") << QByteArray("a;b") << false;
        QTest::newRow("two lines of arguments") << QByteArray("--a\nb") << true;
    }
    void numbersCommands()
    {
        QFETCH(QByteArray, script);
        QFETCH(bool, areTogether);
        const ShellWords words = shellWords(script.toStdString());
        QCOMPARE(words.words.at(0).command == words.words.at(1).command, areTogether);
    }

    void calculates_data()
    {
        QTest::addColumn<QByteArray>("expression");
        QTest::addColumn<QByteArray>("value");
        const auto row = [](const char* expression, const char* value) {
            QTest::newRow(expression) << QByteArray(expression) << QByteArray(value);
        };
        row("4", "4");
        row(" 4 * 2 + 1 ", "9");
        row("1+2*3-4", "3");
        row("(1+2)*3", "9");
        row("17/5%2", "1");
        row("$A*${A}/A", "8");
        row("2147483648", "2147483648");
        row("2147483649", "none");
        row("2147483648*2147483648*2147483648", "none");
        row("99999999999999999999", "none");
        row("4/0", "none");
        row("4%(1-1)", "none");
        row("B", "none");
        row("", "none");
        row("4 5", "none");
        row("(4", "none");
        row("4)", "none");
        row("4+", "none");
        row("${A", "none");
        row("$", "none");
        row("010", "none");
        row("4.5", "none");
    }
    void calculates()
    {
        QFETCH(QByteArray, expression);
        const auto value = shellArithmetic(expression.toStdString(), [](const std::string& name) {
            return name == "A" ? std::optional<std::int64_t>(8) : std::nullopt;
        });
        QTEST(value ? QByteArray::number(qint64{*value}) : QByteArray("none"), "value");
    }

    void takesAdversarialTexts_data()
    {
        QTest::addColumn<QByteArray>("text");
        constexpr int many = 1 << 20;
        const auto repeated = [](const char* text, int count) { return QByteArray(text).repeated(count); };
        for (const char* text :
             {"$(",      "${",       "$((",   "(",    "\"",       "'",     "`",  "\\", "<<A\n",
              "A=(",     "A=$A ",    "${A:-", "\"$(", "A=\"--a ", "'--a ", "# ", "=",  "--a ",
              "--a=$B ", "A=$A$A\n", "{",     "}",    ")",        "$",     "\r", "$'", "<<"})
            QTest::newRow(text) << repeated(text, many / 8);
        QTest::newRow("deep arithmetic") << "$((" + repeated("(", many) + "1" + repeated(")", many) + "))";
        QTest::newRow("a chain of variables") << [] {
            QByteArray text;
            for (int i = 0; i < 20000; ++i)
                text += "A" + QByteArray::number(i) + "=$A" + QByteArray::number(i + 1) + "$A" +
                        QByteArray::number(i + 1) + "\n";
            return text + "x $A0";
        }();
        QTest::newRow("a circle of variables") << QByteArray("A=$B\nB=$A\nx $A $((A*B)) ${A:-$B}");
    }
    void takesAdversarialTexts()
    {
        QFETCH(QByteArray, text);
        const std::string bytes = text.toStdString();
        const ShellScript script(bytes);
        QVERIFY(script.words().words.size() + script.words().assignments.size() <= bytes.size() + 1);
        const ShellScript beginning(bytes.substr(0, 4096));
        checkAnyText(bytes.substr(0, 4096));
        script.usesOf("A");
    }

    void takesAnyBytes()
    {
        // Bytes that mean something to a shell come more often than others.
        constexpr std::string_view usual = "AB=4 \n\t\"'$(){}`\\#;&|<>--a:+*/[]@\r_0";
        std::mt19937 random(20260821);
        for (int i = 0; i < 10000; ++i) {
            std::string text(random() % 64, ' ');
            for (char& character : text)
                character =
                    random() % 4 == 0 ? static_cast<char>(random() % 256) : usual[random() % usual.size()];
            checkAnyText(text);
        }
    }
};

BATCHPEAK_TEST(ShellWordsTest)
#include "tst_shell_words.moc"
