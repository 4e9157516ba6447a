// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/model_spec.h"
#include "model/run_kind.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <functional>
#include <string>

using namespace batchpeak::model;

using Change = std::function<void(DecoderSpec&)>;

class ModelSpecTest : public QObject
{
    Q_OBJECT

private slots:
    void namesWhatCannotBe_data()
    {
        rows<Change, std::string>(
            {{"sound", {[](DecoderSpec&) {}, ""}},
             {"no layers", {[](DecoderSpec& s) { s.layers = 0; }, "layers"}},
             {"negative size", {[](DecoderSpec& s) { s.hiddenSize = -8; }, "hidden size"}},
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
             {"drops all", {[](DecoderSpec& s) { s.dropout = 1; }, "dropout"}}});
    }
    void namesWhatCannotBe()
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

    void wordsGoBothWays()
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
