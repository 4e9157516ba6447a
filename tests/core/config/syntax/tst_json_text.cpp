// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/syntax/json_text.h"
#include "config/syntax/yaml_document.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak::config;

class JsonTextTest : public QObject
{
    Q_OBJECT

private slots:
    void looksLikeJson_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("isJson");
        QTest::newRow("braces") << QByteArray("{\"a\": 1}") << true;
        QTest::newRow("blanks and a byte order mark") << QByteArray("\xEF\xBB\xBF \r\n\t{}") << true;
        QTest::newRow("behind comments") << QByteArray("// one\n/* two\n */ # three\n{}") << true;
        QTest::newRow("YAML") << QByteArray("a: {b: 1}\n") << false;
        QTest::newRow("a list") << QByteArray("[1]") << false;
        QTest::newRow("an open comment") << QByteArray("/* {") << false;
        QTest::newRow("nothing") << QByteArray("") << false;
    }
    void looksLikeJson()
    {
        QFETCH(QByteArray, text);
        QTEST(batchpeak::config::looksLikeJson(text.toStdString()), "isJson");
    }

    void readsValuesWhereTheyStand_data()
    {
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const char* name, const char* text) { QTest::newRow(name) << QByteArray(text); };
        row("plain", "{\"size\": 24}");
        row("no blank", "{\"size\":24}");
        row("tabs", "{\n\t\"size\":\t24\n}");
        row("line comment", "{ // \"size\": 1\n  \"size\": 24}");
        row("line comment behind", "{\"a\": 1, // \"size\": 3 }\r\n \"size\": 24}");
        row("block comment", "{/* \"size\": 5, */ \"size\": 24}");
        row("slashes in a text", "{\"a\": \"http://x/*y\", \"size\": 24}");
        row("an escaped quote", "{\"a\": \"\\\"// \", \"size\": 24}");
        row("an escaped character beyond 16 bits", "{\"a\": \"\\ud83d\\ude00\", \"size\": 24}");
        row("slashes in quotation marks that YAML has alone", "{'a': 'x // y /* z', \"size\": 24}");
        row("a slash in an escape", "{\"a\": \"\\/\", \"size\": 24}");
        row("characters of several bytes", "{\"a\": \"\xE4\xB8\xAD\", \"size\": 24}");
    }
    void readsValuesWhereTheyStand()
    {
        QFETCH(QByteArray, text);
        const YamlDocument document(text.toStdString());
        QVERIFY(document.isJson());
        const YamlNode& value = *document.root().children.back();
        QCOMPARE(value.value, std::string("24"));
        QCOMPARE(text.mid(int(value.begin), int(value.end - value.begin)), QByteArray("24"));
        QCOMPARE(document.text(), text.toStdString());
    }

    void refusesWhatJsonIsNot_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("withComments");
        QTest::addColumn<int>("column");
        QTest::newRow("a comma before a brace") << QByteArray("{\"a\": 1,}") << true << 9;
        QTest::newRow("no quotes") << QByteArray("{a: 1}") << true << 2;
        QTest::newRow("a comment where none may be") << QByteArray("{ // x\n}") << false << 3;
        QTest::newRow("True") << QByteArray("{\"a\": True}") << true << 7;
        QTest::newRow("behind the end") << QByteArray("{\"a\": 1} 2") << true << 10;
    }
    void refusesWhatJsonIsNot()
    {
        QFETCH(QByteArray, text);
        QFETCH(bool, withComments);
        QFETCH(int, column);
        try {
            requireJson(text.toStdString(), withComments ? JsonComments::Allowed : JsonComments::Refused);
            QFAIL("it was taken for JSON");
        } catch (const ConfigError& error) {
            QCOMPARE(error.position().line, 1);
            QCOMPARE(error.position().column, column);
        }
    }

    void takesCommentsWhereTheyMayBe() { requireJson("{ // x\n \"a\": /* y */ 1}", JsonComments::Allowed); }
};

BATCHPEAK_TEST(JsonTextTest)
#include "tst_json_text.moc"
