// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/model_spec.h"
#include "model/run_kind.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <functional>
#include <limits>
#include <string>

using namespace batchpeak::model;

using Change = std::function<void(DecoderSpec&)>;

class ModelSpecTest : public QObject
{
    Q_OBJECT

private slots:
    void namesInvalidValues_data()
    {
        rows<Change, std::string>(
            {{"sound", {[](DecoderSpec&) {}, ""}},
             {"no layers", {[](DecoderSpec& s) { s.layers = 0; }, "layers"}},
             {"negative size", {[](DecoderSpec& s) { s.hiddenSize = -8; }, "hidden size"}},
             {"more layers than any network has",
              {[](DecoderSpec& s) { s.layers = 2'000'000'000; }, "must be at most 10000"}},
             {"a size whose products overflow",
              {[](DecoderSpec& s) { s.feedForwardSize = std::int64_t{1} << 40; }, "must be at most"}},
             {"heads do not divide",
              {[](DecoderSpec& s) { s.heads = s.keyValueHeads = 3; },
               "not a multiple of the 3 attention heads"}},
             {"heads with a size of their own",
              {[](DecoderSpec& s) { s.heads = s.keyValueHeads = 3, s.headSize = 5; }, ""}},
             {"negative head size", {[](DecoderSpec& s) { s.headSize = -1; }, "The head size is -1"}},
             {"groups do not divide heads with a size of their own",
              {[](DecoderSpec& s) { s.headSize = 5, s.keyValueHeads = 3; }, "3 key-value heads"}},
             {"groups do not divide", {[](DecoderSpec& s) { s.keyValueHeads = 3; }, "3 key-value heads"}},
             {"rotates more than a head", {[](DecoderSpec& s) { s.rotaryDimensions = 6; }, "head size, 4"}},
             {"rotates more than a head that is larger than its share",
              {[](DecoderSpec& s) { s.headSize = 6, s.rotaryDimensions = 8; }, "head size, 6"}},
             {"rotates as much as a head that is larger than its share",
              {[](DecoderSpec& s) { s.headSize = 6, s.rotaryDimensions = 6; }, ""}},
             {"rotates heads of an odd size",
              {[](DecoderSpec& s) { s.headSize = 5, s.positionEmbedding = PositionEmbedding::Rotary; },
               "rotary dimension 5 must be an even number"}},
             {"fewer experts than a token takes",
              {[](DecoderSpec& s) { s.experts = 2, s.expertsPerToken = 3; }, "3 of 2 experts"}},
             {"window of a token", {[](DecoderSpec& s) { s.attentionWindow = 1; }, ""}},
             {"negative window", {[](DecoderSpec& s) { s.attentionWindow = -1; }, "attention window is -1"}},
             {"windowed layers without a window",
              {[](DecoderSpec& s) { s.windowedLayers = {0}; }, "at least 1 token"}},
             {"window beside ALiBi",
              {[](DecoderSpec& s) { s.attentionWindow = 2, s.positionEmbedding = PositionEmbedding::Alibi; },
               "ALiBi"}},
             {"windowed layers in order",
              {[](DecoderSpec& s) {
                   s.layers = 3, s.attentionWindow = 2, s.windowedLayers = {0, 2};
               },
               ""}},
             {"windowed layers out of order",
              {[](DecoderSpec& s) {
                   s.layers = 3, s.attentionWindow = 2, s.windowedLayers = {2, 0};
               },
               "windowed layers"}},
             {"windowed layer twice",
              {[](DecoderSpec& s) {
                   s.layers = 3, s.attentionWindow = 2, s.windowedLayers = {1, 1};
               },
               "each once, but 1 does not"}},
             {"windowed layer that is not there",
              {[](DecoderSpec& s) { s.attentionWindow = 2, s.windowedLayers = {1}; }, "at most 0"}},
             {"unrotated layer that is not there",
              {[](DecoderSpec& s) { s.unrotatedLayers = {-1}; }, "unrotated layers"}},
             {"negative cap of attention", {[](DecoderSpec& s) { s.attentionSoftCap = -1.0; }, "soft cap"}},
             {"cap of logits that is no number",
              {[](DecoderSpec& s) { s.logitSoftCap = std::numeric_limits<double>::quiet_NaN(); },
               "soft cap"}},
             {"negative offset", {[](DecoderSpec& s) { s.positionOffset = -1; }, "position offset is -1"}},
             {"shared expert beside none",
              {[](DecoderSpec& s) { s.sharedExpertSize = 4; }, "a network that has experts"}},
             {"shared expert of negative size",
              {[](DecoderSpec& s) { s.experts = 2, s.sharedExpertSize = -4; }, "at least 0"}},
             {"gate without a shared expert",
              {[](DecoderSpec& s) { s.experts = 2, s.sharedExpertGate = true; }, "has a gate"}},
             {"more dense layers than layers",
              {[](DecoderSpec& s) { s.experts = 2, s.denseLayers = 2; }, "2 of 1"}},
             {"dense layers without experts elsewhere",
              {[](DecoderSpec& s) { s.denseLayers = 1; }, "a network that has experts"}},
             {"experts, one of them shared, in all layers but one",
              {[](DecoderSpec& s) {
                   s.experts = 2, s.layers = 2, s.denseLayers = 1, s.sharedExpertSize = 4;
                   s.sharedExpertGate = true;
               },
               ""}},
             {"head size beyond any",
              {[](DecoderSpec& s) { s.headSize = std::int64_t{1} << 40; }, "The head size"}},
             {"more heads than any has",
              {[](DecoderSpec& s) { s.heads = s.hiddenSize = 2048; }, "must be at most 1024"}},
             {"drops all", {[](DecoderSpec& s) { s.dropout = 1; }, "dropout"}}});
    }
    void namesInvalidValues()
    {
        const auto& [change, named] = row<Change, std::string>();
        DecoderSpec spec{.vocabularySize = 16,
                         .hiddenSize = 8,
                         .layers = 1,
                         .heads = 2,
                         .keyValueHeads = 2,
                         .feedForwardSize = 16,
                         .maxPositions = 4};
        change(spec);
        const auto problem = problemWith(ModelSpec{.family = "gpt2", .architecture = spec});
        QCOMPARE(problem.has_value(), !named.empty());
        if (problem)
            QVERIFY2(problem->find(named) != std::string::npos, problem->c_str());
    }

    void parsesItsOwnWords()
    {
        for (const Precision precision :
             {Precision::Fp32, Precision::Tf32, Precision::Bf16, Precision::PureBf16})
            QCOMPARE(fromText<Precision>(toText(precision)), precision);
        for (const Phase phase : {Phase::Train, Phase::Eval})
            QCOMPARE(fromText<Phase>(toText(phase)), phase);
        QVERIFY(!fromText<Precision>("fp64"));
    }
};

BATCHPEAK_TEST(ModelSpecTest)
#include "tst_model_spec.moc"
