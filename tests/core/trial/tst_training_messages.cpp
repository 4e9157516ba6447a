// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_messages.h"
#include "support/test_main.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <string>
#include <variant>

using namespace batchpeak;
using namespace batchpeak::trial;

/// The part of the protocol that training runs use.
class TrainingMessagesTest : public QObject
{
    Q_OBJECT

private slots:
    void parentMessagesComeBack_data()
    {
        QTest::addColumn<ParentMessage>("message");
        QTest::newRow("training, all fields") << ParentMessage(
            TrainingRequest{.data = {.kind = DataKind::Arrays, .path = "/d \"é\"", .samples = 7},
                            .learningRate = 0.1,
                            .weighting = LossWeighting::Tokens,
                            .checkpoint = "/c/tensors.safetensors"});
        QTest::newRow("training, defaults") << ParentMessage(TrainingRequest{});
        QTest::newRow("training on a text")
            << ParentMessage(TrainingRequest{.data = {.kind = DataKind::Text, .path = "/t"}});
        QTest::newRow("batch") << ParentMessage(BatchRequest{.id = 9,
                                                             .phase = model::Phase::Eval,
                                                             .epoch = 3,
                                                             .first = (std::int64_t{1} << 53) + 1,
                                                             .samples = 100,
                                                             .microBatchSize = 24});
        QTest::newRow("save") << ParentMessage(SaveRequest{.id = 10, .path = "/c"});
    }
    void parentMessagesComeBack()
    {
        QFETCH(ParentMessage, message);
        const std::string line = toLine(message);
        const auto parsed = parseParentMessage(line);
        QVERIFY2(std::holds_alternative<ParentMessage>(parsed), line.c_str());
        QVERIFY2(std::get<ParentMessage>(parsed) == message, line.c_str());
    }

    void workerMessagesComeBack_data()
    {
        QTest::addColumn<WorkerMessage>("message");
        QTest::newRow("training ready")
            << WorkerMessage(TrainingReady{.samples = 512, .tokensPerSample = 128});
        QTest::newRow("batch, all fields")
            << WorkerMessage(BatchResult{.id = 9,
                                         .microBatchSize = 24,
                                         .outcome = Outcome::OutOfMemory,
                                         .loss = 0.1 + 0.2,
                                         .seconds = 1.5,
                                         .optimizerSeconds = 0.25,
                                         .countedTargets = 12800,
                                         .peakAllocatedBytes = (std::int64_t{1} << 53) + 1,
                                         .peakReservedBytes = std::numeric_limits<std::int64_t>::max(),
                                         .allocationRetries = 2,
                                         .refusedHostBytes = 4096,
                                         .text = "Größe",
                                         .isLast = true});
        QTest::newRow("saved") << WorkerMessage(Saved{.id = 10, .bytes = 4096});
        QTest::newRow("not saved") << WorkerMessage(Saved{.id = 10, .problem = "The disk is full."});
    }
    void workerMessagesComeBack()
    {
        QFETCH(WorkerMessage, message);
        const std::string line = toLine(message);
        const auto parsed = parseWorkerMessage(line);
        QVERIFY2(std::holds_alternative<WorkerMessage>(parsed), line.c_str());
        QVERIFY2(std::get<WorkerMessage>(parsed) == message, line.c_str());
    }

    void aLossThatHasDivergedIsNoNumber()
    {
        const std::string line = toLine(WorkerMessage(BatchResult{
            .id = 1, .microBatchSize = 1, .outcome = Outcome::Ok, .loss = std::nan(""), .seconds = 1.0}));
        const auto parsed = parseWorkerMessage(line);
        QVERIFY2(std::holds_alternative<WorkerMessage>(parsed), line.c_str());
        QVERIFY(std::isnan(std::get<BatchResult>(std::get<WorkerMessage>(parsed)).loss));
    }

    void everyWordComesBack()
    {
        for (const DataKind kind : {DataKind::Synthetic, DataKind::Text, DataKind::Arrays})
            QCOMPARE(dataKindFromText(toText(kind)), kind);
        for (const LossWeighting weighting : {LossWeighting::Samples, LossWeighting::Tokens})
            QCOMPARE(lossWeightingFromText(toText(weighting)), weighting);
    }

    void refusesBadParentLines_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QString>("named");
        QTest::newRow("training without data")
            << QByteArray(R"({"type":"training"})") << QStringLiteral("\"data\"");
        QTest::newRow("unknown data")
            << QByteArray(R"({"type":"training","data":{"kind":"web"}})") << QStringLiteral("\"web\"");
        QTest::newRow("no samples") << QByteArray(
                                           R"({"type":"training","data":{"kind":"synthetic","samples":0}})")
                                    << QStringLiteral("samples");
        QTest::newRow("negative learning rate")
            << QByteArray(R"({"type":"training","data":{"kind":"synthetic"},"learning_rate":-1})")
            << QStringLiteral("learning_rate");
        QTest::newRow("batch without samples")
            << QByteArray(R"({"type":"batch","id":1,"micro_batch_size":1})") << QStringLiteral("samples");
        QTest::newRow("micro-batch of none")
            << QByteArray(R"({"type":"batch","id":1,"samples":4,"micro_batch_size":0})")
            << QStringLiteral("micro_batch_size");
        QTest::newRow("before the first sample")
            << QByteArray(R"({"type":"batch","id":1,"samples":4,"micro_batch_size":1,"first":-1})")
            << QStringLiteral("first");
        QTest::newRow("save nowhere") << QByteArray(R"({"type":"save","id":1})") << QStringLiteral("path");
    }
    void refusesBadParentLines()
    {
        QFETCH(QByteArray, line);
        QFETCH(QString, named);
        const auto parsed = parseParentMessage(view(line));
        QVERIFY(std::holds_alternative<ProtocolError>(parsed));
        const QString text = QString::fromStdString(std::get<ProtocolError>(parsed).text);
        QVERIFY2(text.contains(named), qPrintable(text));
    }

    void refusesBadWorkerLines_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QString>("named");
        const auto batchWith = [](const char* fields) {
            return QByteArray(R"({"type":"batch_result","id":1,"micro_batch_size":4,)") + fields + '}';
        };
        QTest::newRow("no outcome") << batchWith(R"("seconds":1)") << QStringLiteral("outcome");
        QTest::newRow("ok without a time")
            << batchWith(R"("outcome":"ok","loss":1)") << QStringLiteral("seconds");
        QTest::newRow("ok in no time")
            << batchWith(R"("outcome":"ok","loss":1,"seconds":0)") << QStringLiteral("seconds");
        QTest::newRow("crashed, by itself")
            << batchWith(R"("outcome":"crashed")") << QStringLiteral("crashed");
        QTest::newRow("loss in words")
            << batchWith(R"("outcome":"ok","seconds":1,"loss":"low")") << QStringLiteral("loss");
        QTest::newRow("an epoch of nothing")
            << QByteArray(R"({"type":"training_ready","samples":0})") << QStringLiteral("samples");
        QTest::newRow("saved without id") << QByteArray(R"({"type":"saved"})") << QStringLiteral("id");
    }
    void refusesBadWorkerLines()
    {
        QFETCH(QByteArray, line);
        QFETCH(QString, named);
        const auto parsed = parseWorkerMessage(view(line));
        QVERIFY(std::holds_alternative<ProtocolError>(parsed));
        const QString text = QString::fromStdString(std::get<ProtocolError>(parsed).text);
        QVERIFY2(text.contains(named), qPrintable(text));
    }
};

BATCHPEAK_TEST(TrainingMessagesTest)
#include "tst_training_messages.moc"
