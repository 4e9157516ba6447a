// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/token_source.h"
#include "npy_bytes.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

using namespace batchpeak::data;

class TextTokensTest : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    std::string written(const char* name, const QByteArray& bytes) const
    {
        const QString path = m_folder.filePath(QString::fromLatin1(name));
        return writeFile(path, bytes) ? path.toStdString() : std::string();
    }

private slots:
    void splitsBytesIntoRows()
    {
        const auto source =
            textTokens({.length = 4, .vocabularySize = 256}, written("text", "abcdefgh\xff\x00z"));
        QCOMPARE(source->samples(), 2);
        QVERIFY(source->row(1) == (std::vector<std::int64_t>{'e', 'f', 'g', 'h'}));
        QVERIFY(source->row(0) == (std::vector<std::int64_t>{'a', 'b', 'c', 'd'}));
    }

    void acceptsEveryByte()
    {
        QByteArray bytes;
        for (int byte = 0; byte < 256; ++byte)
            bytes += static_cast<char>(byte);
        const std::vector<std::int64_t> row =
            textTokens({.length = 256, .vocabularySize = 1000}, written("bytes", bytes))->row(0);
        for (std::int64_t byte = 0; byte < 256; ++byte)
            QCOMPARE(row[static_cast<std::size_t>(byte)], byte);
    }

    // A vector of the tokens of this file would not fit into memory, so only the requested rows must be read.
    void readsAHugeFileRowByRow()
    {
        const std::string path = written("huge", "begin");
        constexpr qint64 size = qint64{64} << 30;
        QVERIFY(QFile::resize(QString::fromStdString(path), size));
        const auto source = textTokens({.length = 5, .vocabularySize = 256}, path);
        QCOMPARE(source->samples(), size / 5);
        QVERIFY(source->row(0) == (std::vector<std::int64_t>{'b', 'e', 'g', 'i', 'n'}));
        QVERIFY(source->row(size / 5 - 1) == std::vector<std::int64_t>(5, 0));
    }

    void refusesUnusableFiles_data()
    {
        rows<QByteArray, std::int64_t, std::int64_t, QString>(
            {{"vocabulary", {"text", 4, 255, QStringLiteral("the vocabulary of this network has 255")}},
             {"too short", {"text", 12, 256, QStringLiteral("has 11 bytes, but one sample takes 12")}},
             {"empty", {"empty", 1, 256, QStringLiteral("has 0 bytes")}},
             {"absent", {"absent", 4, 256, QStringLiteral("No such file")}},
             {"folder", {".", 4, 256, QStringLiteral("no regular file")}},
             {"pipe", {"pipe", 4, 256, QStringLiteral("pipe is no regular file")}},
             {"images", {"text", 0, 0, QStringLiteral("not made of tokens")}}});
    }
    void refusesUnusableFiles()
    {
        const auto& [file, length, vocabulary, named] =
            row<QByteArray, std::int64_t, std::int64_t, QString>();
        written("text", "hello world");
        written("empty", "");
        ::mkfifo(QFile::encodeName(m_folder.filePath(QStringLiteral("pipe"))).constData(), 0600);
        const std::string path = m_folder.filePath(QString::fromUtf8(file)).toStdString();
        const QString refusal =
            refusalOf([&] { textTokens({.length = length, .vocabularySize = vocabulary}, path); });
        VERIFY_CONTAINS(refusal, named);
        QVERIFY2(refusal.endsWith(QLatin1Char('.')), qPrintable(refusal));
    }

    void reportsATruncatedFile()
    {
        const std::string path = written("shrinks", QByteArray(100, 'x'));
        const auto source = textTokens({.length = 10, .vocabularySize = 256}, path);
        QVERIFY(QFile::resize(QString::fromStdString(path), 55));
        QCOMPARE(source->row(4).size(), std::size_t{10});
        const QString refusal = refusalOf([&] { source->row(5); });
        VERIFY_CONTAINS(refusal, "shorter now");
    }
};

BATCHPEAK_TEST(TextTokensTest)
#include "tst_text_tokens.moc"
