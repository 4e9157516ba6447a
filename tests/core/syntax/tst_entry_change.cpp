// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "syntax/entry_change.h"

#include <QTest>

using namespace batchpeak::config;

class EntryChangeTest : public QObject
{
    Q_OBJECT

private slots:
    void changesInOrder_data()
    {
        rows<std::string, std::string>({
            {"both there",
             {"model:\n  micro: 4 # small\n  steps: 8\n", "model:\n  micro: 16 # small\n  steps: 2\n"}},
            {"one absent",
             {"model:\n  micro: 4\n  other: 1\n", "model:\n  micro: 16\n  steps: 2\n  other: 1\n"}},
            {"both absent", {"model:\n  other: 1\n", "model:\n  micro: 16\n  steps: 2\n  other: 1\n"}},
            {"one as it is to be", {"model: {micro: 16, steps: 4}\n", "model: {micro: 16, steps: 2}\n"}},
            {"written in another way",
             {"model: {micro: 0x10, steps: 02}\n", "model: {micro: 0x10, steps: 02}\n"}},
            {"with tags",
             {"model:\n  micro: !!str 16\n  steps: !!int '2'\n",
              "model:\n  micro: 16\n  steps: !!int '2'\n"}},
            {"JSON",
             {"{\n  \"model\": {\"micro\": 4, \"steps\":8}\n}\n",
              "{\n  \"model\": {\"micro\": 16, \"steps\":2}\n}\n"}},
            {"JSON, one absent",
             {"{\"model\": {\"micro\": 4}}", "{\"model\": {\"micro\": 16, \"steps\": 2}}"}},
            {"JSON in lines, one absent",
             {"{\n  \"model\": {\n    \"micro\": 4, // small\n    \"a\": 1\n  }\n}\n",
              "{\n  \"model\": {\n    \"micro\": 16, // small\n    \"steps\": 2,\n    \"a\": 1\n  }\n}\n"}},
            {"JSON in lines, behind the last",
             {"{\"model\": {\r\n  \"a\": 1,\r\n  \"micro\": 4\r\n}}",
              "{\"model\": {\r\n  \"a\": 1,\r\n  \"steps\": 2,\r\n  \"micro\": 16\r\n}}"}},
            {"JSON in lines, both absent",
             {"{\"model\": {\n  // first\n  \"a\": 1\n}}",
              "{\"model\": {\n  // first\n  \"micro\": 16,\n  \"steps\": 2,\n  \"a\": 1\n}}"}},
            {"JSON in lines of several",
             {"{\"model\": {\n  \"micro\": 4, \"a\": 1\n}}",
              "{\"model\": {\n  \"steps\": 2,\n  \"micro\": 16, \"a\": 1\n}}"}},
            {"JSON with comments",
             {"{\n  // a config\n  \"model\": {\"micro\": 4, /* here */ \"steps\": 8}\n}",
              "{\n  // a config\n  \"model\": {\"micro\": 16, /* here */ \"steps\": 2}\n}"}},
            {"quoted", {"model:\n  micro: \"4\"\n  steps: '8'\n", "model:\n  micro: 16\n  steps: 2\n"}},
        });
    }
    void changesInOrder()
    {
        const auto& [before, after] = row<std::string, std::string>();
        const YamlDocument document(before);
        const SplicedText changed =
            withEntries(document, Dialect::PyYaml,
                        {{.section = {"model"}, .key = "micro", .value = "16"},
                         {.section = {"model"}, .key = "steps", .value = "2", .below = "micro"}});
        QCOMPARE(changed.text, after);
    }

    void replacesAnInterpolation()
    {
        const YamlDocument document("sizes: {micro: 4}\nmicro: ${sizes.micro}\nagain: ${micro}\n");
        const SplicedText changed =
            withEntries(document, Dialect::OmegaConf, {{.key = "micro", .value = "16"}});
        QCOMPARE(changed.text, std::string("sizes: {micro: 4}\nmicro: 16\nagain: ${micro}\n"));
        QCOMPARE(changed.notes.size(), std::size_t{2});
        QVERIFY2(changed.notes.front().starts_with("Line 3 (again)"), changed.notes.front().c_str());
        QVERIFY(changed.notes.back().find("was ${sizes.micro}") != std::string::npos);
    }

    void notesInterpolationsOfTheEntry()
    {
        const YamlDocument document("micro: 4\nagain: ${micro}\nother: x\n");
        const SplicedText changed =
            withEntries(document, Dialect::OmegaConf, {{.key = "micro", .value = "16"}});
        QCOMPARE(changed.notes.size(), std::size_t{1});
        QVERIFY2(changed.notes.front().starts_with("Line 2 (again)"), changed.notes.front().c_str());
    }

    void requiresTheSection()
    {
        const YamlDocument document("a: 1\n");
        QVERIFY_THROWS_EXCEPTION(
            ConfigError,
            withEntries(document, Dialect::PyYaml, {{.section = {"model"}, .key = "micro", .value = "1"}}));
    }
};

BATCHPEAK_TEST(EntryChangeTest)
#include "tst_entry_change.moc"
