// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/npy_array.h"
#include "npy_bytes.h"
#include "support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

using namespace batchpeak::data;

class NpyArrayTest : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    std::string written(const QByteArray& bytes) const
    {
        const QString path = m_folder.filePath(QStringLiteral("array.npy"));
        return writeFile(path, bytes) ? path.toStdString() : std::string();
    }

private slots:
    void readsEveryType_data()
    {
        QTest::addColumn<QByteArray>("type");
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<qint64>("first");
        QTest::addColumn<qint64>("second");
        const auto row = [](const char* type, const char* hexadecimal, qint64 first, qint64 second) {
            QTest::newRow(type) << QByteArray(type) << QByteArray::fromHex(hexadecimal) << first << second;
        };
        row("|u1", "01ff", 1, 255);
        row("|i1", "01ff", 1, -1);
        row("<u2", "0201ffff", 258, 65535);
        row(">u2", "0102ffff", 258, 65535);
        row("<i2", "0201feff", 258, -2);
        row(">i2", "0102fffe", 258, -2);
        row("<u4", "04030201ffffffff", 16909060, 4294967295);
        row(">u4", "01020304ffffffff", 16909060, 4294967295);
        row("<i4", "04030201fdffffff", 16909060, -3);
        row(">i4", "01020304fffffffd", 16909060, -3);
        row("<u8", "0807060504030201ffffffffffffff7f", 72623859790382856, INT64_MAX);
        row(">u8", "01020304050607087fffffffffffffff", 72623859790382856, INT64_MAX);
        row("<i8", "0807060504030201fcffffffffffffff", 72623859790382856, -4);
        row(">i8", "0102030405060708fffffffffffffffc", 72623859790382856, -4);
    }
    void readsEveryType()
    {
        QFETCH(QByteArray, type);
        QFETCH(QByteArray, bytes);
        QFETCH(qint64, first);
        QFETCH(qint64, second);
        const NpyArray array(written(npyHeader(npyDictionary(type, "(2,)")) + bytes));
        QVERIFY(array.shape() == std::vector<std::int64_t>{2});
        QVERIFY(array.read(0, 2) == (std::vector<std::int64_t>{first, second}));
        QVERIFY(array.read(1, 1) == std::vector<std::int64_t>{second});
    }

    void readsEveryHeader_data()
    {
        QTest::addColumn<QByteArray>("header");
        QTest::addColumn<QList<qint64>>("shape");
        const QByteArray plain = npyDictionary("|u1", "(2, 3)");
        for (const char version : {1, 2, 3})
            QTest::addRow("version %d", version) << npyHeader(plain, version) << QList<qint64>{2, 3};
        QTest::newRow("another order of keys")
            << npyHeader("{'shape': (6,), 'fortran_order': False, 'descr': '|u1'}") << QList<qint64>{6};
        QTest::newRow("double quotes, no spaces")
            << npyHeader("{\"descr\":\"|u1\",\"fortran_order\":False,\"shape\":(3,2)}")
            << QList<qint64>{3, 2};
        QTest::newRow("one column of one dimension is no order of columns")
            << npyHeader("{'descr': '|u1', 'fortran_order': True, 'shape': (6,), }") << QList<qint64>{6};
    }
    void readsEveryHeader()
    {
        QFETCH(QByteArray, header);
        QFETCH(QList<qint64>, shape);
        const NpyArray array(written(header + "\1\2\3\4\5\6"));
        QVERIFY(array.shape() == std::vector<std::int64_t>(shape.begin(), shape.end()));
        QCOMPARE(array.elements(), 6);
        QVERIFY(array.read(4, 2) == (std::vector<std::int64_t>{5, 6}));
    }

    void refusesWhatItCannotRead_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* name, const QByteArray& bytes, const char* named) {
            QTest::newRow(name) << bytes << QString::fromLatin1(named);
        };
        const auto dictionary = [&](const char* name, const QByteArray& text, const char* named) {
            row(name, npyHeader(text) + "\1\2", named);
        };
        const QByteArray whole = npyHeader(npyDictionary("<u2", "(3,)")) + QByteArray(6, '\1');
        row("empty", "", "too short");
        row("text", "once upon a time there was", "no array of NumPy");
        row("a later version", npyHeader(npyDictionary("|u1", "(0,)"), 4), "version");
        row("a later minor version", QByteArray(whole).replace(7, 1, "\1"), "version");
        row("cut in the header", whole.first(40), "cut short within its header");
        row("cut in the data", whole.chopped(1), "holds 5 bytes of an array of 6");
        row("no data at all", whole.chopped(6), "holds 0 bytes of an array of 6");
        row("two arrays in a file", whole + whole, "goes on behind");
        row("a huge header", QByteArray("\x93NUMPY\2\0\xff\xff\xff\x7f", 12) + whole, "within its header");
        dictionary("a huge shape", npyDictionary("<u8", "(9223372036854775807, 3)"), "far more");
        dictionary("a shape beyond numbers", npyDictionary("<u8", "(99999999999999999999,)"), "not NumPy's");
        dictionary("a negative shape", npyDictionary("|u1", "(-2,)"), "not NumPy's");
        dictionary("no tuple", npyDictionary("|u1", "(2)"), "not NumPy's");
        dictionary("no number", npyDictionary("|u1", "(2, x)"), "not NumPy's");
        dictionary("commas alone", npyDictionary("|u1", "(2,,)"), "not NumPy's");
        dictionary("no bracket", npyDictionary("|u1", "2"), "not NumPy's");
        dictionary("no dictionary", "('|u1', False, (2,))", "not NumPy's");
        dictionary("an open dictionary", "{'descr': '|u1', 'fortran_order': False", "not NumPy's");
        dictionary("an open string", "{'descr: 1", "not NumPy's");
        dictionary("a key too few", "{'descr': '|u1', 'shape': (2,)}", "not NumPy's");
        dictionary("a key too many", "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), 'x': 1}",
                   "not NumPy's");
        dictionary("a key twice", "{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': (2,)}",
                   "not NumPy's");
        dictionary("no truth", "{'descr': '|u1', 'fortran_order': 0, 'shape': (2,)}", "not NumPy's");
        dictionary("more behind", npyDictionary("|u1", "(2,)") + " and more", "not NumPy's");
        dictionary("records", "{'descr': [('a', '|u1')], 'fortran_order': False, 'shape': (2,)}",
                   "records of several fields");
        dictionary("floats", npyDictionary("<f4", "(2,)"), "the type '<f4'");
        dictionary("half floats", npyDictionary("<f2", "(1,)"), "the type '<f2'");
        dictionary("truths", npyDictionary("|b1", "(2,)"), "the type '|b1'");
        dictionary("objects", npyDictionary("|O", "(2,)"), "the type '|O'");
        dictionary("texts", npyDictionary("<U3", "(2,)"), "the type '<U3'");
        dictionary("complex numbers", npyDictionary("<c8", "(2,)"), "the type '<c8'");
        dictionary("no order of two bytes", npyDictionary("|u2", "(1,)"), "the type '|u2'");
        dictionary("no type", npyDictionary("", "(2,)"), "the type ''");
        dictionary("no dimension", npyDictionary("<u2", "()"), "has 0 dimensions");
        dictionary("three dimensions", npyDictionary("|u1", "(1, 1, 2)"), "has 3 dimensions");
        dictionary("column by column", "{'descr': '|u1', 'fortran_order': True, 'shape': (1, 2), }",
                   "column by column");
    }
    void refusesWhatItCannotRead()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, named);
        const std::string path = written(bytes);
        const QString refusal = refusalOf([&] { const NpyArray array(path); });
        QVERIFY2(refusal.contains(named), qPrintable(refusal));
        QVERIFY2(refusal.startsWith(QStringLiteral("The file ") + QString::fromStdString(path)),
                 qPrintable(refusal));
        QVERIFY2(refusal.endsWith(QLatin1Char('.')) && refusal.count(QStringLiteral(". ")) > 0,
                 qPrintable(refusal));
    }

    // Whatever a file ends in, it is refused and no more.
    void survivesEveryCut()
    {
        const QByteArray whole = npyHeader(npyDictionary("<u2", "(3,)")) + QByteArray(6, '\1');
        for (qsizetype length = 0; length < whole.size(); ++length)
            QVERIFY(!refusalOf([&] { const NpyArray array(written(whole.first(length))); }).isEmpty());
    }
};

BATCHPEAK_TEST(NpyArrayTest)
#include "tst_npy_array.moc"
