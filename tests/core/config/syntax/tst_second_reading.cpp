// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_document.h"
#include "config/syntax/second_reading.h"
#include "support/test_main.h"

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

/// What is said against the second text; empty where nothing is.
QString refusal(const std::string& before, const std::string& after)
{
    try {
        requireSecondReading(YamlDocument(before), YamlDocument(after));
        return {};
    } catch (const ConfigError& error) {
        return QString::fromUtf8(error.what());
    }
}

} // namespace

/// yaml-cpp's opinion on a text before it is written.
class SecondReadingTest : public QObject
{
    Q_OBJECT

private slots:
    void agrees_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        const auto row = [](const char* name, const char* before, const char* after) {
            QTest::newRow(name) << QByteArray(before) << QByteArray(after);
        };
        row("another number", "a: 4\nb: x\n", "a: 8\nb: x\n");
        row("another entry", "a: 4\n", "a: 4\nb: false\n");
        row("nulls", "a: ~\nb:\nc: null\nd: 'null'\n", "a: 1\nb:\nc: null\nd: 'null'\n");
        row("words of YAML 1.1", "a: 4\nb: yes\nc: 010\nd: 1:30\n", "a: 5\nb: yes\nc: 010\nd: 1:30\n");
        row("anchors and aliases", "x: &x {a: 1}\ny: *x\nz: 4\n", "x: &x {a: 1}\ny: *x\nz: 5\n");
        row("merge keys", "x: &x {a: 1}\ny: {<<: *x, b: 4}\n", "x: &x {a: 1}\ny: {<<: *x, b: 5}\n");
        row("a key twice", "a: 1\na: 2\nb: 4\n", "a: 1\na: 2\nb: 5\n");
        row("block scalars", "a: |\n  x\n  y\nb: >\n  x\n  y\nc: 4\n",
            "a: |\n  x\n  y\nb: >\n  x\n  y\nc: 5\n");
        row("tags", "a: !!str 4\nb: !x y\nc: 4\n", "a: !!str 4\nb: !x y\nc: 5\n");
        row("JSON with comments", "{\"a\": 4, // x\n\"b\": \"\\/\"}", "{\"a\": 5, // x\n\"b\": \"\\/\"}");
        row("a byte order mark",
            "\xEF\xBB\xBF"
            "a: 4\n",
            "\xEF\xBB\xBF"
            "a: 5\n");
        row("lines of Windows", "a: 4\r\nb: x\r\n", "a: 5\r\nb: x\r\n");
        row("lines of old Macs", "a: 4\rb: x\r", "a: 5\rb: x\r");
        row("what was read otherwise before", "a: 4\nb: \"x\xC2\x85y\"\n", "a: 5\nb: \"x\xC2\x85y\"\n");
        row("what was refused before",
            "a: 4\xC2\x85"
            "b: x\n",
            "a: 5\xC2\x85"
            "b: x\n");
    }
    void agrees()
    {
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        QCOMPARE(refusal(before.toStdString(), after.toStdString()), QString());
    }

    void refusesWhatIsReadOtherwise_data()
    {
        QTest::addColumn<QByteArray>("after");
        QTest::addColumn<QStringList>("parts");
        // The next-line character ends a line for YAML 1.1, and not for YAML 1.2.
        QTest::newRow("a value") << QByteArray("a: \"x\xC2\x85y\"\nb: x\n")
                                 << QStringList{QStringLiteral("(libyaml) reads \"x y\" in"),
                                                QStringLiteral("(yaml-cpp) reads \"x\u0085y\",")};
        QTest::newRow("another structure") << QByteArray("a: 4\xC2\x85"
                                                         "b: x\n")
                                           << QStringList{QStringLiteral("refused by another (yaml-cpp)")};
    }
    void refusesWhatIsReadOtherwise()
    {
        QFETCH(QByteArray, after);
        QFETCH(QStringList, parts);
        const QString sentence = refusal("a: 4\nb: x\n", after.toStdString());
        for (const QString& part : parts)
            QVERIFY2(sentence.contains(part), qPrintable(sentence));
        QVERIFY(sentence.endsWith(QLatin1Char('.')));
    }

    /// Real configs of every trainer, each with a size in it.
    void refusesNoRealConfig_data()
    {
        QTest::addColumn<QString>("file");
        const QString folder = QStringLiteral(BATCHPEAK_SHARED_CONFIGS "/../corpus");
        QDirIterator files(folder,
                           {QStringLiteral("*.yaml"), QStringLiteral("*.yml"), QStringLiteral("*.json")},
                           QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString file = files.next();
            QTest::newRow(qPrintable(file.mid(folder.size() + 1))) << file;
        }
        if (!QDir(folder).exists())
            QSKIP("The collection of real configs is not here.");
    }
    void refusesNoRealConfig()
    {
        QFETCH(QString, file);
        std::unique_ptr<const ConfigDocument> config;
        SplicedText spliced;
        try {
            config = recognise(textOfFile(file));
            spliced = config->withMicroBatchSize({.microBatchSize = 1});
        } catch (const ConfigError& error) {
            const QString sentence = QString::fromUtf8(error.what());
            QVERIFY2(!sentence.contains(QStringLiteral("yaml-cpp")), qPrintable(sentence));
        }
    }
};

BATCHPEAK_TEST(SecondReadingTest)
#include "tst_second_reading.moc"
