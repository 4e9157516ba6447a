// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "syntax/json_text.h"
#include "syntax/yaml_document.h"

#include <QTest>

using namespace batchpeak::config;

class JsonTextTest : public QObject
{
    Q_OBJECT

private slots:
    void looksLikeJson_data()
    {
        rows<std::string, bool>({
            {"braces", {"{\"a\": 1}", true}},
            {"blanks and a byte order mark", {"\xEF\xBB\xBF \r\n\t{}", true}},
            {"behind comments", {"// one\n/* two\n */ # three\n{}", true}},
            {"YAML", {"a: {b: 1}\n", false}},
            {"a list", {"[1]", false}},
            {"an open comment", {"/* {", false}},
            {"nothing", {"", false}},
        });
    }
    void looksLikeJson()
    {
        const auto& [text, isJson] = row<std::string, bool>();
        QCOMPARE(batchpeak::config::looksLikeJson(text), isJson);
    }

    void reportsPositionsOfValues_data()
    {
        rows<std::string>({
            {"plain", "{\"size\": 24}"},
            {"no blank", "{\"size\":24}"},
            {"tabs", "{\n\t\"size\":\t24\n}"},
            {"line comment", "{ // \"size\": 1\n  \"size\": 24}"},
            {"line comment behind", "{\"a\": 1, // \"size\": 3 }\r\n \"size\": 24}"},
            {"block comment", "{/* \"size\": 5, */ \"size\": 24}"},
            {"slashes in a text", "{\"a\": \"http://x/*y\", \"size\": 24}"},
            {"an escaped quote", "{\"a\": \"\\\"// \", \"size\": 24}"},
            {"an escaped character beyond 16 bits", "{\"a\": \"\\ud83d\\ude00\", \"size\": 24}"},
            {"slashes in quotation marks that YAML has alone", "{'a': 'x // y /* z', \"size\": 24}"},
            {"a slash in an escape", "{\"a\": \"\\/\", \"size\": 24}"},
            {"characters of several bytes", "{\"a\": \"\xE4\xB8\xAD\", \"size\": 24}"},
        });
    }
    void reportsPositionsOfValues()
    {
        const auto& text = row<std::string>();
        const YamlDocument document(text);
        QVERIFY(document.isJson());
        const YamlNode& value = *document.root().children.back();
        QCOMPARE(value.value, std::string("24"));
        QCOMPARE(text.substr(value.begin, value.end - value.begin), std::string("24"));
        QCOMPARE(document.text(), text);
    }

    void refusesInvalidJson_data()
    {
        rows<std::string, bool, int>({
            {"a comma before a brace", {"{\"a\": 1,}", true, 9}},
            {"no quotes", {"{a: 1}", true, 2}},
            {"a comment where none may be", {"{ // x\n}", false, 3}},
            {"True", {"{\"a\": True}", true, 7}},
            {"behind the end", {"{\"a\": 1} 2", true, 10}},
        });
    }
    void refusesInvalidJson()
    {
        const auto& [text, withComments, column] = row<std::string, bool, int>();
        try {
            requireJson(text, withComments ? JsonComments::Allowed : JsonComments::Refused);
            QFAIL("it was taken for JSON");
        } catch (const ConfigError& error) {
            QCOMPARE(error.position().line, 1);
            QCOMPARE(error.position().column, column);
        }
    }

    void acceptsAllowedComments() { requireJson("{ // x\n \"a\": /* y */ 1}", JsonComments::Allowed); }
};

BATCHPEAK_TEST(JsonTextTest)
#include "tst_json_text.moc"
