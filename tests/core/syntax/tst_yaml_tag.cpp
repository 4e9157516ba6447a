// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "syntax/yaml_edit.h"
#include "syntax/yaml_scalar.h"
#include "syntax/yaml_tag.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QTest>

#include <string>
#include <vector>

using namespace batchpeak::config;

namespace {

struct Reading
{
    std::string name;
    std::string text;
    /// Value of "a" as Python prints it.
    std::string value;
};

const std::vector<Reading>& readings()
{
    static const std::vector<Reading> all{
        {"no tag", "a: 8", "8"},
        {"a text", "a: !!str 8", "'8'"},
        {"a text of nothing", "a: !!str", "''"},
        {"a text behind an anchor", "a: &x !!str 8", "'8'"},
        {"a text before an anchor", "a: !!str &x 8", "'8'"},
        {"a text by its whole tag", "a: !<tag:yaml.org,2002:str> 8", "'8'"},
        {"a text by a handle", "%TAG !x! tag:yaml.org,2002:\n---\na: !x!str 8", "'8'"},
        {"nothing", "a: !!null", "None"},
        {"nothing, whatever is written", "a: !!null 8", "None"},
        {"a number", "a: !!int 8", "8"},
        {"a number in quotes", "a: !!int '8'", "8"},
        {"a hexadecimal number", "a: !!int \"0x10\"", "16"},
        {"no number", "a: !!int explore", "refused"},
        {"no whole number", "a: !!int 8.5", "refused"},
        {"a fraction", "a: !!float 8", "8.000000"},
        {"a fraction in quotes", "a: !!float '1e3'", "1000.000000"},
        {"no fraction", "a: !!float explore", "refused"},
        {"a boolean", "a: !!bool YeS", "True"},
        {"a boolean in quotes", "a: !!bool 'off'", "False"},
        {"no boolean", "a: !!bool 8", "refused"},
        {"the non-specific tag", "a: ! 8", "8"},
        {"the non-specific tag before quotes", "a: ! '8'", "8"},
        {"somebody's tag", "a: !mine 8", "refused"},
        {"bytes", "a: !!binary aGk=", "refused"},
        {"a date", "a: !!timestamp 2001-01-01", "refused"},
        {"an object of Python", "a: !!python/name:os.system", "refused"},
        {"a list", "a: !!seq [1]", "a list"},
        {"a mapping", "a: !!map {b: 1}", "a mapping"},
        {"a set", "a: !!set {b, c}", "refused"},
        {"a mapping that is a list", "a: !!map [1]", "refused"},
        {"a text that is a list", "a: !!str [1]", "refused"},
    };
    return all;
}

std::string readingOf(const YamlNode& node)
{
    if (!hasReadableTag(node))
        return "refused";
    if (node.kind == NodeKind::Sequence)
        return "a list";
    if (node.kind == NodeKind::Mapping)
        return "a mapping";
    if (isNull(node))
        return "None";
    if (const auto boolean = asBoolean(node))
        return *boolean ? "True" : "False";
    if (const auto integer = asInteger(node))
        return std::to_string(*integer);
    if (const auto number = asNumber(node))
        return std::to_string(*number);
    return "'" + node.value + "'";
}

struct Writing
{
    std::string name;
    std::string before;
    std::string after;
};

const std::vector<Writing>& writings()
{
    static const std::vector<Writing> all{
        {"a word", "a: !!str explore # c\n", "a: 24 # c\n"},
        {"a word in quotes", "a: !!str 'explore'\n", "a: 24\n"},
        {"nothing with a word", "a: !!null explore\n", "a: 24\n"},
        {"nothing", "a: !!null\nb: 1\n", "a: 24\nb: 1\n"},
        {"nothing, on a line of its own", "a:\n  !!null\nb: 1\n", "a: 24\n  \nb: 1\n"},
        {"nothing, before an anchor", "a: !!null &x # c\nb: *x\n", "a: &x 24 # c\nb: *x\n"},
        {"nothing, behind an anchor", "a: &x !!null\nb: *x\n", "a: &x 24\nb: *x\n"},
        {"a fraction", "a: !!float 8\n", "a: 24\n"},
        {"behind an anchor", "a: &x !!str explore\nb: *x\n", "a: &x 24\nb: *x\n"},
        {"before an anchor", "a: !!str &x explore\nb: *x\n", "a: &x 24\nb: *x\n"},
        {"a mapping in braces", "a: !!map {explore: {min: 1}}\n", "a: 24\n"},
        {"a mapping on lines", "a: !!map\n  explore: 1\nb: 2\n", "a: 24\nb: 2\n"},
        {"a value on the next line", "a: !!str\n  explore\n", "a:\n  24\n"},
        {"all on the next line", "a:\n  !!str explore\n", "a:\n  24\n"},
        {"a comment with a tag", "a: # !!null\n  !!str explore\n", "a: # !!null\n  24\n"},
        {"in braces", "{a: !!str explore, b: 1}\n", "{a: 24, b: 1}\n"},
        {"a tag of the key", "!!str a: !!str explore\n", "!!str a: 24\n"},
        {"the non-specific tag", "a: ! 'explore'\n", "a: 24\n"},
        {"by its whole tag", "a: !<tag:yaml.org,2002:str> explore\n", "a: 24\n"},
    };
    return all;
}

/// Returns the result of a Python expression for each text, as one of Python's readers reads it; empty if
/// Python or the reader is not installed.
QStringList resultsOfPython(const QString& reader, const QString& expression,
                            const std::vector<std::string>& texts)
{
    QJsonArray all;
    for (const std::string& text : texts)
        all.append(QString::fromStdString(text));
    QProcess python;
    python.start(QStringLiteral("python3"),
                 {QStringLiteral("-c"),
                  QStringLiteral("import json, sys\n%1\n"
                                 "def said(text):\n"
                                 "    try:\n"
                                 "        a = load(text)['a']\n"
                                 "    except Exception:\n"
                                 "        return 'refused'\n"
                                 "    return %2\n"
                                 "print(json.dumps([said(text) for text in json.load(sys.stdin)]))\n")
                      .arg(reader, expression)});
    python.write(QJsonDocument(all).toJson());
    python.closeWriteChannel();
    QStringList results;
    if (!python.waitForFinished(-1) || python.exitCode() != 0)
        return results;
    for (const auto& value : QJsonDocument::fromJson(python.readAllStandardOutput()).array())
        results << value.toString();
    return results;
}

const QString pyYaml = QStringLiteral("import yaml; load = yaml.safe_load");
const QString ruamel =
    QStringLiteral("from ruamel.yaml import YAML; load = YAML(typ='safe', pure=True).load");

} // namespace

/// Tests how the tags of values affect them, and what remains of the tags when a value is written.
class YamlTagTest : public QObject
{
    Q_OBJECT

private slots:
    void isRead_data()
    {
        const auto add = rows<Reading>();
        for (const Reading& reading : readings())
            add(reading.name, reading);
    }
    void isRead()
    {
        const auto& [name, text, value] = row<Reading>();
        const YamlDocument document(text);
        QCOMPARE(readingOf(*document.root().children[1]), value);
    }

    void isReadAsPyYamlReadsIt()
    {
        std::vector<std::string> texts;
        for (const Reading& reading : readings())
            texts.push_back(reading.text);
        const QStringList results = resultsOfPython(
            pyYaml,
            QStringLiteral("'a list' if type(a) is list else 'a mapping' if type(a) is dict else '%f' % a if "
                           "type(a) is float else repr(a) if a is None or type(a) in (bool, int, str) else "
                           "'refused'"),
            texts);
        if (results.isEmpty())
            QSKIP("There is no Python with PyYAML.");
        for (std::size_t i = 0; i < texts.size(); ++i)
            QCOMPARE(texts[i] + ": " + results.value(qsizetype(i)).toStdString(),
                     texts[i] + ": " + readings()[i].value);
    }

    void isRemovedWithTheOldValue_data()
    {
        const auto add = rows<Writing>();
        for (const Writing& writing : writings())
            add(writing.name, writing);
    }
    void isRemovedWithTheOldValue()
    {
        const auto& [name, before, after] = row<Writing>();
        const YamlDocument document(before);
        const auto written = applied(document, replaceValue(document, *document.root().children[1], "24"));
        QCOMPARE(written->text(), after);
        QCOMPARE(readingOf(*written->root().children[1]), std::string("24"));
        requireSecondReading(document, *written);
    }

    void leavesANumberForOtherReaders_data() { rows<QString>({{"PyYAML", pyYaml}, {"ruamel.yaml", ruamel}}); }
    void leavesANumberForOtherReaders()
    {
        std::vector<std::string> texts;
        for (const Writing& writing : writings())
            texts.push_back(writing.after);
        const QStringList results = resultsOfPython(row<QString>(), QStringLiteral("repr(a)"), texts);
        if (results.isEmpty())
            QSKIP("There is no Python with this reader.");
        QCOMPARE(results, QStringList(qsizetype(texts.size()), QStringLiteral("24")));
    }
};

BATCHPEAK_TEST(YamlTagTest)
#include "tst_yaml_tag.moc"
