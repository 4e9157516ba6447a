// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/syntax/yaml_document.h"
#include "support/test_main.h"

#include "config/config_document.h"
#include "config/syntax/yaml_scalar.h"

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

/// Nine levels, each of nine aliases of the level before: 9^9 values when expanded.
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
    void refusesWhatIsNoConfig_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("named");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        const auto row = [](const char* name, const std::string& text, const char* named, int line,
                            int column) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << QString::fromLatin1(named) << line
                                << column;
        };
        row("empty", "", "empty", 1, 1);
        row("blank", " \n\t\r\n", "empty", 1, 1);
        row("byte order mark alone", "\xEF\xBB\xBF\n", "empty", 1, 1);
        row("comments alone", "# one\n# two\n", "only comments", 0, 0);
        row("too long", std::string(maxConfigBytes, 'a'), "bytes", 1, 1);
        row("a second document", "a: 1\n---\nb: 2\n", "second document", 2, 1);
        row("an open list", "a: [1, 2\nb: 3\n", "not valid YAML", 2, 2);
        row("an unknown alias", "a: 1\nb: *c\n", "No anchor of this name", 2, 4);
        row("an alias of what holds it", "a: &a\n  - 1\n  - *a\n", "never ends", 3, 5);
        row("a tab as indent", "a:\n\tb: 1\n\tc: 2\n", "not valid YAML", 2, 1);
        row("Latin-1", "a: caf\xE9\n", "not UTF-8", 1, 7);
        row("cut in a character", "a: \xC3", "not UTF-8", 1, 4);
        row("an overlong character", "a: \xC0\xAF\n", "not UTF-8", 1, 4);
        row("a surrogate", "a: \xED\xA0\x80\n", "not UTF-8", 1, 4);
        row("above Unicode", "a: \xF5\x80\x80\x80\n", "not UTF-8", 1, 4);
        row("UTF-16", std::string("a\0:\0 \0001\0", 8), "control character", 1, 2);
        row("a program",
            std::string("\x7F"
                        "ELF\x02\x01",
                        6),
            "control character", 1, 1);
        row("nested lists", repeated("[", 100000), "levels deep", 1, 65);
        row("nested blocks", repeated("- ", 100000) + "1", "levels deep", 1, 129);
        row("nested mappings", repeated("{a: ", 5000), "levels deep", 1, 257);
        row("nested keys", repeated("? ", 5000), "levels deep", 1, 129);
        row("too many values", "a: [" + repeated("1,", 300000) + "1]", "values", 1, 399999);
    }
    void refusesWhatIsNoConfig()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, named);
        try {
            const YamlDocument document(text.toStdString());
            QFAIL("was not refused");
        } catch (const ConfigError& error) {
            QVERIFY2(QString::fromUtf8(error.what()).contains(named), error.what());
            QTEST(error.position().line, "line");
            QTEST(error.position().column, "column");
        }
    }

    void expandsNoAliases()
    {
        const YamlDocument document(aliasBomb());
        QCOMPARE(document.nodes().size(), std::size_t{1 + 10 * 2 + 2 + 9 * 9});
    }

    void placesAreLinesAndCharacters_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        QTest::newRow("line feeds") << QByteArray("a: 1\nb: 2\n") << 2 << 4;
        QTest::newRow("carriage returns and line feeds") << QByteArray("a: 1\r\nb: 2\r\n") << 2 << 4;
        QTest::newRow("byte order mark") << QByteArray("\xEF\xBB\xBF"
                                                       "a: 1\nb: 2\n")
                                         << 2 << 4;
        QTest::newRow("umlauts") << QByteArray("a: 1\n\"\xC3\xA4\xC3\xB6\": 2\n") << 2 << 7;
        QTest::newRow("behind an anchor") << QByteArray("a: 1\nb: &x 2\n") << 2 << 7;
        QTest::newRow("behind a tag") << QByteArray("a: 1\nb: !!int &x 2\n") << 2 << 13;
        QTest::newRow("below its key") << QByteArray("a: 1\nb:\n  2\n") << 3 << 3;
    }
    void placesAreLinesAndCharacters()
    {
        QFETCH(QByteArray, text);
        const YamlDocument document(text.toStdString());
        QCOMPARE(valueAt(document, 1).value, std::string("2"));
        const TextPosition position = document.positionOf(valueAt(document, 1));
        QTEST(position.line, "line");
        QTEST(position.column, "column");
    }

    void tellsNullFromNothing_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("written");
        QTest::newRow("null") << QByteArray("a: null\nb: 1") << QStringLiteral("null");
        QTest::newRow("tilde") << QByteArray("a: ~") << QStringLiteral("~");
        QTest::newRow("in braces") << QByteArray("{a: null, b: 1}") << QStringLiteral("null");
        QTest::newRow("with a comment") << QByteArray("a: null# no comment\n") << QString();
        QTest::newRow("nothing") << QByteArray("a:\nb: 1") << QString();
        QTest::newRow("nothing before a key called null") << QByteArray("a:\nnull: 1") << QString();
        QTest::newRow("nothing before a key called null, blank behind")
            << QByteArray("a:\nnull : 1") << QString();
        QTest::newRow("nothing at the end of the text") << QByteArray("a:") << QString();
        QTest::newRow("nothing but a comment") << QByteArray("a: # null\n") << QString();
        QTest::newRow("nothing behind an anchor") << QByteArray("a: &x\nnull: 1") << QString();
        QTest::newRow("nothing in braces") << QByteArray("{a: , null: 1}") << QString();
    }
    void tellsNullFromNothing()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, written);
        const YamlDocument document(text.toStdString());
        const YamlNode& value = valueAt(document, 0);
        if (!text.contains("no comment"))
            QVERIFY(isNull(value));
        if (isNull(value)) {
            QCOMPARE(QString::fromStdString(value.value), written);
            QCOMPARE(value.empty, written.isEmpty());
        }
    }

    void readsScalarsLikePyYaml_data()
    {
        QTest::addColumn<QByteArray>("scalar");
        QTest::addColumn<QString>("meaning");
        const auto row = [](const char* scalar, const char* meaning) {
            QTest::newRow(scalar) << QByteArray(scalar) << QString::fromLatin1(meaning);
        };
        row("12", "integer 12");
        row("-3", "integer -3");
        row("+3", "integer 3");
        row("1_000", "integer 1000");
        row("0x1F", "integer 31");
        row("0b101", "integer 5");
        row("010", "integer 8");
        row("08", "number 8");
        row("1:30", "text");
        row("_1", "text");
        row("--1", "text");
        row("9223372036854775807", "integer 9223372036854775807");
        row("9223372036854775808", "too large");
        row("-9223372036854775809", "too large");
        row("2e-5", "number 2e-05");
        row("1.0e-5", "number 1e-05");
        row("3.5", "number 3.5");
        row(".5", "number 0.5");
        row(".inf", "text");
        row("inf", "text");
        row("1.2.3", "text");
        row("True", "true");
        row("yes", "true");
        row("ON", "true");
        row("no", "false");
        row("Off", "false");
        row("FALSE", "false");
        row("tRUE", "text");
        row("y", "text");
        row("~", "null");
        row("Null", "null");
        row("None", "text");
        row("\"12\"", "text");
        row("'null'", "text");
        row("\"True\"", "text");
        row("\"\"", "text");
    }
    void readsScalarsLikePyYaml()
    {
        QFETCH(QByteArray, scalar);
        const YamlDocument document("a: " + scalar.toStdString() + "\n");
        const YamlNode& value = valueAt(document, 0);
        QString meaning = QStringLiteral("text");
        const IntegerReading integer = asInteger(value);
        if (isNull(value))
            meaning = QStringLiteral("null");
        else if (const auto boolean = asBoolean(value))
            meaning = *boolean ? QStringLiteral("true") : QStringLiteral("false");
        else if (integer.problem == IntegerProblem::TooLarge)
            meaning = QStringLiteral("too large");
        else if (integer.problem == IntegerProblem::None)
            meaning = QStringLiteral("integer %1").arg(integer.value);
        else if (const auto number = asNumber(value))
            meaning = QStringLiteral("number %1").arg(*number);
        QTEST(meaning, "meaning");
    }
};

BATCHPEAK_TEST(YamlDocumentTest)
#include "tst_yaml_document.moc"
