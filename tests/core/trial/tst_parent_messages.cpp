// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_messages.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
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
    void restoresParentMessages_data()
    {
        rows<ParentMessage>(
            {{"hello", Hello{}},
             {"hello with heartbeats", Hello{.heartbeatSeconds = 2.5}},
             {"heartbeat", Heartbeat{}},
             {"load, all fields", LoadRequest{.model = smallLlama(),
                                              .phase = model::Phase::Eval,
                                              .sequenceLength = 128,
                                              .precision = model::Precision::Bf16,
                                              .optimizer = model::Optimizer::Sgd,
                                              .step = {.activationCheckpointing = true,
                                                       .lossChunkRows = 512,
                                                       .maxGradientNorm = 0.5,
                                                       .attention = model::Attention::MemoryEfficient,
                                                       .convolvesInTf32 = false,
                                                       .channelsLast = true,
                                                       .timesConvolutions = true},
                                              .memoryLimitBytes = std::int64_t{6} << 30,
                                              .seed = std::numeric_limits<std::uint64_t>::max()}},
             {"load, an optimizer by operations",
              LoadRequest{.model = {.family = "gpt2"},
                          .sequenceLength = 1,
                          .step = {.adamWStep = model::AdamWStep::Operations, .keepsMomentum = false}}},
             {"load, moments of embeddings in fp32", LoadRequest{.model = {.family = "gpt2"},
                                                                 .sequenceLength = 1,
                                                                 .optimizer = model::Optimizer::AdamW8bit,
                                                                 .step = {.wideEmbeddingMoments = true}}},
             {"load, a recomputed loss",
              LoadRequest{.model = {.family = "gpt2"},
                          .sequenceLength = 1,
                          .step = {.lossChunkRows = 256, .recomputesLossChunks = true}}},
             {"load, defaults", LoadRequest{.model = {.family = "gpt2"}, .sequenceLength = 1}},
             {"load, an encoder",
              LoadRequest{.model = {.family = "esm2", .architecture = smallEncoder()}, .sequenceLength = 8}},
             {"load, an encoder-decoder",
              LoadRequest{.model = {.family = "t5", .architecture = smallEncoderDecoder()},
                          .sequenceLength = 8,
                          .targetLength = 3}},
             {"load, fake-quantized with adapters",
              LoadRequest{
                  .model = smallLlama(),
                  .tuning = {.adapter = model::AdapterKind::Lora,
                             .targets = {{.projection = model::Projection::Query, .layers = {0}}},
                             .fakeQuantization = {.weights = model::FakeQuantizedWeights::Uint4,
                                                  .groupSize = 64,
                                                  .activations = model::FakeQuantizedActivations::Nvfp4,
                                                  .embeddings = true,
                                                  .sharedOutput = true,
                                                  .adaptedLayers = true}},
                  .sequenceLength = 8}},
             {"load, fake-quantized",
              LoadRequest{.model = smallLlama(),
                          .tuning = {.fakeQuantization = {.weights = model::FakeQuantizedWeights::Int4}},
                          .sequenceLength = 8}},
             {"load, a network of transformers",
              LoadRequest{.model = {.family = "transformers",
                                    .architecture = model::TransformersSpec{.type = "gpt_oss",
                                                                            .config = "{\"a\": \"é\n\"}",
                                                                            .takesTexts = false,
                                                                            .positions = 8}},
                          .tuning = {.adapter = model::AdapterKind::Lora,
                                     .modules = {.targets = {"q_proj", "v_proj"},
                                                 .saved = {"lm_head"},
                                                 .parameters = {"experts.down_proj"},
                                                 .trained = {"model\\.layers"}}},
                          .sequenceLength = 8}},
             {"load, all linear layers of such a network",
              LoadRequest{.model = {.family = "transformers", .architecture = model::TransformersSpec()},
                          .tuning = {.adapter = model::AdapterKind::Lora,
                                     .modules = {.targets = {"all-linear"}, .isPattern = true}},
                          .sequenceLength = 8}},
             {"load, compiled", LoadRequest{.model = smallLlama(),
                                            .sequenceLength = 8,
                                            .step = {.compilation = model::Compilation::MaxAutotune}}},
             {"load, preferences", LoadRequest{.model = smallLlama(),
                                               .sequenceLength = 8,
                                               .step = {.preference = model::Preference::Dpo}}},
             {"trial", TrialRequest{.id = -1,
                                    .microBatchSize = 65536,
                                    .minSteps = 1,
                                    .maxSteps = 1,
                                    .minSeconds = 0.0,
                                    .timeLimitSeconds = 1e-3,
                                    .abandonAboveSeconds = 0.213}},
             {"comparison", CompareRequest{.id = 8,
                                           .microBatchSizes = {32, 24, 65536, 1},
                                           .visits = 1,
                                           .steps = 7,
                                           .untimedSteps = 0,
                                           .timeLimitSeconds = 1e-3}},
             {"cancel", Cancel{.id = 7}},
             {"bye", Bye{}},
             {"training, all fields",
              TrainingRequest{.data = {.kind = DataKind::Arrays, .path = "/d \"é\"", .samples = 7},
                              .learningRate = 0.1,
                              .weighting = LossWeighting::Tokens,
                              .checkpoint = "/c/tensors.safetensors"}},
             {"training, defaults", TrainingRequest{}},
             {"training, a share held out", TrainingRequest{.data = {.heldOut = {.share = 0.05}}}},
             {"training, samples held out", TrainingRequest{.data = {.heldOut = {.samples = 7}}}},
             {"training on a text", TrainingRequest{.data = {.kind = DataKind::Text, .path = "/t"}}},
             {"batch", BatchRequest{.id = 9,
                                    .phase = model::Phase::Eval,
                                    .epoch = 3,
                                    .first = (std::int64_t{1} << 53) + 1,
                                    .samples = 100,
                                    .microBatchSize = 24}},
             {"save", SaveRequest{.id = 10, .path = "/c"}}});
    }
    /// With adapters, the network without them serves as the reference, so no second network is loaded.
    void requestsAReferenceNetworkIfNeeded()
    {
        LoadRequest load{.model = smallLlama(), .sequenceLength = 8};
        const auto holds = [&](model::Preference preference, const char* text) {
            load.step.preference = preference;
            return toLine(load).find(text) != std::string::npos;
        };
        QVERIFY(!holds(model::Preference::None, "preference"));
        QVERIFY(holds(model::Preference::Kto, R"("preference_reference":true)"));
        QVERIFY(holds(model::Preference::Orpo, R"("preference_reference":false)"));
        load.tuning = {.adapter = model::AdapterKind::Lora,
                       .targets = {{.projection = model::Projection::Query}}};
        QVERIFY(holds(model::Preference::Dpo, R"("preference_reference":false)"));
    }

    void restoresParentMessages()
    {
        const auto& message = row<ParentMessage>();
        const std::string line = toLine(message);
        QVERIFY(line.ends_with('\n'));
        QCOMPARE(std::count(line.begin(), line.end(), '\n'), 1);
        const auto parsed = parseParentMessage(line);
        QVERIFY2(std::holds_alternative<ParentMessage>(parsed), line.c_str());
        QVERIFY2(std::get<ParentMessage>(parsed) == message, line.c_str());
    }

    void readsDocumentedParentLines_data()
    {
        const auto add = rows<QByteArray, ParentMessage>();
        add("hello",
            {R"({"type":"hello","protocol":3,"heartbeat_seconds":5.0})", Hello{.heartbeatSeconds = 5.0}});
        add("hello without heartbeats", {R"({"type":"hello","protocol":3})", Hello{}});
        add("heartbeat", {R"({"type":"heartbeat"})", Heartbeat{}});
        add("load",
            {R"({"type":"load","model":{"family":"gpt2"},"phase":"train","sequence_length":1024,"precision":"bf16","optimizer":"adamw","memory_limit_bytes":0,"seed":1})",
             LoadRequest{
                 .model = {.family = "gpt2"}, .sequenceLength = 1024, .precision = model::Precision::Bf16}});
        add("trial",
            {R"({"type":"trial","id":7,"micro_batch_size":96,"min_steps":5,"max_steps":24,"min_seconds":0.4,"time_limit":60.0,"abandon_above":0.0})",
             TrialRequest{.id = 7, .microBatchSize = 96}});
        add("comparison",
            {R"({"type":"compare","id":8,"micro_batch_sizes":[24,28],"visits":2,"steps":3,"untimed_steps":1,"time_limit":60.0})",
             CompareRequest{.id = 8, .microBatchSizes = {24, 28}, .visits = 2}});
        add("comparison, defaults", {R"({"type":"compare","id":8,"micro_batch_sizes":[1,2]})",
                                     CompareRequest{.id = 8, .microBatchSizes = {1, 2}}});
        add("cancel", {R"({"type":"cancel","id":7})", Cancel{.id = 7}});
        add("bye", {R"({"type":"bye"})", Bye{}});
        add("carriage return and an unknown field",
            {"{\"type\":\"bye\",\"reason\":{\"code\":[1]}}\r\n", Bye{}});
        add("null is absent", {R"({"type":"trial","id":7,"micro_batch_size":96,"min_steps":null})",
                               TrialRequest{.id = 7, .microBatchSize = 96}});
    }
    void readsDocumentedParentLines()
    {
        const auto& [line, expected] = row<QByteArray, ParentMessage>();
        const auto parsed = parseParentMessage(view(line));
        QVERIFY(std::holds_alternative<ParentMessage>(parsed));
        QVERIFY(std::get<ParentMessage>(parsed) == expected);
    }

    void refusesBadParentLines_data()
    {
        const auto trialWith = [](const char* fields) {
            return QByteArray(R"({"type":"trial","id":7,"micro_batch_size":96,)") + fields + '}';
        };
        const auto loadWith = [](const char* fields) {
            return QByteArray(R"({"type":"load","sequence_length":8,)") + fields + '}';
        };
        const auto comparisonOf = [](const char* sizes, const char* fields = "") {
            return QByteArray(R"({"type":"compare","id":8,"micro_batch_sizes":)") + sizes + fields + '}';
        };
        rows<QByteArray, Text>(
            {{"comparison of no sizes", {R"({"type":"compare","id":8})", "sizes, but holds 0"}},
             {"comparison of one size", {comparisonOf("[24]"), "sizes, but holds 1"}},
             {"comparison of five sizes", {comparisonOf("[1,2,3,4,5]"), "2 to 4"}},
             {"comparison with itself", {comparisonOf("[24,28,24]"), "twice"}},
             {"comparison with nothing", {comparisonOf("[24,0]"), "at least 1"}},
             {"comparison of half a sample", {comparisonOf("[24,0.5]"), "whole numbers"}},
             {"comparison of a number", {comparisonOf("24"), "a list"}},
             {"comparison without visits", {comparisonOf("[1,2]", R"(,"visits":0)"), "visits"}},
             {"comparison without steps", {comparisonOf("[1,2]", R"(,"steps":0)"), "steps"}},
             {"comparison with -1 steps", {comparisonOf("[1,2]", R"(,"untimed_steps":-1)"), "untimed_steps"}},
             {"comparison in no time", {comparisonOf("[1,2]", R"(,"time_limit":0)"), "time_limit"}},
             {"comparison without id", {R"({"type":"compare","micro_batch_sizes":[1,2]})", "\"id\""}},
             {"unknown type", {R"({"type":"dance"})", "\"dance\""}},
             {"a worker's type", {R"({"type":"loaded"})", "\"loaded\""}},
             {"no type", {"{}", "\"type\""}},
             {"type is a number", {R"({"type":3})", "a text"}},
             {"size 0", {R"({"type":"trial","id":7,"micro_batch_size":0})", "at least 1"}},
             {"size is a fraction", {R"({"type":"trial","id":7,"micro_batch_size":1.5})", "whole number"}},
             {"size beyond 63 bits",
              {R"({"type":"trial","id":7,"micro_batch_size":9223372036854775808})", "whole number"}},
             {"size beyond 64 bits",
              {R"({"type":"trial","id":7,"micro_batch_size":99999999999999999999})", "whole number"}},
             {"steps beyond 31 bits", {trialWith(R"("max_steps":3000000000)"), "too large"}},
             {"no steps", {trialWith(R"("min_steps":0)"), "min_steps"}},
             {"fewest above most", {trialWith(R"("min_steps":5,"max_steps":4)"), "max_steps"}},
             {"no time", {trialWith(R"("time_limit":0)"), "time_limit"}},
             {"negative time", {trialWith(R"("min_seconds":-1)"), "min_seconds"}},
             {"endless time", {trialWith(R"("time_limit":1e999)"), "too large"}},
             {"time in words", {trialWith(R"("time_limit":"60")"), "\\\"60\\\""}},
             {"no model", {loadWith(R"("phase":"train")"), "\"model\""}},
             {"model is a list", {loadWith(R"("model":[])"), "an object"}},
             {"model without family", {loadWith(R"("model":{})"), "\"family\""}},
             {"unknown activation",
              {loadWith(R"("model":{"family":"gpt2","activation":"swish"})"), "\"swish\""}},
             {"unknown phase", {loadWith(R"("model":{"family":"gpt2"},"phase":"both")"), "\"both\""}},
             {"negative limit",
              {loadWith(R"("model":{"family":"gpt2"},"memory_limit_bytes":-1)"), "memory_limit_bytes"}},
             {"negative seed", {loadWith(R"("model":{"family":"gpt2"},"seed":-1)"), "seed"}},
             {"no sequence", {R"({"type":"load","model":{"family":"gpt2"}})", "sequence_length"}},
             {"sequence beyond any",
              {R"({"type":"load","model":{"family":"gpt2"},"sequence_length":4611686018427387904})",
               "sequence_length"}},
             {"decoder's sequence beyond any",
              {loadWith(R"("model":{"family":"t5"},"decoder_sequence_length":4611686018427387904)"),
               "decoder_sequence_length"}},
             {"devices beyond any",
              {loadWith(R"("model":{"family":"gpt2"},"shards":9223372036854775807)"), "shards"}},
             {"cancel without id", {R"({"type":"cancel"})", "\"id\""}},
             {"training without data", {R"({"type":"training"})", "\"data\""}},
             {"unknown data", {R"({"type":"training","data":{"kind":"web"}})", "\"web\""}},
             {"no samples", {R"({"type":"training","data":{"kind":"synthetic","samples":0}})", "samples"}},
             {"negative learning rate",
              {R"({"type":"training","data":{"kind":"synthetic"},"learning_rate":-1})", "learning_rate"}},
             {"batch without samples", {R"({"type":"batch","id":1,"micro_batch_size":1})", "samples"}},
             {"micro-batch of none",
              {R"({"type":"batch","id":1,"samples":4,"micro_batch_size":0})", "micro_batch_size"}},
             {"before the first sample",
              {R"({"type":"batch","id":1,"samples":4,"micro_batch_size":1,"first":-1})", "first"}},
             {"save nowhere", {R"({"type":"save","id":1})", "path"}}});
    }
    void refusesBadParentLines()
    {
        const auto& [line, named] = row<QByteArray, Text>();
        const auto parsed = parseParentMessage(view(line));
        QVERIFY(std::holds_alternative<ProtocolError>(parsed));
        const QString text = QString::fromStdString(std::get<ProtocolError>(parsed).text);
        VERIFY_CONTAINS(text, named);
        QVERIFY2(text.endsWith(QLatin1Char('.')), qPrintable(text));
    }
};

BATCHPEAK_TEST(ParentMessagesTest)
#include "tst_parent_messages.moc"
