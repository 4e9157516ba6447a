// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "syntax/yaml_document.h"

#include "config/config_document.h"
#include "syntax/yaml_scalar.h"

#include <QTest>

using namespace batchpeak::config;

namespace {

std::string repeated(const std::string& text, int times)
{
    std::string result;
    for (int i = 0; i < times; ++i)
        result += text;
    return result;
}

/// Returns nine levels, each with nine aliases of the previous level: 9^9 lists when expanded.
std::string aliasBomb()
{
    std::string text = "a0: &a0 [1, 1]\n";
    for (int level = 1; level < 10; ++level) {
        const std::string alias = "*a" + std::to_string(level - 1);
        text += "a" + std::to_string(level) + ": &a" + std::to_string(level) + " [" +
                repeated(alias + " , ", 8) + alias + " ]\n";
    }
    return text;
}

const YamlNode& valueAt(const YamlDocument& document, std::size_t entry)
{
    return *document.root().children[2 * entry + 1];
}

} // namespace

class YamlDocumentTest : public QObject
{
    Q_OBJECT

private slots:
    void refusesInvalidTexts_data()
    {
        rows<std::string, std::string, int, int>({
            {"empty", {"", "empty", 1, 1}},
            {"blank", {" \n\t\r\n", "empty", 1, 1}},
            {"byte order mark alone", {"\xEF\xBB\xBF\n", "empty", 1, 1}},
            {"comments alone", {"# one\n# two\n", "only comments", 0, 0}},
            {"too long", {std::string(maxConfigBytes, 'a'), "bytes", 1, 1}},
            {"a second document", {"a: 1\n---\nb: 2\n", "second document", 2, 1}},
            {"an open list", {"a: [1, 2\nb: 3\n", "not valid YAML", 2, 2}},
            {"an unknown alias", {"a: 1\nb: *c\n", "No anchor of this name", 2, 4}},
            {"an alias of what holds it", {"a: &a\n  - 1\n  - *a\n", "never ends", 3, 5}},
            {"a tab as indent", {"a:\n\tb: 1\n\tc: 2\n", "not valid YAML", 2, 1}},
            {"Latin-1", {"a: caf\xE9\n", "not UTF-8", 1, 7}},
            {"cut in a character", {"a: \xC3", "not UTF-8", 1, 4}},
            {"an overlong character", {"a: \xC0\xAF\n", "not UTF-8", 1, 4}},
            {"a surrogate", {"a: \xED\xA0\x80\n", "not UTF-8", 1, 4}},
            {"above Unicode", {"a: \xF5\x80\x80\x80\n", "not UTF-8", 1, 4}},
            {"UTF-16", {std::string("a\0:\0 \0001\0", 8), "control character", 1, 2}},
            {"a program",
             {std::string("\x7F"
                          "ELF\x02\x01",
                          6),
              "control character", 1, 1}},
            {"nested lists", {repeated("[", 100000), "levels deep", 1, 65}},
            {"nested blocks", {repeated("- ", 100000) + "1", "levels deep", 1, 129}},
            {"nested mappings", {repeated("{a: ", 5000), "levels deep", 1, 257}},
            {"nested keys", {repeated("? ", 5000), "levels deep", 1, 129}},
            {"too many values", {"a: [" + repeated("1,", 300000) + "1]", "values", 1, 399999}},
        });
    }
    void refusesInvalidTexts()
    {
        const auto& [text, named, line, column] = row<std::string, std::string, int, int>();
        try {
            const YamlDocument document(text);
            QFAIL("was not refused");
        } catch (const ConfigError& error) {
            QVERIFY2(std::string_view(error.what()).find(named) != std::string_view::npos, error.what());
            QCOMPARE(error.position().line, line);
            QCOMPARE(error.position().column, column);
        }
    }

    void doesNotExpandAliases()
    {
        const YamlDocument document(aliasBomb());
        QCOMPARE(document.nodes().size(), std::size_t{1 + 10 * 2 + 2 + 9 * 9});
    }

    void reportsPositionsAsLinesAndCharacters_data()
    {
        rows<std::string, int, int>({
            {"line feeds", {"a: 1\nb: 2\n", 2, 4}},
            {"carriage returns and line feeds", {"a: 1\r\nb: 2\r\n", 2, 4}},
            {"byte order mark",
             {"\xEF\xBB\xBF"
              "a: 1\nb: 2\n",
              2, 4}},
            {"umlauts", {"a: 1\n\"\xC3\xA4\xC3\xB6\": 2\n", 2, 7}},
            {"behind an anchor", {"a: 1\nb: &x 2\n", 2, 7}},
            {"behind a tag", {"a: 1\nb: !!int &x 2\n", 2, 13}},
            // YAML 1.1 ends lines at these characters, but editors do not.
            {"behind a line of an anchor that NEL ends", {"a: 1\nb: &x # y\xC2\x85  2\n", 2, 13}},
            {"behind a line of a tag that LS ends", {"a: 1\nb: !!int\xE2\x80\xA8  2\n", 2, 12}},
            {"below its key", {"a: 1\nb:\n  2\n", 3, 3}},
        });
    }
    void reportsPositionsAsLinesAndCharacters()
    {
        const auto& [text, line, column] = row<std::string, int, int>();
        const YamlDocument document(text);
        QCOMPARE(valueAt(document, 1).value, std::string("2"));
        const TextPosition position = document.positionOf(valueAt(document, 1));
        QCOMPARE(position.line, line);
        QCOMPARE(position.column, column);
    }

    void distinguishesNullFromEmptyValues_data()
    {
        rows<std::string, std::string>({
            {"null", {"a: null\nb: 1", "null"}},
            {"tilde", {"a: ~", "~"}},
            {"in braces", {"{a: null, b: 1}", "null"}},
            {"nothing", {"a:\nb: 1", ""}},
            {"nothing before a key called null", {"a:\nnull: 1", ""}},
            {"nothing before a key called null, blank behind", {"a:\nnull : 1", ""}},
            {"nothing at the end of the text", {"a:", ""}},
            {"nothing but a comment", {"a: # null\n", ""}},
            {"nothing behind an anchor", {"a: &x\nnull: 1", ""}},
            {"nothing in braces", {"{a: , null: 1}", ""}},
        });
    }
    void distinguishesNullFromEmptyValues()
    {
        const auto& [text, written] = row<std::string, std::string>();
        const YamlDocument document(text);
        const YamlNode& value = valueAt(document, 0);
        QVERIFY(isNull(value));
        QCOMPARE(value.value, written);
        QCOMPARE(value.empty, written.empty());
    }

    void startsACommentOnlyAfterABlank()
    {
        const YamlDocument document("a: null# no comment\n");
        const YamlNode& value = valueAt(document, 0);
        QVERIFY(!isNull(value));
        QCOMPARE(value.value, std::string("null# no comment"));
    }

    void readsScalarsLikePyYaml_data()
    {
        rows<std::string>({
            {"12", "integer 12"},
            {"-3", "integer -3"},
            {"+3", "integer 3"},
            {"1_000", "integer 1000"},
            {"0x1F", "integer 31"},
            {"0b101", "integer 5"},
            {"010", "integer 8"},
            {"08", "number 8"},
            {"1:30", "text"},
            {"_1", "text"},
            {"--1", "text"},
            {"9223372036854775807", "integer 9223372036854775807"},
            {"9223372036854775808", "too large"},
            {"-9223372036854775809", "too large"},
            {"2e-5", "number 2e-05"},
            {"1.0e-5", "number 1e-05"},
            {"3.5", "number 3.5"},
            {".5", "number 0.5"},
            {"1.0e-400", "number 0"},
            {"1.0e+400", "text"},
            {"+-1.5", "text"},
            {".inf", "text"},
            {"inf", "text"},
            {"1.2.3", "text"},
            {"True", "true"},
            {"yes", "true"},
            {"ON", "true"},
            {"no", "false"},
            {"Off", "false"},
            {"FALSE", "false"},
            {"tRUE", "text"},
            {"y", "text"},
            {"~", "null"},
            {"Null", "null"},
            {"None", "text"},
            {"\"12\"", "text"},
            {"'null'", "text"},
            {"\"True\"", "text"},
            {"\"\"", "text"},
        });
    }
    void readsScalarsLikePyYaml()
    {
        const auto& expected = row<std::string>();
        const YamlDocument document("a: " + std::string(QTest::currentDataTag()) + "\n");
        const YamlNode& value = valueAt(document, 0);
        QString meaning = QStringLiteral("text");
        const auto integer = asInteger(value);
        if (isNull(value))
            meaning = QStringLiteral("null");
        else if (const auto boolean = asBoolean(value))
            meaning = *boolean ? QStringLiteral("true") : QStringLiteral("false");
        else if (isTooLarge(value))
            meaning = QStringLiteral("too large");
        else if (integer)
            meaning = QStringLiteral("integer %1").arg(*integer);
        else if (const auto number = asNumber(value))
            meaning = QStringLiteral("number %1").arg(*number);
        QCOMPARE(meaning, QString::fromStdString(expected));
    }
};

BATCHPEAK_TEST(YamlDocumentTest)
#include "tst_yaml_document.moc"
