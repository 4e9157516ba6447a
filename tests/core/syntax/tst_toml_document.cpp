// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "syntax/document_origin.h"
#include "syntax/entry_change.h"
#include "syntax/toml_document.h"

#include <QTest>

using namespace batchpeak::config;

namespace {

/// Returns the text with two entries of its table "model": the first is there, the second may be absent.
SplicedText withSizes(const std::string& text)
{
    return withEntries(*tomlDocument(text), Dialect::Json,
                       {{.section = {"model"}, .key = "micro", .value = "16"},
                        {.section = {"model"}, .key = "steps", .value = "2", .below = "micro"}});
}

} // namespace

class TomlDocumentTest : public QObject
{
    Q_OBJECT

private slots:
    void readsValues_data()
    {
        rows<std::string, std::string>({
            {"numbers", {"a = 4\nb = +1_000\nc = -2", R"({"a": 4, "b": 1000, "c": -2})"}},
            {"numbers to other bases", {"a = 0x10\nb = 0b11\nc = 0o7", R"({"a": 16, "b": 3, "c": 7})"}},
            {"fractions", {"a = 1e-3\nb = 0.5", R"({"a": 0.001, "b": 0.5})"}},
            {"numbers that are none",
             {"a = inf\nb = nan", R"({"a": "a value of another kind", "b": "a value of another kind"})"}},
            {"flags", {"a = true\nb = false # no", R"({"a": true, "b": false})"}},
            {"texts", {"a = \"x\\ty\"\nb = 'C:\\dir'", R"({"a": "x\ty", "b": "C:\\dir"})"}},
            {"texts of several lines", {"a = \"\"\"\nx\ny\"\"\"\nb = 1", R"({"a": "x\ny", "b": 1})"}},
            {"dates and times", {"a = 2026-01-02\nb = 1", R"({"a": "a value of another kind", "b": 1})"}},
            {"tables", {"[a]\nb = 1\n[a.c]\nd = 2", R"({"a": {"b": 1, "c": {"d": 2}}})"}},
            {"keys with dots", {"a.b = 1\na.\"c.d\" = 2", R"({"a": {"b": 1, "c.d": 2}})"}},
            {"a table on one line", {"a = {b = 1, c = {}}", R"({"a": {"b": 1, "c": {}}})"}},
            {"lists", {"a = [1, [2, 3], # two\n 'x',\n]", R"({"a": [1, [2, 3], "x"]})"}},
            {"lists of tables", {"[[a]]\nb = 1\n[[a]]\nb = 2", R"({"a": [{"b": 1}, {"b": 2}]})"}},
            {"a byte order mark", {"\xEF\xBB\xBF[a]\nb = 1", R"({"a": {"b": 1}})"}},
            {"nothing", {"# nothing", "{}"}},
        });
    }
    void readsValues()
    {
        const auto& [text, document] = row<std::string, std::string>();
        QCOMPARE(tomlDocument(text)->text(), document);
    }

    void findsPositions_data()
    {
        rows<std::string, std::string>({
            {"the first line", {"a = 4", "1:5"}},
            {"behind a byte order mark",
             {"\xEF\xBB\xBF"
              "a = 4",
              "1:5"}},
            {"in a table", {"# one\r\n[t]\r\n  a=4\r\n", "3:5"}},
            {"behind letters of several bytes", {"t = {b = \"größer\", a = 4}", "1:24"}},
            {"in a list of tables", {"[[t]]\nb = 1\n[[t]]\nb = 2\na = 4\n", "5:5"}},
        });
    }
    void findsPositions()
    {
        const auto& [text, place] = row<std::string, std::string>();
        const auto document = tomlDocument(text);
        for (const YamlNode& node : document->nodes()) {
            if (node.value != "4")
                continue;
            const TextPosition position = document->positionOf(node);
            QCOMPARE(std::to_string(position.line) + ':' + std::to_string(position.column), place);
            return;
        }
        QFAIL("the document has no 4");
    }

    void changesOnlyTheNumbers_data()
    {
        rows<std::string, std::string>({
            {"both there",
             {"[model]\nmicro = 4 # small\nsteps = 8\n", "[model]\nmicro = 16 # small\nsteps = 2\n"}},
            {"no blanks", {"[model]\nmicro=4#small\nsteps=8", "[model]\nmicro=16#small\nsteps=2"}},
            {"underscores and signs",
             {"[model]\nmicro = 1_000\nsteps = +8\n", "[model]\nmicro = 16\nsteps = 2\n"}},
            {"one as it is to be", {"[model]\nmicro = 16\nsteps = 8\n", "[model]\nmicro = 16\nsteps = 2\n"}},
            {"written in another way",
             {"[model]\nmicro = 0x10 \nsteps = 0b10\n", "[model]\nmicro = 0x10 \nsteps = 0b10\n"}},
            {"one absent",
             {"[model]\n  micro = 4 # small\n[other]\n",
              "[model]\n  micro = 16 # small\n  steps = 2\n[other]\n"}},
            {"Windows line ends",
             {"[model]\r\nmicro = 4\r\n\r\n[other]\r\n",
              "[model]\r\nmicro = 16\r\nsteps = 2\r\n\r\n[other]\r\n"}},
            {"no newline at the end", {"[model]\nmicro = 4", "[model]\nmicro = 16\nsteps = 2"}},
            {"letters of several bytes",
             {"model = {name = \"größer\", micro = 4, steps = 8} # größer\n",
              "model = {name = \"größer\", micro = 16, steps = 2} # größer\n"}},
            {"a table on one line",
             {"model = { micro = 4 }\nmicro = 1\n", "model = { micro = 16, steps = 2 }\nmicro = 1\n"}},
            {"a key with dots",
             {"[a]\nmicro = 1\n[model]\nx.micro = 1\nmicro = 4\n",
              "[a]\nmicro = 1\n[model]\nx.micro = 1\nmicro = 16\nsteps = 2\n"}},
            {"keys with dots",
             {"  model.micro = 4\na = 1\n", "  model.micro = 16\n  model.steps = 2\na = 1\n"}},
            {"blanks around the dot", {"model . micro = 4", "model . micro = 16\nmodel .steps = 2"}},
            {"a list of tables beside it",
             {"[[run]]\nmicro = 1\n[model]\nmicro = 4\nsteps = 8\n[[run]]\nmicro = 2\n",
              "[[run]]\nmicro = 1\n[model]\nmicro = 16\nsteps = 2\n[[run]]\nmicro = 2\n"}},
            {"comments with the same entry",
             {"[model]\n# micro = 1\nmicro = 4\n#steps = 3\n",
              "[model]\n# micro = 1\nmicro = 16\nsteps = 2\n#steps = 3\n"}},
        });
    }
    void changesOnlyTheNumbers()
    {
        const auto& [before, after] = row<std::string, std::string>();
        const SplicedText spliced = withSizes(before);
        QCOMPARE(spliced.text, after);
        if (spliced.document)
            QCOMPARE(spliced.document->text(), tomlDocument(after)->text());
    }

    void refusesWhatIsNotToml_data()
    {
        rows<std::string, int>({
            {"YAML", {"a: 1\n", 1}},
            {"a key twice", {"[a]\nb = 1\nb = 2\n", 3}},
            {"a table twice", {"[a]\n[b]\n[a]\n", 3}},
            {"no value", {"a = 1\nb =\n", 2}},
            {"a text without an end", {"a = \"x\n", 1}},
            {"a letter that is no part of a key", {"[a]\nmod\xC3\xA8le = 1\n", 2}},
            {"a Cyrillic letter behind a value", {"a = 1 \xD0\xB1\n", 1}},
        });
    }
    void refusesWhatIsNotToml()
    {
        const auto& [text, line] = row<std::string, int>();
        try {
            tomlDocument(text);
        } catch (const ConfigError& error) {
            QCOMPARE(error.position().line, line);
            QVERIFY2(std::string(error.what()).starts_with("The text is not valid TOML: "), error.what());
            return;
        }
        QFAIL("the text is read");
    }
};

BATCHPEAK_TEST(TomlDocumentTest)
#include "tst_toml_document.moc"
