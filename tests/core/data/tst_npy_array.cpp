// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/data_file.h"
#include "npy_bytes.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

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
        const auto add = rows<QByteArray, std::int64_t, std::int64_t>();
        add("|u1", {"01ff", 1, 255});
        add("|i1", {"01ff", 1, -1});
        add("<u2", {"0201ffff", 258, 65535});
        add(">u2", {"0102ffff", 258, 65535});
        add("<i2", {"0201feff", 258, -2});
        add(">i2", {"0102fffe", 258, -2});
        add("<u4", {"04030201ffffffff", 16909060, 4294967295});
        add(">u4", {"01020304ffffffff", 16909060, 4294967295});
        add("<i4", {"04030201fdffffff", 16909060, -3});
        add(">i4", {"01020304fffffffd", 16909060, -3});
        add("<u8", {"0807060504030201ffffffffffffff7f", 72623859790382856, INT64_MAX});
        add(">u8", {"01020304050607087fffffffffffffff", 72623859790382856, INT64_MAX});
        add("<i8", {"0807060504030201fcffffffffffffff", 72623859790382856, -4});
        add(">i8", {"0102030405060708fffffffffffffffc", 72623859790382856, -4});
    }
    void readsEveryType()
    {
        const auto& [hexadecimal, first, second] = row<QByteArray, std::int64_t, std::int64_t>();
        const NpyArray array(written(npyHeader(npyDictionary(QTest::currentDataTag(), "(2,)")) +
                                     QByteArray::fromHex(hexadecimal)));
        QVERIFY(array.shape() == std::vector<std::int64_t>{2});
        QVERIFY(array.read(0, 2) == (std::vector<std::int64_t>{first, second}));
        QVERIFY(array.read(1, 1) == std::vector<std::int64_t>{second});
    }

    void readsEveryHeader_data()
    {
        using Shape = std::vector<std::int64_t>;
        const auto add = rows<QByteArray, Shape>();
        const QByteArray plain = npyDictionary("|u1", "(2, 3)");
        for (const char version : {1, 2, 3})
            add("version " + std::to_string(version), {npyHeader(plain, version), Shape{2, 3}});
        add("another order of keys",
            {npyHeader("{'shape': (6,), 'fortran_order': False, 'descr': '|u1'}"), Shape{6}});
        add("double quotes, no spaces",
            {npyHeader("{\"descr\":\"|u1\",\"fortran_order\":False,\"shape\":(3,2)}"), Shape{3, 2}});
        add("one column of one dimension is no order of columns",
            {npyHeader("{'descr': '|u1', 'fortran_order': True, 'shape': (6,), }"), Shape{6}});
    }
    void readsEveryHeader()
    {
        const auto& [header, shape] = row<QByteArray, std::vector<std::int64_t>>();
        const NpyArray array(written(header + "\1\2\3\4\5\6"));
        QCOMPARE(array.shape(), shape);
        QCOMPARE(array.elements(), 6);
        QVERIFY(array.read(4, 2) == (std::vector<std::int64_t>{5, 6}));
    }

    void refusesWhatItCannotRead_data()
    {
        const auto add = rows<QByteArray, Text>();
        const auto dictionary = [&](const char* name, const QByteArray& text, const char* named) {
            add(name, {npyHeader(text) + "\1\2", named});
        };
        const QByteArray whole = npyHeader(npyDictionary("<u2", "(3,)")) + QByteArray(6, '\1');
        add("empty", {"", "too short"});
        add("text", {"once upon a time there was", "no array of NumPy"});
        add("a later version", {npyHeader(npyDictionary("|u1", "(0,)"), 4), "version"});
        add("a later minor version", {QByteArray(whole).replace(7, 1, "\1"), "version"});
        add("cut in the header", {whole.first(40), "cut short within its header"});
        add("cut in the data", {whole.chopped(1), "holds 5 bytes of an array of 6"});
        add("no data at all", {whole.chopped(6), "holds 0 bytes of an array of 6"});
        add("two arrays in a file", {whole + whole, "goes on behind"});
        add("a huge header", {QByteArray("\x93NUMPY\2\0\xff\xff\xff\x7f", 12) + whole, "within its header"});
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
        const auto& [bytes, named] = row<QByteArray, Text>();
        const std::string path = written(bytes);
        const QString refusal = refusalOf([&] { const NpyArray array(path); });
        VERIFY_CONTAINS(refusal, named);
        VERIFY_STARTS_WITH(refusal, QStringLiteral("The file ") + QString::fromStdString(path));
        QVERIFY2(refusal.endsWith(QLatin1Char('.')) && refusal.count(QStringLiteral(". ")) > 0,
                 qPrintable(refusal));
    }

    // A truncated file is refused, wherever it ends.
    void refusesEveryTruncatedFile()
    {
        const QByteArray whole = npyHeader(npyDictionary("<u2", "(3,)")) + QByteArray(6, '\1');
        for (qsizetype length = 0; length < whole.size(); ++length)
            QVERIFY(!refusalOf([&] { const NpyArray array(written(whole.first(length))); }).isEmpty());
    }
};

BATCHPEAK_TEST(NpyArrayTest)
#include "tst_npy_array.moc"
