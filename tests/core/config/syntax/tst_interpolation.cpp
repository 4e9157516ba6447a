// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_error.h"
#include "config/syntax/config_section.h"
#include "config/syntax/entry_change.h"
#include "config/syntax/interpolation.h"
#include "support/test_main.h"

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>

using namespace batchpeak::config;

namespace {

ConfigSection rootOf(const YamlDocument& document)
{
    return *ConfigSection::root(document, Dialect::OmegaConf);
}

/// The section and the key behind the last dot of "a.b.c".
std::pair<ConfigSection, std::string> placeOf(const YamlDocument& document, const QString& path)
{
    QStringList keys = path.split(QLatin1Char('.'));
    const std::string last = keys.takeLast().toStdString();
    ConfigSection section = rootOf(document);
    for (const QString& key : keys)
        section = *section.section(key.toStdString());
    return {section, last};
}

} // namespace

// What is expected here is what OmegaConf 2.3.0 makes of the same texts.
class InterpolationTest : public QObject
{
    Q_OBJECT

private slots:
    void readsNumbers_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("path");
        QTest::addColumn<qint64>("number");
        const auto row = [](const char* name, const char* text, const char* path, qint64 number) {
            QTest::newRow(name) << QByteArray(text) << QString::fromLatin1(path) << number;
        };
        row("absolute", "a: {b: 7}\nx: ${a.b}\n", "x", 7);
        row("single quotes", "a: 7\nx: '${a}'\n", "x", 7);
        row("double quotes", "a: 7\nx: \"${a}\"\n", "x", 7);
        row("folded text", "a: 7\nx: >-\n  ${a}\n", "x", 7);
        row("comment behind", "a: 7\nx: ${a} # as a\n", "x", 7);
        row("blanks inside", "a: 7\nx: '${ a\t}'\n", "x", 7);
        row("beside itself", "s: {a: 7, x: '${.a}'}\n", "s.x", 7);
        row("beside itself, from the root", "a: 7\nx: ${.a}\n", "x", 7);
        row("one level up", "s: {a: 7, t: {x: '${..a}'}}\n", "s.t.x", 7);
        row("two levels up and down", "u: {a: 7}\ns: {t: {x: '${...u.a}'}}\n", "s.t.x", 7);
        row("index behind a dot", "l: [6, 7]\nx: ${l.1}\n", "x", 7);
        row("index in brackets", "l: [6, 7]\nx: ${l[1]}\n", "x", 7);
        row("key in brackets", "s: {a: 7}\nx: ${s[a]}\n", "x", 7);
        row("first key in brackets", "s: {a: 7}\nx: ${[s].a}\n", "x", 7);
        row("mapping in a list", "l: [{a: 7}]\nx: ${l[0].a}\n", "x", 7);
        row("other characters", "a-b: {c/d: 7}\nx: ${a-b.c/d}\n", "x", 7);
        row("chain", "a: 7\nb: ${a}\nc: ${b}\nx: ${c}\n", "x", 7);
        row("chain that turns relative", "s: {a: 7, b: '${.a}'}\nx: ${s.b}\n", "x", 7);
        row("through a mapping", "s: {a: 7}\nt: ${s}\nx: ${t.a}\n", "x", 7);
        row("in a mapping", "s: {a: 7}\nt: ${s}\n", "t.a", 7);
        row("of an alias", "s: {a: &n 7}\nb: *n\nx: ${b}\n", "x", 7);
        row("alias of one", "a: 7\ns: {b: &i '${a}'}\nx: *i\n", "x", 7);
        row("aliased mapping", "s: &s {a: 7, b: '${.a}'}\nt: *s\n", "t.b", 7);
        row("merged from another mapping", "s: &s {a: 7}\nt:\n  <<: *s\nx: ${t.a}\n", "x", 7);
        row("overridden beside a merge", "s: &s {a: 6}\nt:\n  <<: *s\n  a: 7\nx: ${t.a}\n", "x", 7);
        row("relative to where it is merged", "s: &s {a: 6, b: '${.a}'}\nt:\n  <<: *s\n  a: 7\n", "t.b", 7);
        row("named where it is merged", "s: &s {a: 6, b: '${.a}'}\nt:\n  <<: *s\n  a: 7\nx: ${t.b}\n", "x",
            7);
        row("relative to where it is written", "s: &s {a: 7, b: '${.a}'}\nt:\n  <<: *s\n  a: 6\n", "s.b", 7);
        row("hexadecimal", "a: 0x10\nx: ${a}\n", "x", 16);
    }
    void readsNumbers()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, path);
        const YamlDocument document(text.toStdString());
        const auto [section, key] = placeOf(document, path);
        const auto number = section.integer(key);
        QVERIFY(number);
        QTEST(qint64{*number}, "number");
    }

    void readsTexts_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const char* text, const char* expected) {
            QTest::newRow(name) << QByteArray(text) << QString::fromLatin1(expected);
        };
        row("word", "a: word\nx: ${a}\n", "word");
        row("inside", "a: 7\nx: p${a}b\n", "p7b");
        row("two", "a: 7\nb: w\nx: ${a}-${b}\n", "7-w");
        row("behind a brace", "a: 7\nx: 'p}q${a}'\n", "p}q7");
        row("relative, inside", "s: {a: 7}\nt: {a: w}\nx: ${s.a}${.t.a}\n", "7w");
        row("text of a text", "a: 7\nb: q${a}\nx: p${b}\n", "pq7");
        row("whole text of a text", "a: 7\nb: q${a}\nx: ${b}\n", "q7");
        row("none", "a:\nx: p${a}\n", "pNone");
        row("boolean", "a: yes\nx: p${a}\n", "pTrue");
        row("hexadecimal", "a: 0x10\nx: p${a}\n", "p16");
        row("quoted number", "a: '0x10'\nx: p${a}\n", "p0x10");
        row("escaped", "a: 7\nx: '\\${a}'\n", "${a}");
        row("escaped backslash", "a: 7\nx: '\\\\${a}'\n", "\\7");
        row("escaped backslash and brace", "a: 7\nx: '\\\\\\${a}'\n", "\\${a}");
        row("dollar alone", "a: 7\nx: $a$${a}\n", "$a$7");
    }
    void readsTexts()
    {
        QFETCH(QByteArray, text);
        const YamlDocument document(text.toStdString());
        QTEST(QString::fromStdString(rootOf(document).text("x").value_or("")), "expected");
    }

    void namesWhatTheTextDoesNotTell_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* name, const char* text, const char* named) {
            QTest::newRow(name) << QByteArray(text) << QString::fromLatin1(named);
        };
        row("environment", "x: ${oc.env:SIZE}\n", "\"${oc.env:SIZE}\"");
        row("environment with a default", "x: ${oc.env:SIZE,8}\n", "\"${oc.env:SIZE,8}\"");
        row("resolver of another", "a: 7\nx: ${oc.decode:${a}}\n", "\"${oc.decode:${a}}\"");
        row("name made of another", "k: a\na: 7\nx: ${${k}}\n", "\"${${k}}\"");
        row("absent", "x: ${nowhere}\n", "\"${nowhere}\"");
        row("below a number", "a: 7\nx: ${a.b}\n", "\"${a.b}\"");
        row("beyond the list", "l: [7]\nx: ${l[1]}\n", "\"${l[1]}\"");
        row("negative index", "l: [7]\nx: ${l[-1]}\n", "\"${l[-1]}\"");
        row("above the root", "a: 7\nx: ${..a}\n", "\"${..a}\"");
        row("itself", "x: ${x}\n", "\"${x}\"");
        row("circle", "a: ${b}\nb: ${x}\nx: ${a}\n", "\"${a}\"");
        row("circle through a mapping", "x: ${x.y}\n", "\"${x.y}\"");
        row("circle in a text", "a: p${x}\nx: q${a}\n", "\"q${a}\"");
        row("not closed", "a: 7\nx: ${a\n", "\"${a\"");
        row("empty", "x: '${}'\n", "\"${}\"");
        row("dots alone", "x: '${.}'\n", "\"${.}\"");
        row("dot at the end", "a: 7\nx: '${a.}'\n", "\"${a.}\"");
        row("list in a text", "l: [7]\nx: p${l}\n", "\"p${l}\"");
    }
    void namesWhatTheTextDoesNotTell()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, named);
        const YamlDocument document(text.toStdString());
        const ConfigSection root = rootOf(document);
        const TextPosition position = root.positionOf("x");
        QVERIFY(position.line > 0);
        const auto check = [&](const auto& read) {
            try {
                read();
                QFAIL("It was read.");
            } catch (const ConfigError& error) {
                const QString sentence = QString::fromUtf8(error.what());
                QVERIFY2(sentence.contains(named), error.what());
                QVERIFY2(sentence.contains(QStringLiteral("for which this text has no value")), error.what());
                QCOMPARE(error.position(), position);
            }
        };
        check([&root] { root.integer("x"); });
        check([&root] { root.text("x"); });
    }

    void readsTheRestOfASectionAlike()
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

    void leavesAnchoredMappingsAlone()
    {
        // From t it would be 6, from s 7.
        const YamlDocument document("a: 7\ns: &s {x: '${..a}'}\nt: {a: 6, u: *s}\n");
        QVERIFY_THROWS_EXCEPTION(ConfigError, rootOf(document).section("s")->integer("x"));
    }

    void staysShortOnLongWays()
    {
        // Each doubles the one before.
        std::string text = "x0: word\n";
        for (int i = 1; i < 40; ++i) {
            const std::string before = std::to_string(i - 1);
            text += "x" + std::to_string(i) + ": ${x" + before + "}${x" + before + "}\n";
        }
        const YamlDocument document(text);
        QVERIFY_THROWS_EXCEPTION(ConfigError, rootOf(document).text("x39"));
    }

    void isTextInOtherDialects()
    {
        const YamlDocument document("a: 7\nx: ${a}\n");
        QCOMPARE(*ConfigSection::root(document)->text("x"), std::string("${a}"));
        QVERIFY_THROWS_EXCEPTION(ConfigError, ConfigSection::root(document)->integer("x"));
    }

    void writes_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        QTest::addColumn<QStringList>("notes");
        const auto row = [](const char* name, const char* before, const char* after,
                            const QStringList& notes) {
            QTest::newRow(name) << QByteArray(before) << QByteArray(after) << notes;
        };
        const QString line2 = QStringLiteral("Line 2 (y) changes with it");
        const QString own = QStringLiteral("was ${a} and is a number of its own now.");
        row("what stands for nothing", "x: 4\ny: 4\n", "x: 5\ny: 4\n", {});
        row("what another stands for", "x: 4\ny: ${x}\n", "x: 5\ny: ${x}\n", {line2});
        row("in a chain", "x: 4\ny: ${z}\nz: ${x}\n", "x: 5\ny: ${z}\nz: ${x}\n",
            {line2, QStringLiteral("Line 3 (z)")});
        row("in a text", "x: 4\ny: size-${x}\n", "x: 5\ny: size-${x}\n", {line2});
        row("relative", "x: 4\ny: {z: '${..x}'}\n", "x: 5\ny: {z: '${..x}'}\n",
            {QStringLiteral("Line 2 (z)")});
        row("an interpolation", "x: ${a}\na: 4\n", "x: 5\na: 4\n", {own});
        row("an interpolation that another stands for", "x: ${a}\ny: ${x}\na: 4\n", "x: 5\ny: ${x}\na: 4\n",
            {line2, own});
        row("an interpolation beside another", "x: ${a}\ny: ${a}\na: 4\n", "x: 5\ny: ${a}\na: 4\n", {own});
        row("quoted", "x: '${a}' # c\na: 4\n", "x: 5 # c\na: 4\n", {own});
        row("one that only a run resolves", "x: ${oc.env:X}\n", "x: 5\n",
            {QStringLiteral("was ${oc.env:X} and")});
        row("the value that it stands for", "x: ${a}\na: 5\n", "x: ${a}\na: 5\n", {});
        row("the value that an alias stands for", "a: &a 5\nx: *a\n", "a: &a 5\nx: *a\n", {});
    }
    void writes()
    {
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        QFETCH(QStringList, notes);
        const YamlDocument document(before.toStdString());
        const SplicedText spliced =
            withEntries(document, Dialect::OmegaConf, {{.section = {}, .key = "x", .value = "5"}});
        QCOMPARE(QByteArray::fromStdString(spliced.text), after);
        QCOMPARE(qsizetype(spliced.notes.size()), notes.size());
        for (qsizetype i = 0; i < notes.size(); ++i)
            QVERIFY2(QString::fromStdString(spliced.notes[std::size_t(i)]).contains(notes[i]),
                     spliced.notes[std::size_t(i)].c_str());
    }

    void notesWhatIsMerged()
    {
        const YamlDocument document("s: &s {x: 4}\nt:\n  <<: *s\n  y: 1\nz: ${t.x}\n");
        const SplicedText spliced =
            withEntries(document, Dialect::OmegaConf, {{.section = {"s"}, .key = "x", .value = "5"}});
        QVERIFY(std::ranges::any_of(spliced.notes, [](const std::string& note) {
            return QString::fromStdString(note).contains(QStringLiteral("Line 5 (z)"));
        }));
    }

    void countsWhatItDoesNotNote()
    {
        std::string text = "x: 4\n";
        for (int i = 0; i < 5000; ++i)
            text += "y" + std::to_string(i) + ": ${" + (i == 0 ? "x" : "y" + std::to_string(i - 1)) + "}\n";
        const YamlDocument document(text);
        QElapsedTimer timer;
        timer.start();
        const auto notes = interpolationNotes(document, *rootOf(document).find("x")->value);
        // Looked for one by one, keys take ten seconds.
        QVERIFY2(timer.elapsed() < 3000, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(notes.size(), std::size_t{21});
        // Longer chains than those of 64 are given up.
        QCOMPARE(notes.back(), std::string("So do 44 more places."));
    }

    void notesWhatStandsForTheHolder()
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
