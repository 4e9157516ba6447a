// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_messages.h"
#include "support/test_main.h"
#include "trial/protocol.h"

#include <QTest>

#include <cstdint>
#include <limits>

using namespace batchpeak;
using namespace batchpeak::trial;

class ParentMessagesTest : public QObject
{
    Q_OBJECT

private slots:
    void parentMessagesComeBack_data()
    {
        QTest::addColumn<ParentMessage>("message");
        QTest::newRow("hello") << ParentMessage(Hello{});
        QTest::newRow("load, all fields") << ParentMessage(LoadRequest{
            .model = smallLlama(),
            .phase = model::Phase::Eval,
            .sequenceLength = 128,
            .precision = model::Precision::Bf16,
            .optimizer = model::Optimizer::Sgd,
            .step = {.activationCheckpointing = true, .lossChunkRows = 512, .maxGradientNorm = 0.5},
            .memoryLimitBytes = std::int64_t{6} << 30,
            .seed = std::numeric_limits<std::uint64_t>::max()});
        QTest::newRow("load, defaults")
            << ParentMessage(LoadRequest{.model = {.family = "gpt2"}, .sequenceLength = 1});
        QTest::newRow("load, an encoder") << ParentMessage(
            LoadRequest{.model = {.family = "esm2", .architecture = smallEncoder()}, .sequenceLength = 8});
        QTest::newRow("load, an encoder-decoder")
            << ParentMessage(LoadRequest{.model = {.family = "t5", .architecture = smallEncoderDecoder()},
                                         .sequenceLength = 8,
                                         .targetLength = 3});
        QTest::newRow("trial") << ParentMessage(TrialRequest{.id = -1,
                                                             .microBatchSize = 65536,
                                                             .minSteps = 1,
                                                             .maxSteps = 1,
                                                             .minSeconds = 0.0,
                                                             .timeLimitSeconds = 1e-3,
                                                             .abandonAboveSeconds = 0.213});
        QTest::newRow("cancel") << ParentMessage(Cancel{.id = 7});
        QTest::newRow("bye") << ParentMessage(Bye{});
    }
    void parentMessagesComeBack()
    {
        QFETCH(ParentMessage, message);
        const std::string line = toLine(message);
        QVERIFY(line.ends_with('\n'));
        QCOMPARE(std::count(line.begin(), line.end(), '\n'), 1);
        const auto parsed = parseParentMessage(line);
        QVERIFY2(std::holds_alternative<ParentMessage>(parsed), line.c_str());
        QVERIFY2(std::get<ParentMessage>(parsed) == message, line.c_str());
    }

    void readsTheDescribedParentLines_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<ParentMessage>("expected");
        QTest::newRow("hello") << QByteArray(R"({"type":"hello","protocol":1})") << ParentMessage(Hello{});
        QTest::newRow("load")
            << QByteArray(
                   R"({"type":"load","model":{"family":"gpt2"},"phase":"train","sequence_length":1024,"precision":"bf16","optimizer":"adamw","memory_limit_bytes":0,"seed":1})")
            << ParentMessage(LoadRequest{
                   .model = {.family = "gpt2"}, .sequenceLength = 1024, .precision = model::Precision::Bf16});
        QTest::newRow("trial")
            << QByteArray(
                   R"({"type":"trial","id":7,"micro_batch_size":96,"min_steps":5,"max_steps":24,"min_seconds":0.4,"time_limit":60.0,"abandon_above":0.0})")
            << ParentMessage(TrialRequest{.id = 7, .microBatchSize = 96});
        QTest::newRow("cancel") << QByteArray(R"({"type":"cancel","id":7})")
                                << ParentMessage(Cancel{.id = 7});
        QTest::newRow("bye") << QByteArray(R"({"type":"bye"})") << ParentMessage(Bye{});
        QTest::newRow("carriage return and an unknown field")
            << QByteArray("{\"type\":\"bye\",\"reason\":{\"code\":[1]}}\r\n") << ParentMessage(Bye{});
        QTest::newRow("null is absent")
            << QByteArray(R"({"type":"trial","id":7,"micro_batch_size":96,"min_steps":null})")
            << ParentMessage(TrialRequest{.id = 7, .microBatchSize = 96});
    }
    void readsTheDescribedParentLines()
    {
        QFETCH(QByteArray, line);
        QFETCH(ParentMessage, expected);
        const auto parsed = parseParentMessage(view(line));
        QVERIFY(std::holds_alternative<ParentMessage>(parsed));
        QVERIFY(std::get<ParentMessage>(parsed) == expected);
    }

    void refusesBadParentLines_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QString>("named");
        const auto trialWith = [](const char* fields) {
            return QByteArray(R"({"type":"trial","id":7,"micro_batch_size":96,)") + fields + '}';
        };
        const auto loadWith = [](const char* fields) {
            return QByteArray(R"({"type":"load","sequence_length":8,)") + fields + '}';
        };
        QTest::newRow("unknown type") << QByteArray(R"({"type":"dance"})") << QStringLiteral("\"dance\"");
        QTest::newRow("a worker's type")
            << QByteArray(R"({"type":"loaded"})") << QStringLiteral("\"loaded\"");
        QTest::newRow("no type") << QByteArray("{}") << QStringLiteral("\"type\"");
        QTest::newRow("type is a number") << QByteArray(R"({"type":3})") << QStringLiteral("a text");
        QTest::newRow("size 0") << QByteArray(R"({"type":"trial","id":7,"micro_batch_size":0})")
                                << QStringLiteral("at least 1");
        QTest::newRow("size is a fraction") << QByteArray(R"({"type":"trial","id":7,"micro_batch_size":1.5})")
                                            << QStringLiteral("whole number");
        QTest::newRow("size beyond 63 bits")
            << QByteArray(R"({"type":"trial","id":7,"micro_batch_size":9223372036854775808})")
            << QStringLiteral("whole number");
        QTest::newRow("size beyond 64 bits")
            << QByteArray(R"({"type":"trial","id":7,"micro_batch_size":99999999999999999999})")
            << QStringLiteral("whole number");
        QTest::newRow("steps beyond 31 bits")
            << trialWith(R"("max_steps":3000000000)") << QStringLiteral("too large");
        QTest::newRow("no steps") << trialWith(R"("min_steps":0)") << QStringLiteral("min_steps");
        QTest::newRow("fewest above most")
            << trialWith(R"("min_steps":5,"max_steps":4)") << QStringLiteral("max_steps");
        QTest::newRow("no time") << trialWith(R"("time_limit":0)") << QStringLiteral("time_limit");
        QTest::newRow("negative time") << trialWith(R"("min_seconds":-1)") << QStringLiteral("min_seconds");
        QTest::newRow("endless time") << trialWith(R"("time_limit":1e999)") << QStringLiteral("too large");
        QTest::newRow("time in words") << trialWith(R"("time_limit":"60")") << QStringLiteral("\\\"60\\\"");
        QTest::newRow("no model") << loadWith(R"("phase":"train")") << QStringLiteral("\"model\"");
        QTest::newRow("model is a list") << loadWith(R"("model":[])") << QStringLiteral("an object");
        QTest::newRow("model without family") << loadWith(R"("model":{})") << QStringLiteral("\"family\"");
        QTest::newRow("unknown activation")
            << loadWith(R"("model":{"family":"gpt2","activation":"swish"})") << QStringLiteral("\"swish\"");
        QTest::newRow("unknown phase")
            << loadWith(R"("model":{"family":"gpt2"},"phase":"both")") << QStringLiteral("\"both\"");
        QTest::newRow("negative limit") << loadWith(R"("model":{"family":"gpt2"},"memory_limit_bytes":-1)")
                                        << QStringLiteral("memory_limit_bytes");
        QTest::newRow("negative seed")
            << loadWith(R"("model":{"family":"gpt2"},"seed":-1)") << QStringLiteral("seed");
        QTest::newRow("no sequence") << QByteArray(R"({"type":"load","model":{"family":"gpt2"}})")
                                     << QStringLiteral("sequence_length");
        QTest::newRow("cancel without id") << QByteArray(R"({"type":"cancel"})") << QStringLiteral("\"id\"");
    }
    void refusesBadParentLines()
    {
        QFETCH(QByteArray, line);
        QFETCH(QString, named);
        const auto parsed = parseParentMessage(view(line));
        QVERIFY(std::holds_alternative<ProtocolError>(parsed));
        const QString text = QString::fromStdString(std::get<ProtocolError>(parsed).text);
        QVERIFY2(text.contains(named), qPrintable(text));
        QVERIFY2(text.endsWith(QLatin1Char('.')), qPrintable(text));
    }
};

BATCHPEAK_TEST(ParentMessagesTest)
#include "tst_parent_messages.moc"
