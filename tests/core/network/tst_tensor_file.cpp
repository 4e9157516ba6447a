// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/failure.h"
#include "network/tensor_file.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <ATen/ATen.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <functional>
#include <random>
#include <sys/stat.h>

using namespace batchpeak::network;

namespace {

std::vector<NamedTensor> someTensors()
{
    return {
        {.name = "weight", .tensor = at::arange(6, at::kFloat).view({2, 3})},
        {.name = "narrow", .tensor = at::arange(5, at::kFloat).to(at::kBFloat16)},
        {.name = "channels last",
         .tensor = at::arange(48, at::kFloat).view({2, 3, 2, 4}).contiguous(at::MemoryFormat::ChannelsLast)},
        {.name = "count", .tensor = at::full({}, 7, at::kLong)},
        {.name = "state", .tensor = at::arange(13, at::kByte)},
        {.name = "none", .tensor = at::empty({0}, at::kFloat)}};
}

std::vector<NamedTensor> zerosLike(const std::vector<NamedTensor>& tensors)
{
    std::vector<NamedTensor> zeros;
    for (const NamedTensor& named : tensors)
        zeros.push_back({.name = named.name, .tensor = at::zeros_like(named.tensor)});
    return zeros;
}

bool areEqual(const std::vector<NamedTensor>& left, const std::vector<NamedTensor>& right)
{
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (!at::equal(left[i].tensor, right[i].tensor))
            return false;
    }
    return left.size() == right.size();
}

// Returns the error message of reading the file; empty if it was read.
QString refusalOf(const QString& path, const std::vector<NamedTensor>& tensors)
{
    try {
        readTensorFile(path.toStdString(), tensors);
    } catch (const CheckpointError& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

QByteArray fileOf(const QByteArray& header, qsizetype dataBytes)
{
    QByteArray bytes;
    for (int i = 0; i < 8; ++i)
        bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
    return bytes + header + QByteArray(dataBytes, 'x');
}

} // namespace

class TensorFileTest : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    QString path(const char* name = "file.safetensors") const
    {
        return m_folder.filePath(QString::fromLatin1(name));
    }

    QByteArray content() const
    {
        QFile file(path());
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    void setContent(const QByteArray& bytes) const
    {
        QFile file(path());
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(bytes), bytes.size());
    }

private slots:
    void init() { QVERIFY(QDir(m_folder.path()).removeRecursively() && QDir().mkpath(m_folder.path())); }

    void readsItsOwnFile()
    {
        const std::vector<NamedTensor> tensors = someTensors();
        const std::int64_t bytes = writeTensorFile(path().toStdString(), tensors, {{"format", "pt"}});
        QCOMPARE(bytes, content().size());
        const std::vector<NamedTensor> read = zerosLike(tensors);
        QCOMPARE(refusalOf(path(), read), QString());
        QVERIFY(areEqual(read, tensors));
        QCOMPARE(QDir(m_folder.path()).entryList(QDir::Files),
                 QStringList{QStringLiteral("file.safetensors")});
    }

    // Compares all bytes with the format's description (huggingface/safetensors, README.md).
    void writesTheFormat()
    {
        writeTensorFile(path().toStdString(), {{.name = "a", .tensor = at::ones({1}, at::kFloat)}},
                        {{"format", "pt"}});
        QByteArray header = "{\"__metadata__\":{\"format\":\"pt\"},"
                            "\"a\":{\"data_offsets\":[0,4],\"dtype\":\"F32\",\"shape\":[1]}}";
        while (header.size() % 8 != 0)
            header += ' ';
        QCOMPARE(content(), fileOf(header, 0) + QByteArray("\x00\x00\x80\x3f", 4));
    }

    void changesParametersInPlace()
    {
        at::Tensor parameter = at::zeros({3});
        parameter.requires_grad_(true);
        writeTensorFile(path().toStdString(), {{.name = "a", .tensor = at::ones({3})}}, {});
        QCOMPARE(refusalOf(path(), {{.name = "a", .tensor = parameter}}), QString());
        QVERIFY(at::equal(parameter, at::ones({3})));
    }

    // The description allows spaces and any order, which other writers use.
    void readsFilesOfOtherWriters()
    {
        setContent(fileOf("{\"b\" : {\"shape\": [2], \"dtype\": \"U8\", \"data_offsets\": [1, 3]},\n"
                          " \"a\" : {\"dtype\": \"U8\", \"shape\": [], \"data_offsets\": [0, 1]}}   ",
                          3));
        const std::vector<NamedTensor> read{{.name = "a", .tensor = at::zeros({}, at::kByte)},
                                            {.name = "b", .tensor = at::zeros({2}, at::kByte)}};
        QCOMPARE(refusalOf(path(), read), QString());
        QCOMPARE(read[0].tensor.item<int>(), 'x');
        QCOMPARE(read[1].tensor[1].item<int>(), 'x');
    }

    void refusesAFileCutShortAnywhere()
    {
        const std::vector<NamedTensor> tensors = someTensors();
        writeTensorFile(path().toStdString(), tensors, {});
        const QByteArray whole = content();
        const std::vector<NamedTensor> untouched = zerosLike(tensors);
        for (qsizetype length = 0; length < whole.size(); ++length) {
            setContent(whole.left(length));
            const std::vector<NamedTensor> read = zerosLike(tensors);
            const QString refusal = refusalOf(path(), read);
            QVERIFY2(refusal.contains(path()) && refusal.endsWith(u'.'), qPrintable(refusal));
            QVERIFY(areEqual(read, untouched));
        }
    }

    // A file with wrong bytes is refused and changes nothing, or is still valid.
    void survivesDamageAnywhere()
    {
        const std::vector<NamedTensor> tensors = someTensors();
        writeTensorFile(path().toStdString(), tensors, {{"format", "pt"}});
        const QByteArray whole = content();
        const std::vector<NamedTensor> untouched = zerosLike(tensors);
        std::mt19937 random(1);
        for (int round = 0; round < 1000; ++round) {
            QByteArray damaged = whole;
            for (unsigned i = 0; i < 1 + random() % 3; ++i)
                damaged[static_cast<qsizetype>(random() % static_cast<unsigned>(whole.size()))] =
                    static_cast<char>(random());
            setContent(damaged);
            const std::vector<NamedTensor> read = zerosLike(tensors);
            if (!refusalOf(path(), read).isEmpty())
                QVERIFY(areEqual(read, untouched));
        }
    }

    void refusesFilesThatDoNotFit_data()
    {
        const auto entry = [](const QByteArray& text) { return fileOf("{\"a\":" + text + '}', 4); };
        const auto add = rows<QByteArray, Text>();
        add("empty", {"", "only 0 bytes"});
        add("no safetensors", {"PK\x03\x04 a zip file, as torch.save writes it", "no safetensors file"});
        add("no JSON", {fileOf("{\"a\":", 4), "no JSON object"});
        add("no object", {fileOf("[1]", 0), "no JSON object"});
        add("deep", {fileOf(QByteArray(100'000, '['), 0), "no JSON object"});
        add("no tensor", {fileOf("{}", 0), "holds no a"});
        add("another name",
            {fileOf("{\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4), "holds no a"});
        add("one more", {fileOf("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
                                "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
                                8),
                         "more tensors"});
        add("another shape", {entry("{\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[0,4]}"),
                              "a as F32 [1, 1], but this training has it as F32 [1]"});
        add("another type", {entry("{\"dtype\":\"I32\",\"shape\":[1],\"data_offsets\":[0,4]}"), "I32 [1]"});
        add("fewer bytes", {fileOf("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,3]}}", 3),
                            "not hold all of a"});
        add("behind the end",
            {entry("{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[1,5]}"), "cut short"});
        add("backwards",
            {entry("{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}"), "begins and ends"});
        add("below the begin",
            {entry("{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[-4,0]}"), "whole numbers"});
        add("beyond all numbers",
            {entry("{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,18446744073709551615]}"),
             "whole numbers"});
        add("no offsets", {entry("{\"dtype\":\"F32\",\"shape\":[1]}"), "data_offsets of a"});
        add("no entry", {entry("4"), "dtype of a"});
        add("no text", {entry("{\"dtype\":4,\"shape\":[1],\"data_offsets\":[0,4]}"), "dtype of a"});
        add("bytes behind", {fileOf("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 5),
                             "behind its last tensor"});
    }
    void refusesFilesThatDoNotFit()
    {
        const auto& [bytes, named] = row<QByteArray, Text>();
        setContent(bytes);
        const at::Tensor tensor = at::zeros({1});
        const QString refusal = refusalOf(path(), {{.name = "a", .tensor = tensor}});
        VERIFY_CONTAINS(refusal, named);
        QVERIFY(refusal.startsWith(QStringLiteral("The checkpoint ") + path()));
        QCOMPARE(tensor.item<float>(), 0.0F);
    }

    // Opening a pipe would block until another process writes to it.
    void explainsWhyAFileCannotBeRead_data()
    {
        using Make = std::function<void(const QString& path)>;
        rows<Make, Text>(
            {{"missing", {[](const QString&) {}, "No such file"}},
             {"a folder", {[](const QString& path) { QDir().mkpath(path); }, "is no regular file"}},
             {"a pipe",
              {[](const QString& path) { ::mkfifo(QFile::encodeName(path).constData(), 0600); },
               "is no regular file"}}});
    }
    void explainsWhyAFileCannotBeRead()
    {
        const auto& [make, expected] = row<std::function<void(const QString& path)>, Text>();
        make(path());
        VERIFY_CONTAINS(refusalOf(path(), {}), expected);
    }

    void keepsTheOldFileIfTheNewOneFails()
    {
        const QString file = path("kept");
        writeTensorFile(file.toStdString(), someTensors(), {});
        // A folder of the same name prevents the creation of the file.
        QVERIFY(QDir().mkpath(file + QStringLiteral(".partial/in")));
        QVERIFY_THROWS_EXCEPTION(CheckpointError, writeTensorFile(file.toStdString(), {}, {}));
        const std::vector<NamedTensor> read = zerosLike(someTensors());
        QCOMPARE(refusalOf(file, read), QString());
        QVERIFY(areEqual(read, someTensors()));
    }

    void reportsAFullDisk()
    {
        // Every write to /dev/full fails because no space is left.
        if (!QFile::exists(QStringLiteral("/dev/full")))
            QSKIP("There is no /dev/full.");
        QVERIFY(QFile::link(QStringLiteral("/dev/full"), path("full.partial")));
        try {
            writeTensorFile(path("full").toStdString(), someTensors(), {});
            QFAIL("It was written.");
        } catch (const CheckpointError& error) {
            VERIFY_CONTAINS(error.what(), "No space left");
        }
        QVERIFY(!QFile::exists(path("full")));
    }
};

BATCHPEAK_TEST(TensorFileTest)
#include "tst_tensor_file.moc"
