// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/networks/name_pattern.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <string>

using namespace batchpeak;
using namespace batchpeak::config;
using test::row;
using test::rows;

namespace {

struct Match
{
    std::string pattern;
    std::string name;
    bool all = false;
    bool start = false;
};

/// Returns \p count numbers as alternatives: "0|1|2".
std::string numbers(int count)
{
    std::string text = "0";
    for (int number = 1; number < count; ++number)
        text += "|" + std::to_string(number);
    return text;
}

struct Problem
{
    std::string pattern;
    std::string problem;
    bool isIllegal = true;
};

} // namespace

/// Compares with the results of Python's re for the same patterns and names.
class NamePatternTest : public QObject
{
    Q_OBJECT

private slots:
    void matches_data()
    {
        const auto add = rows<Match>();
        add("plain", {"model.norm", "model.norm", true, true});
        add("start alone", {"model", "model.norm", false, true});
        add("end alone", {"norm", "model.norm", false, false});
        add("dot", {"model.norm", "modelXnorm", true, true});
        add("escaped dot", {"model\\.norm", "modelXnorm", false, false});
        add("any", {".*", "", true, true});
        add("empty", {"", "a", false, true});
        add("alternatives", {"(gate|up|down)_proj", "up_proj", true, true});
        add("alternatives without a group", {"a|bc|d", "bc", true, true});
        add("second of three alternatives", {"x(a|bc|d)y", "xbcy", true, true});
        add("third of three alternatives", {"x(a|bc|d)y", "xdy", true, true});
        add("none of three alternatives", {"x(a|bc|d)y", "xcy", false, false});
        add("empty alternative", {"a(b|)c", "ac", true, true});
        add("optional group", {"mlp\\.(shared\\.)?up", "mlp.shared.up", true, true});
        add("optional group, absent", {"mlp\\.(shared\\.)?up", "mlp.up", true, true});
        add("digits", {"layers\\.\\d+\\.mlp", "layers.17.mlp", true, true});
        add("class in brackets", {"layers.[\\d]+.mlp", "layers.17.mlp", true, true});
        add("range", {"layers\\.4[4-9]", "layers.47", true, true});
        add("below the range", {"layers\\.4[4-9]", "layers.43", false, false});
        add("negated set", {"[^.]+", "model.norm", false, true});
        add("bracket in a set", {"[]a]+", "a]a", true, true});
        add("dash in a set", {"[a-]+", "a-a", true, true});
        add("counted", {"a{2,3}", "aaaa", false, true});
        add("counted exactly", {"a{2}", "aa", true, true});
        add("counted at least", {"a{2,}", "aaaa", true, true});
        add("counted at most", {"a{,2}", "aaa", false, true});
        add("braces that count nothing", {"a{x}", "a{x}", true, true});
        add("braces with a blank", {"a{1, 2}", "a{1, 2}", true, true});
        add("hundreds of alternatives",
            {"experts\\.(" + numbers(384) + ")\\.", "experts.383.w1", false, true});
        add("lazy", {"a+?b", "aaab", true, true});
        add("repeated group of an anchor", {"(?:^)*a", "a", true, true});
        add("repeated group of alternatives", {"(ab|c)*", "abcab", true, true});
        add("group around a repetition", {"(a*)*", "aaa", true, true});
        add("anchors", {"^model$", "model", true, true});
        add("end within", {"model$", "model.norm", false, false});
        add("word edge", {"\\bnorm\\b.*", "norm.x", true, true});
        add("within a word", {"no\\Brm", "norm", true, true});
        add("named group", {"(?P<layer>\\d+)", "12", true, true});
        add("look ahead", {"(?=model).*norm", "model.norm", true, true});
        add("look ahead, otherwise", {"(?=other).*norm", "model.norm", false, false});
        add("nothing ahead", {"(?!.*vision).*q_proj", "model.q_proj", true, true});
        add("nothing ahead, but there is", {"(?!.*vision).*q_proj", "vision.q_proj", false, false});
        add("look ahead in alternatives", {"(a(?=b)|x)b?", "ab", true, true});
        add("any case", {"(?i)SELF_attn", "self_ATTN", true, true});
        add("beyond ASCII", {"[^a]", "\xc3\xa4", true, true});
        add("empty alternative that ends earlier", {"ab|", "b", false, true});
        add("counted down to none", {"a{,}", "aaa", true, true});
        add("bracket in a set of brackets", {"[[:a]+", "[:a", true, true});
        add("end of the text", {"model\\Z", "model", true, true});
        add("look behind", {"model(?<=l).*", "model.norm", true, true});
        add("look behind, otherwise", {"model(?<!l).*", "model.norm", false, false});
    }

    void matches()
    {
        const auto& [pattern, name, all, start] = row<Match>();
        const NamePattern compiled(pattern);
        MatchEffort effort;
        QCOMPARE(compiled.matchesAll(name, effort), all);
        QCOMPARE(compiled.matchesStart(name, effort), start);
    }

    void refuses_data()
    {
        const auto add = rows<Problem>();
        add("open group", {"(a", "missing closing parenthesis"});
        add("closed group", {"a)", "unmatched closing parenthesis"});
        add("open set", {"[a", "missing terminating ]"});
        add("repetition of nothing", {"*a", "has a repetition of nothing"});
        add("repetition of an alternative's begin", {"a|*", "has a repetition of nothing"});
        add("verb", {"(*COMMIT)a", "has a repetition of nothing"});
        add("repetition of a repetition", {"a**", "has a repetition of a repetition"});
        add("repetition of an anchor", {"^*a", "has a repetition of nothing"});
        add("counts of nothing", {"{2}a", "has a repetition of nothing"});
        add("counts of a repetition", {"a{2}{3}", "has a repetition of a repetition"});
        add("backslash at the end", {"a\\", "\\ at end of pattern"});
        add("range that ends first", {"[z-a]", "range out of order"});
        add("less than the least", {"a{3,2}", "numbers out of order"});
        add("look behind for any length", {"(?<=a*)b", "lookbehind assertion"});
        add("reference", {"(a)\\1", "has a reference to a group, which is not read here", false});
        add("possessive", {"a*+b", "has a possessive repetition, which is not read here", false});
        add("atomic group",
            {"(?>a|ab)c", "has a group that begins with (?>a, which is not read here", false});
        add("escape of PCRE alone", {"a\\Kb", "has the escape \\K, which is not read here", false});
        add("recursion", {"(a(?R)?b)", "has a group that begins with (?R)", false});
        add("counts of counts",
            {"((a{99}){99}){99}", "has more repetitions than names have characters, which is not read here",
             false});
        add("long name of a group", {"(?P<" + std::string(40, 'a') + ">b)", "has an expression", false});
        add("long", {std::string(2001, 'a'), "has more than 2000 characters, which is not read here", false});
        add("deep", {std::string(60, '(') + std::string(60, ')'),
                     "has groups that are nested more than 50 deep, which is not read here", false});
    }

    void refuses()
    {
        const auto& [pattern, problem, isIllegal] = row<Problem>();
        try {
            const NamePattern compiled(pattern);
            QFAIL("It is compiled.");
        } catch (const NamePatternError& error) {
            VERIFY_CONTAINS(QString::fromUtf8(error.what()), problem);
            QCOMPARE(error.isIllegal, isIllegal);
        }
    }

    /// The time that Python's matcher takes for this pattern doubles with each character.
    void stopsWhenItsEffortIsSpent()
    {
        const NamePattern compiled("(a|aa)+(a+)+b");
        MatchEffort effort;
        QVERIFY(!compiled.matchesAll(std::string(200, 'a'), effort));
        QVERIFY(effort.steps > 0);
        MatchEffort little{.steps = 100};
        QVERIFY_THROWS_EXCEPTION(NamePatternError, compiled.matchesAll(std::string(200, 'a'), little));
    }
};

BATCHPEAK_TEST(NamePatternTest)
#include "tst_name_pattern.moc"
