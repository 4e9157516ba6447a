// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_table.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <functional>
#include <string>

using namespace batchpeak::model;

using Change = std::function<void(EncoderSpec&)>;

namespace {

EncoderSpec bert(std::int64_t hidden, std::int64_t layers, std::int64_t heads)
{
    return {.vocabularySize = 30522,
            .hiddenSize = hidden,
            .layers = layers,
            .heads = heads,
            .feedForwardSize = 4 * hidden,
            .maxPositions = 512,
            .maskedLanguageHead = false};
}

EncoderSpec withPooler(EncoderSpec spec)
{
    spec.pooler = true;
    return spec;
}

EncoderSpec withMaskedLanguageHead(EncoderSpec spec)
{
    spec.maskedLanguageHead = true;
    return spec;
}

EncoderSpec forPreTraining(EncoderSpec spec)
{
    spec.nextSentenceHead = true;
    return withMaskedLanguageHead(withPooler(spec));
}

EncoderSpec esm2(std::int64_t hidden, std::int64_t layers, std::int64_t heads)
{
    return {.vocabularySize = 33,
            .hiddenSize = hidden,
            .layers = layers,
            .heads = heads,
            .feedForwardSize = 4 * hidden,
            .maxPositions = 1026,
            .tokenTypes = 0,
            .positionEmbedding = PositionEmbedding::Rotary,
            .normalizesFirst = true,
            .embeddingNormalization = false,
            .finalNormalization = true,
            .tokenDropout = true,
            .maskToken = 32};
}

EncoderSpec changed(EncoderSpec spec, const Change& change)
{
    change(spec);
    return spec;
}

} // namespace

class EncoderSpecTest : public QObject
{
    Q_OBJECT

private slots:
    void countsPublishedNetworks_data()
    {
        rows<EncoderSpec, std::int64_t>(
            {// Sizes are from arXiv 1810.04805; counts are Hugging Face's for BertModel,
             // BertForMaskedLM and BertForPreTraining.
             {"BERT base", {withPooler(bert(768, 12, 12)), 109482240}},
             {"BERT base, no pooler", {bert(768, 12, 12), 108891648}},
             {"BERT base, masked language", {withMaskedLanguageHead(bert(768, 12, 12)), 109514298}},
             {"BERT base, pre-training", {forPreTraining(bert(768, 12, 12)), 110106428}},
             {"BERT large", {withPooler(bert(1024, 24, 16)), 335141888}},
             // Counts are Hugging Face's for EsmForMaskedLM without the contact head, which masked-language
             // training does not use: a weight for every head of every layer, and a bias.
             {"ESM-2 8M", {esm2(320, 6, 20), 7512474 - (6 * 20 + 1)}},
             {"ESM-2 650M", {esm2(1280, 33, 20), 651043254 - (33 * 20 + 1)}}});
    }
    void countsPublishedNetworks()
    {
        const auto& [spec, expected] = row<EncoderSpec, std::int64_t>();
        QCOMPARE(parameterCount({.family = "bert", .architecture = spec}), expected);
    }

    void countsAnUntiedOutput()
    {
        const EncoderSpec tied = withMaskedLanguageHead(bert(8, 1, 2));
        const EncoderSpec untied = changed(tied, [](EncoderSpec& spec) { spec.tiedEmbeddings = false; });
        QCOMPARE(parameterCount({.architecture = untied}),
                 parameterCount({.architecture = tied}) + 8 * tied.vocabularySize);
    }

    void decaysOnlyMatrices()
    {
        for (const Parameter& parameter : parameterTable(forPreTraining(bert(8, 1, 2))))
            QCOMPARE(parameter.decays, parameter.shape.size() == 2);
    }

    void reportsTheLongestSequence()
    {
        QCOMPARE(longestSequence(bert(8, 1, 2)), std::optional<std::int64_t>(512));
        QCOMPARE(longestSequence(esm2(8, 1, 2)), std::optional<std::int64_t>());
        QCOMPARE(defaultSequenceLength(esm2(8, 1, 2)), 1026);
    }

    void namesInvalidValues_data()
    {
        rows<Change, std::string>(
            {{"sound", {[](EncoderSpec&) {}, ""}},
             {"no vocabulary", {[](EncoderSpec& s) { s.vocabularySize = 0; }, "vocabulary size"}},
             {"heads do not divide", {[](EncoderSpec& s) { s.heads = 3; }, "3 attention heads"}},
             {"rotates more than a head", {[](EncoderSpec& s) { s.rotaryDimensions = 6; }, "head size, 4"}},
             {"negative token types", {[](EncoderSpec& s) { s.tokenTypes = -1; }, "at least 0"}},
             {"ALiBi", {[](EncoderSpec& s) { s.positionEmbedding = PositionEmbedding::Alibi; }, "not ALiBi"}},
             {"no head",
              {[](EncoderSpec& s) { s.maskedLanguageHead = false; }, "nothing that it could learn"}},
             {"next sentence without pooler",
              {[](EncoderSpec& s) { s.nextSentenceHead = true; }, "needs the pooler"}},
             {"mask token out of the vocabulary",
              {[](EncoderSpec& s) { s.tokenDropout = true, s.maskToken = s.vocabularySize; }, "mask token"}},
             {"drops all", {[](EncoderSpec& s) { s.attentionDropout = 1; }, "dropout"}}});
    }
    void namesInvalidValues()
    {
        const auto& [change, named] = row<Change, std::string>();
        const auto problem = problemWith(changed(withMaskedLanguageHead(bert(8, 1, 2)), change));
        QCOMPARE(problem.has_value(), !named.empty());
        if (problem)
            QVERIFY2(problem->find(named) != std::string::npos, problem->c_str());
    }
};

BATCHPEAK_TEST(EncoderSpecTest)
#include "tst_encoder_spec.moc"
