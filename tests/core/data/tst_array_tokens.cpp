// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/token_source.h"
#include "npy_bytes.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <memory>
#include <sys/stat.h>

using namespace batchpeak::data;

namespace {

constexpr TokenShape shape{.length = 4, .vocabularySize = 100};

} // namespace

class ArrayTokensTest : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<QTemporaryDir> m_folder;

    void write(const char* name, const QByteArray& bytes) const
    {
        QVERIFY(writeFile(m_folder->filePath(QString::fromLatin1(name)), bytes));
    }

    std::unique_ptr<TokenSource> opened(const TokenShape& wanted = shape) const
    {
        return arrayTokens(wanted, m_folder->path().toStdString());
    }

    using Row = std::vector<std::int64_t>;

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void splitsEachArraySeparately()
    {
        write("b.npy", npyOf("(9,)", {1, 2, 3, 4, 5, 6, 7, 8, 9}));
        write("a.npy", npyOf("(5,)", {10, 20, 30, 40, 50}));
        write("c.npy", npyOf("(3,)", {1, 2, 3}));
        write("d.npy", npyOf("(0,)", {}));
        write("e.npy", npyOf("(4,)", {6, 7, 8, 9}));
        write("notes.txt", "not an array");
        const auto source = opened();
        QCOMPARE(source->samples(), 4);
        QVERIFY(source->row(3) == (Row{6, 7, 8, 9}));
        QVERIFY(source->row(0) == (Row{10, 20, 30, 40}));
        QVERIFY(source->row(1) == (Row{1, 2, 3, 4}));
        QVERIFY(source->row(2) == (Row{5, 6, 7, 8}));
    }

    void treatsRowsAsSamples()
    {
        write("long.npy", npyOf("(2, 5)", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
        write("short.npy", npyOf("(2, 3)", {11, 12, 13, 14, 15, 16}));
        const auto source = opened();
        QCOMPARE(source->samples(), 4);
        QVERIFY(source->row(0) == (Row{1, 2, 3, 4}));
        QVERIFY(source->row(1) == (Row{6, 7, 8, 9}));
        QVERIFY(source->row(2) == (Row{11, 12, 13, noToken}));
        QVERIFY(source->row(3) == (Row{14, 15, 16, noToken}));
    }

    void namesATokenOutsideTheVocabulary_data()
    {
        rows<QByteArray, QString>(
            {{"one dimension",
              {npyOf("(8,)", {1, 2, 3, 4, 5, 6, 100, 8}), QStringLiteral("array.npy holds 100 at [6], ")}},
             {"two dimensions",
              {npyOf("(2, 4)", {1, 2, 3, 4, 5, 6, 100, 8}),
               QStringLiteral("array.npy holds 100 at [1, 2], ")}},
             {"negative",
              {npyHeader(npyDictionary("|i1", "(8,)")) + QByteArray(7, '\1') + '\xff',
               QStringLiteral("array.npy holds -1 at [7], ")}}});
    }
    void namesATokenOutsideTheVocabulary()
    {
        const auto& [bytes, named] = row<QByteArray, QString>();
        write("array.npy", bytes);
        const auto source = opened();
        QCOMPARE(source->row(0).size(), std::size_t{4});
        const QString refusal = refusalOf([&] { source->row(1); });
        VERIFY_CONTAINS(refusal, named);
        VERIFY_CONTAINS(refusal, "from 0 to 99");
    }

    void refusesAFolderWithoutSamples_data()
    {
        rows<QByteArray, QByteArray, QString>(
            {{"no array", {"text.txt", "text", QStringLiteral("holds no .npy file")}},
             {"short arrays",
              {"a.npy", npyOf("(3,)", {1, 2, 3}), QStringLiteral("hold no sample: one takes 4 tokens")}},
             {"no rows", {"a.npy", npyOf("(0, 9)", {}), QStringLiteral("hold no sample")}},
             {"rows of one token",
              {"a.npy", npyOf("(2, 1)", {1, 2}), QStringLiteral("rows of fewer than 2 tokens")}},
             {"no array by its content", {"a.npy", "this is a text", QStringLiteral("no array of NumPy")}}});
    }
    void refusesAFolderWithoutSamples()
    {
        const auto& [name, bytes, named] = row<QByteArray, QByteArray, QString>();
        write(name.constData(), bytes);
        const QString refusal = refusalOf([&] { opened(); });
        VERIFY_CONTAINS(refusal, named);
        QVERIFY2(refusal.endsWith(QLatin1Char('.')), qPrintable(refusal));
    }

    void refusesUnusablePaths()
    {
        VERIFY_CONTAINS(refusalOf([&] { opened(); }), "holds no .npy file");
        const std::string absent = m_folder->path().toStdString() + "/absent";
        VERIFY_CONTAINS(refusalOf([&] { arrayTokens(shape, absent); }), "No such file");
        write("a.npy", npyOf("(4,)", {1, 2, 3, 4}));
        const std::string file = m_folder->path().toStdString() + "/a.npy";
        VERIFY_CONTAINS(refusalOf([&] { arrayTokens(shape, file); }), "Not a directory");
        QVERIFY(QDir(m_folder->path()).mkdir(QStringLiteral("c.npy")));
        VERIFY_CONTAINS(refusalOf([&] { opened(); }), "c.npy is no regular file");
        const QString pipe = m_folder->filePath(QStringLiteral("b.npy"));
        QCOMPARE(::mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
        VERIFY_CONTAINS(refusalOf([&] { opened(); }), "b.npy is no regular file");
    }

    void refusesANetworkWithoutTokens()
    {
        write("a.npy", npyOf("(4,)", {1, 2, 3, 4}));
        VERIFY_CONTAINS(refusalOf([&] { opened({}); }), "not made of tokens");
    }

    // There are more files than a process may have open.
    void readsManyFiles()
    {
        for (int i = 0; i < 1500; ++i) {
            const QString name = QStringLiteral("%1.npy").arg(i, 4, 10, QLatin1Char('0'));
            QVERIFY(writeFile(m_folder->filePath(name), npyOf("(4,)", {std::uint16_t(i % 100), 1, 2, 3})));
        }
        const auto source = opened();
        QCOMPARE(source->samples(), 1500);
        QVERIFY(source->row(1234) == (Row{34, 1, 2, 3}));
    }
};

BATCHPEAK_TEST(ArrayTokensTest)
#include "tst_array_tokens.moc"
