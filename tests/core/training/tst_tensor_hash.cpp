// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/files.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "training/checkpoints/tensor_hash.h"

#include <QTemporaryDir>
#include <QTest>

#include <stop_token>

using namespace batchpeak;

class TensorHashTest : public QObject
{
    Q_OBJECT

private slots:
    // The expected hashes are those of xxh128sum 0.8.1.
    void equalsThatOfXxh128sum_data()
    {
        rows<QByteArray, const char*>(
            {{"nothing", {"", "99aa06d3014798d86001c324468d497f"}},
             {"a digit", {"2", "cb358fcee0dfde56fb95a7322f5da314"}},
             {"more than is read at once",
              {QByteArray((4 << 20) + 3, 'a'), "7a889e0064f061c7d6f1bf5bc7bce0b5"}}});
    }
    void equalsThatOfXxh128sum()
    {
        const auto& [contents, hash] = row<QByteArray, const char*>();
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("tensors"));
        test::writeFile(path, contents);
        QCOMPARE(training::tensorHash(path, {}), QLatin1String(hash));
    }

    void isEmptyIfTheFileIsNotReadToItsEnd()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("tensors"));
        QCOMPARE(training::tensorHash(path, {}), QString());
        QCOMPARE(training::tensorHash(folder.path(), {}), QString());
        test::writeFile(path, "2");
        std::stop_source stop;
        stop.request_stop();
        QCOMPARE(training::tensorHash(path, stop.get_token()), QString());
    }
};

BATCHPEAK_TEST(TensorHashTest)
#include "tst_tensor_hash.moc"
