// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_document.h"
#include "support/error_of.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "syntax/yaml_edit.h"

#include <QDirIterator>
#include <QFile>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

std::string textOfFile(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

/// Returns the error message for the second text; empty if it is accepted.
std::string refusal(const std::string& before, const std::string& after)
{
    try {
        requireSecondReading(YamlDocument(before), YamlDocument(after));
        return {};
    } catch (const ConfigError& error) {
        return error.what();
    }
}

} // namespace

/// Tests the check of a text by yaml-cpp, before the text is written.
class SecondReadingTest : public QObject
{
    Q_OBJECT

private slots:
    void agrees_data()
    {
        rows<std::string, std::string>({
            {"another number", {"a: 4\nb: x\n", "a: 8\nb: x\n"}},
            {"another entry", {"a: 4\n", "a: 4\nb: false\n"}},
            {"nulls", {"a: ~\nb:\nc: null\nd: 'null'\n", "a: 1\nb:\nc: null\nd: 'null'\n"}},
            {"words of YAML 1.1", {"a: 4\nb: yes\nc: 010\nd: 1:30\n", "a: 5\nb: yes\nc: 010\nd: 1:30\n"}},
            {"anchors and aliases", {"x: &x {a: 1}\ny: *x\nz: 4\n", "x: &x {a: 1}\ny: *x\nz: 5\n"}},
            {"merge keys", {"x: &x {a: 1}\ny: {<<: *x, b: 4}\n", "x: &x {a: 1}\ny: {<<: *x, b: 5}\n"}},
            {"a key twice", {"a: 1\na: 2\nb: 4\n", "a: 1\na: 2\nb: 5\n"}},
            {"block scalars",
             {"a: |\n  x\n  y\nb: >\n  x\n  y\nc: 4\n", "a: |\n  x\n  y\nb: >\n  x\n  y\nc: 5\n"}},
            {"tags", {"a: !!str 4\nb: !x y\nc: 4\n", "a: !!str 4\nb: !x y\nc: 5\n"}},
            {"JSON with comments", {"{\"a\": 4, // x\n\"b\": \"\\/\"}", "{\"a\": 5, // x\n\"b\": \"\\/\"}"}},
            {"a byte order mark",
             {"\xEF\xBB\xBF"
              "a: 4\n",
              "\xEF\xBB\xBF"
              "a: 5\n"}},
            {"lines of Windows", {"a: 4\r\nb: x\r\n", "a: 5\r\nb: x\r\n"}},
            {"lines of old Macs", {"a: 4\rb: x\r", "a: 5\rb: x\r"}},
            {"what was read otherwise before", {"a: 4\nb: \"x\xC2\x85y\"\n", "a: 5\nb: \"x\xC2\x85y\"\n"}},
            {"what was refused before",
             {"a: 4\xC2\x85"
              "b: x\n",
              "a: 5\xC2\x85"
              "b: x\n"}},
        });
    }
    void agrees()
    {
        const auto& [before, after] = row<std::string, std::string>();
        QCOMPARE(refusal(before, after), std::string());
    }

    void refusesTextsThatAreReadDifferently_data()
    {
        // The next-line character ends a line in YAML 1.1, but not in YAML 1.2.
        rows<std::string, std::vector<std::string>>({
            {"a value",
             {"a: \"x\xC2\x85y\"\nb: x\n",
              {"(libyaml) reads \"x y\" in", "(yaml-cpp) reads \"x\xC2\x85y\","}}},
            {"a tag",
             {"a: 4\nb: !x%21y x\n", {"(libyaml) reads \"x\" with the tag !x!y in", "with the tag !x%21y,"}}},
            {"another structure",
             {"a: 4\xC2\x85"
              "b: x\n",
              {"refused by another (yaml-cpp)"}}},
        });
    }
    void refusesTextsThatAreReadDifferently()
    {
        const auto& [after, parts] = row<std::string, std::vector<std::string>>();
        const std::string sentence = refusal("a: 4\nb: x\n", after);
        for (const std::string& part : parts)
            QVERIFY2(sentence.find(part) != std::string::npos, sentence.c_str());
        QVERIFY(sentence.ends_with('.'));
    }

    /// Writes a size into real configs of every trainer.
    void acceptsRealConfigs_data()
    {
        const auto add = rows<QString>();
        const QString folder = QStringLiteral(BATCHPEAK_SHARED_CONFIGS "/../corpus");
        QDirIterator files(folder,
                           {QStringLiteral("*.yaml"), QStringLiteral("*.yml"), QStringLiteral("*.json")},
                           QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString file = files.next();
            add(file.mid(folder.size() + 1).toStdString(), file);
        }
        if (!QDir(folder).exists())
            QSKIP("The collection of real configs is not here.");
    }
    void acceptsRealConfigs()
    {
        const std::string text = textOfFile(row<QString>());
        QVERIFY(!text.empty());
        std::unique_ptr<const ConfigDocument> config;
        try {
            config = recognize(text);
        } catch (const ConfigError&) {
            QSKIP("This file is no config of a training run.");
        }
        // A config may have values that allow no such size, and the message says which to change. If the size
        // cannot be written or is read otherwise, the message asks to set it by hand.
        const QString refused =
            test::errorOf<ConfigError>([&] { (void)config->withMicroBatchSize({.microBatchSize = 1}); });
        QVERIFY2(!refused.contains(QStringLiteral("by hand")), qPrintable(refused));
    }
};

BATCHPEAK_TEST(SecondReadingTest)
#include "tst_second_reading.moc"
