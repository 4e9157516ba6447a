// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "syntax/config_error.h"
#include "syntax/config_section.h"
#include "syntax/entry_change.h"
#include "syntax/interpolation.h"

#include <QTest>

#include <algorithm>

using namespace batchpeak::config;

namespace {

/// Text before and after 5 is written to x, and parts of the expected notes.
struct Writing
{
    std::string before;
    std::string after;
    std::vector<std::string> notes;
};

ConfigSection rootOf(const YamlDocument& document)
{
    return *ConfigSection::root(document, Dialect::OmegaConf);
}

/// Returns the section "a.b" and the key "c" of a path "a.b.c".
std::pair<ConfigSection, std::string> placeOf(const YamlDocument& document, const std::string& path)
{
    QStringList keys = QString::fromStdString(path).split(QLatin1Char('.'));
    const std::string last = keys.takeLast().toStdString();
    ConfigSection section = rootOf(document);
    for (const QString& key : keys)
        section = *section.section(key.toStdString());
    return {section, last};
}

} // namespace

// Compares with the results of OmegaConf 2.3.0 for the same texts.
class InterpolationTest : public QObject
{
    Q_OBJECT

private slots:
    void readsNumbers_data()
    {
        rows<std::string, std::string, std::int64_t>({
            {"absolute", {"a: {b: 7}\nx: ${a.b}\n", "x", 7}},
            {"single quotes", {"a: 7\nx: '${a}'\n", "x", 7}},
            {"double quotes", {"a: 7\nx: \"${a}\"\n", "x", 7}},
            {"folded text", {"a: 7\nx: >-\n  ${a}\n", "x", 7}},
            {"comment behind", {"a: 7\nx: ${a} # as a\n", "x", 7}},
            {"blanks inside", {"a: 7\nx: '${ a\t}'\n", "x", 7}},
            {"beside itself", {"s: {a: 7, x: '${.a}'}\n", "s.x", 7}},
            {"beside itself, from the root", {"a: 7\nx: ${.a}\n", "x", 7}},
            {"one level up", {"s: {a: 7, t: {x: '${..a}'}}\n", "s.t.x", 7}},
            {"two levels up and down", {"u: {a: 7}\ns: {t: {x: '${...u.a}'}}\n", "s.t.x", 7}},
            {"index behind a dot", {"l: [6, 7]\nx: ${l.1}\n", "x", 7}},
            {"index in brackets", {"l: [6, 7]\nx: ${l[1]}\n", "x", 7}},
            {"key in brackets", {"s: {a: 7}\nx: ${s[a]}\n", "x", 7}},
            {"first key in brackets", {"s: {a: 7}\nx: ${[s].a}\n", "x", 7}},
            {"mapping in a list", {"l: [{a: 7}]\nx: ${l[0].a}\n", "x", 7}},
            {"other characters", {"a-b: {c/d: 7}\nx: ${a-b.c/d}\n", "x", 7}},
            {"chain", {"a: 7\nb: ${a}\nc: ${b}\nx: ${c}\n", "x", 7}},
            {"chain that turns relative", {"s: {a: 7, b: '${.a}'}\nx: ${s.b}\n", "x", 7}},
            {"through a mapping", {"s: {a: 7}\nt: ${s}\nx: ${t.a}\n", "x", 7}},
            {"in a mapping", {"s: {a: 7}\nt: ${s}\n", "t.a", 7}},
            {"of an alias", {"s: {a: &n 7}\nb: *n\nx: ${b}\n", "x", 7}},
            {"alias of one", {"a: 7\ns: {b: &i '${a}'}\nx: *i\n", "x", 7}},
            {"aliased mapping", {"s: &s {a: 7, b: '${.a}'}\nt: *s\n", "t.b", 7}},
            {"merged from another mapping", {"s: &s {a: 7}\nt:\n  <<: *s\nx: ${t.a}\n", "x", 7}},
            {"overridden beside a merge", {"s: &s {a: 6}\nt:\n  <<: *s\n  a: 7\nx: ${t.a}\n", "x", 7}},
            {"relative to where it is merged",
             {"s: &s {a: 6, b: '${.a}'}\nt:\n  <<: *s\n  a: 7\n", "t.b", 7}},
            {"named where it is merged",
             {"s: &s {a: 6, b: '${.a}'}\nt:\n  <<: *s\n  a: 7\nx: ${t.b}\n", "x", 7}},
            {"relative to where it is written",
             {"s: &s {a: 7, b: '${.a}'}\nt:\n  <<: *s\n  a: 6\n", "s.b", 7}},
            {"hexadecimal", {"a: 0x10\nx: ${a}\n", "x", 16}},
        });
    }
    void readsNumbers()
    {
        const auto& [text, path, expected] = row<std::string, std::string, std::int64_t>();
        const YamlDocument document(text);
        const auto [section, key] = placeOf(document, path);
        const auto number = section.integer(key);
        QVERIFY(number);
        QCOMPARE(*number, expected);
    }

    void readsTexts_data()
    {
        rows<std::string, std::string>({
            {"word", {"a: word\nx: ${a}\n", "word"}},
            {"inside", {"a: 7\nx: p${a}b\n", "p7b"}},
            {"two", {"a: 7\nb: w\nx: ${a}-${b}\n", "7-w"}},
            {"behind a brace", {"a: 7\nx: 'p}q${a}'\n", "p}q7"}},
            {"relative, inside", {"s: {a: 7}\nt: {a: w}\nx: ${s.a}${.t.a}\n", "7w"}},
            {"text of a text", {"a: 7\nb: q${a}\nx: p${b}\n", "pq7"}},
            {"whole text of a text", {"a: 7\nb: q${a}\nx: ${b}\n", "q7"}},
            {"none", {"a:\nx: p${a}\n", "pNone"}},
            {"boolean", {"a: yes\nx: p${a}\n", "pTrue"}},
            {"hexadecimal", {"a: 0x10\nx: p${a}\n", "p16"}},
            {"quoted number", {"a: '0x10'\nx: p${a}\n", "p0x10"}},
            {"escaped", {"a: 7\nx: '\\${a}'\n", "${a}"}},
            {"escaped backslash", {"a: 7\nx: '\\\\${a}'\n", "\\7"}},
            {"escaped backslash and brace", {"a: 7\nx: '\\\\\\${a}'\n", "\\${a}"}},
            {"dollar alone", {"a: 7\nx: $a$${a}\n", "$a$7"}},
        });
    }
    void readsTexts()
    {
        const auto& [text, expected] = row<std::string, std::string>();
        const YamlDocument document(text);
        QCOMPARE(rootOf(document).text("x").value_or(""), expected);
    }

    void namesInterpolationsWithoutAValue_data()
    {
        rows<std::string, std::string>({
            {"environment", {"x: ${oc.env:SIZE}\n", "\"${oc.env:SIZE}\""}},
            {"environment with a default", {"x: ${oc.env:SIZE,8}\n", "\"${oc.env:SIZE,8}\""}},
            {"resolver of another", {"a: 7\nx: ${oc.decode:${a}}\n", "\"${oc.decode:${a}}\""}},
            {"name made of another", {"k: a\na: 7\nx: ${${k}}\n", "\"${${k}}\""}},
            {"absent", {"x: ${nowhere}\n", "\"${nowhere}\""}},
            {"below a number", {"a: 7\nx: ${a.b}\n", "\"${a.b}\""}},
            {"beyond the list", {"l: [7]\nx: ${l[1]}\n", "\"${l[1]}\""}},
            {"negative index", {"l: [7]\nx: ${l[-1]}\n", "\"${l[-1]}\""}},
            {"above the root", {"a: 7\nx: ${..a}\n", "\"${..a}\""}},
            {"itself", {"x: ${x}\n", "\"${x}\""}},
            {"circle", {"a: ${b}\nb: ${x}\nx: ${a}\n", "\"${a}\""}},
            {"circle through a mapping", {"x: ${x.y}\n", "\"${x.y}\""}},
            {"circle in a text", {"a: p${x}\nx: q${a}\n", "\"q${a}\""}},
            {"not closed", {"a: 7\nx: ${a\n", "\"${a\""}},
            {"empty", {"x: '${}'\n", "\"${}\""}},
            {"dots alone", {"x: '${.}'\n", "\"${.}\""}},
            {"dot at the end", {"a: 7\nx: '${a.}'\n", "\"${a.}\""}},
            {"list in a text", {"l: [7]\nx: p${l}\n", "\"p${l}\""}},
        });
    }
    void namesInterpolationsWithoutAValue()
    {
        const auto& [text, named] = row<std::string, std::string>();
        const YamlDocument document(text);
        const ConfigSection root = rootOf(document);
        const TextPosition position = root.positionOf("x");
        QVERIFY(position.line > 0);
        const auto check = [&, &sentencePart = named](const auto& read) {
            try {
                read();
                QFAIL("It was read.");
            } catch (const ConfigError& error) {
                const std::string sentence = error.what();
                QVERIFY2(sentence.find(sentencePart) != std::string::npos, error.what());
                QVERIFY2(sentence.find("for which this text has no value") != std::string::npos,
                         error.what());
                QCOMPARE(error.position(), position);
            }
        };
        check([&root] { root.integer("x"); });
        check([&root] { root.text("x"); });
    }

    void readsOtherKindsOfValues()
    {
        const YamlDocument document(
            "n: 2\nr: 1e-5\nf: yes\nz: null\nm: {k: 3}\n"
            "x: {r: '${r}', f: '${f}', z: '${z}', m: '${m}', l: [1, '${n}', '${.0}'], "
            "s: ['${m}', {k: 4}]}\n");
        const ConfigSection section = *rootOf(document).section("x");
        QCOMPARE(section.number("r").value_or(0), 1e-5);
        QCOMPARE(section.boolean("f").value_or(false), true);
        QVERIFY(!section.has("z"));
        QVERIFY(section.hasSection("m"));
        QCOMPARE(section.integers("l").value_or(std::vector<std::int64_t>()),
                 (std::vector<std::int64_t>{1, 2, 1}));
        const auto sections = section.sections("s");
        QCOMPARE(sections.size(), std::size_t{2});
        QCOMPARE(sections[0].integer("k").value_or(0), std::int64_t{3});
    }

    void refusesAmbiguousRelativeInterpolations()
    {
        // The value would be 7 below s, but 6 below t.
        const YamlDocument document("a: 7\ns: &s {x: '${..a}'}\nt: {a: 6, u: *s}\n");
        QVERIFY_THROWS_EXCEPTION(ConfigError, rootOf(document).section("s")->integer("x"));
    }

    void refusesTextsThatGrowExponentially()
    {
        // Each text doubles the previous one.
        std::string text = "x0: word\n";
        for (int i = 1; i < 40; ++i) {
            const std::string before = std::to_string(i - 1);
            text += "x" + std::to_string(i) + ": ${x" + before + "}${x" + before + "}\n";
        }
        const YamlDocument document(text);
        QVERIFY_THROWS_EXCEPTION(ConfigError, rootOf(document).text("x39"));
    }

    void readsTextInOtherDialects()
    {
        const YamlDocument document("a: 7\nx: ${a}\n");
        QCOMPARE(*ConfigSection::root(document)->text("x"), std::string("${a}"));
        QVERIFY_THROWS_EXCEPTION(ConfigError, ConfigSection::root(document)->integer("x"));
    }

    void writes_data()
    {
        const std::string line2 = "Line 2 (y) changes with it";
        const std::string own = "was ${a} and is a number of its own now.";
        rows<Writing>({
            {"what stands for nothing", {"x: 4\ny: 4\n", "x: 5\ny: 4\n", {}}},
            {"what another stands for", {"x: 4\ny: ${x}\n", "x: 5\ny: ${x}\n", {line2}}},
            {"in a chain", {"x: 4\ny: ${z}\nz: ${x}\n", "x: 5\ny: ${z}\nz: ${x}\n", {line2, "Line 3 (z)"}}},
            {"in a text", {"x: 4\ny: size-${x}\n", "x: 5\ny: size-${x}\n", {line2}}},
            {"relative", {"x: 4\ny: {z: '${..x}'}\n", "x: 5\ny: {z: '${..x}'}\n", {"Line 2 (z)"}}},
            {"an interpolation", {"x: ${a}\na: 4\n", "x: 5\na: 4\n", {own}}},
            {"an interpolation that another stands for",
             {"x: ${a}\ny: ${x}\na: 4\n", "x: 5\ny: ${x}\na: 4\n", {line2, own}}},
            {"an interpolation beside another", {"x: ${a}\ny: ${a}\na: 4\n", "x: 5\ny: ${a}\na: 4\n", {own}}},
            {"quoted", {"x: '${a}' # c\na: 4\n", "x: 5 # c\na: 4\n", {own}}},
            {"one that only a run resolves", {"x: ${oc.env:X}\n", "x: 5\n", {"was ${oc.env:X} and"}}},
            {"the value that it stands for", {"x: ${a}\na: 5\n", "x: ${a}\na: 5\n", {}}},
            {"the value that an alias stands for", {"a: &a 5\nx: *a\n", "a: &a 5\nx: *a\n", {}}},
        });
    }
    void writes()
    {
        const auto& [before, after, notes] = row<Writing>();
        const YamlDocument document(before);
        const SplicedText spliced =
            withEntries(document, Dialect::OmegaConf, {{.section = {}, .key = "x", .value = "5"}});
        QCOMPARE(spliced.text, after);
        QCOMPARE(spliced.notes.size(), notes.size());
        for (std::size_t i = 0; i < notes.size(); ++i)
            QVERIFY2(spliced.notes[i].find(notes[i]) != std::string::npos, spliced.notes[i].c_str());
    }

    void notesMergedValues_data()
    {
        rows<std::string>({{"beside another key", "y"}, {"beside bytes of its name", "!!binary x"}});
    }
    void notesMergedValues()
    {
        const YamlDocument document("s: &s {x: 4}\nt:\n  <<: *s\n  " + row<std::string>() +
                                    ": 1\nz: ${t.x}\n");
        const SplicedText spliced =
            withEntries(document, Dialect::OmegaConf, {{.section = {"s"}, .key = "x", .value = "5"}});
        QVERIFY(std::ranges::any_of(spliced.notes, [](const std::string& note) {
            return QString::fromStdString(note).contains(QStringLiteral("Line 5 (z)"));
        }));
    }

    void countsFurtherNotes()
    {
        std::string text = "x: 4\n";
        for (int i = 0; i < 5000; ++i)
            text += "y" + std::to_string(i) + ": ${" + (i == 0 ? "x" : "y" + std::to_string(i - 1)) + "}\n";
        const YamlDocument document(text);
        const auto notes = interpolationNotes(document, *rootOf(document).find("x")->value);
        QCOMPARE(notes.size(), std::size_t{21});
        // Chains of more than 64 interpolations are ignored.
        QCOMPARE(notes.back(), std::string("So do 44 more places."));
    }

    void notesInterpolationsOfTheParent()
    {
        const YamlDocument document("x: {y: 4}\nz: ${x}\n");
        const SplicedText spliced =
            withEntries(document, Dialect::OmegaConf, {{.section = {"x"}, .key = "y", .value = "5"}});
        QCOMPARE(spliced.notes.size(), std::size_t{1});
        QVERIFY(QString::fromStdString(spliced.notes[0]).contains(QStringLiteral("Line 2 (z)")));
    }
};

BATCHPEAK_TEST(InterpolationTest)
#include "tst_interpolation.moc"
