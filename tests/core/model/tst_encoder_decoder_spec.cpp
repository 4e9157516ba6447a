// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_table.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <functional>
#include <string>

using namespace batchpeak::model;

using Change = std::function<void(EncoderDecoderSpec&)>;

namespace {

struct Size
{
    std::int64_t hidden, layers, heads, headSize, feedForward;
};

EncoderDecoderSpec t5(const Size& size)
{
    return {.vocabularySize = 32128,
            .hiddenSize = size.hidden,
            .encoderLayers = size.layers,
            .decoderLayers = size.layers,
            .heads = size.heads,
            .headSize = size.headSize,
            .feedForwardSize = size.feedForward};
}

// Returns T5 1.1, which has gated feed-forward layers and a separate output embedding.
EncoderDecoderSpec t5Revised(const Size& size)
{
    EncoderDecoderSpec spec = t5(size);
    spec.activation = Activation::GeGlu;
    spec.tiedEmbeddings = false;
    return spec;
}

} // namespace

class EncoderDecoderSpecTest : public QObject
{
    Q_OBJECT

private slots:
    // Sizes are from arXiv 1910.10683, section 3.7, and from T5 1.1; counts are Hugging Face's for
    // T5ForConditionalGeneration.
    void countsPublishedNetworks_data()
    {
        rows<EncoderDecoderSpec, std::int64_t>(
            {{"small", {t5({512, 6, 8, 64, 2048}), 60506624}},
             {"base", {t5({768, 12, 12, 64, 3072}), 222903552}},
             {"large", {t5({1024, 24, 16, 64, 4096}), 737668096}},
             {"3b", {t5({1024, 24, 32, 128, 16384}), 2851598336}},
             {"11b", {t5({1024, 24, 128, 128, 65536}), 11307321344}},
             {"1.1 small", {t5Revised({512, 8, 6, 64, 1024}), 76961152}},
             {"1.1 base", {t5Revised({768, 12, 12, 64, 2048}), 247577856}}});
    }
    void countsPublishedNetworks()
    {
        const auto& [spec, expected] = row<EncoderDecoderSpec, std::int64_t>();
        QCOMPARE(parameterCount({.family = "t5", .architecture = spec}), expected);
    }

    void countsTheBiasesOfLayerNorm()
    {
        EncoderDecoderSpec spec = t5({8, 2, 2, 4, 16});
        spec.decoderLayers = 1;
        const std::int64_t without = parameterCount({.architecture = spec});
        spec.normalization = Normalization::LayerNorm;
        // Two in each encoder layer, three in each decoder layer, and one at the end of each stack.
        QCOMPARE(parameterCount({.architecture = spec}), without + 8 * (2 * 2 + 3 + 2));
    }

    void namesInvalidValues_data()
    {
        rows<Change, std::string>(
            {{"sound", {[](EncoderDecoderSpec&) {}, ""}},
             {"no decoder layers", {[](EncoderDecoderSpec& s) { s.decoderLayers = 0; }, "decoder layers"}},
             {"heads of another size", {[](EncoderDecoderSpec& s) { s.headSize = 5; }, ""}},
             {"odd buckets", {[](EncoderDecoderSpec& s) { s.relativeBuckets = 6; }, "multiple of 4"}},
             {"no buckets", {[](EncoderDecoderSpec& s) { s.relativeBuckets = 0; }, "multiple of 4"}},
             {"short distance",
              {[](EncoderDecoderSpec& s) { s.maxRelativeDistance = 16; }, "more than half"}},
             {"drops all", {[](EncoderDecoderSpec& s) { s.dropout = 1; }, "dropout"}}});
    }
    void namesInvalidValues()
    {
        const auto& [change, named] = row<Change, std::string>();
        EncoderDecoderSpec spec = t5({8, 1, 2, 4, 16});
        change(spec);
        const auto problem = problemWith(spec);
        QCOMPARE(problem.has_value(), !named.empty());
        if (problem)
            QVERIFY2(problem->find(named) != std::string::npos, problem->c_str());
    }
};

BATCHPEAK_TEST(EncoderDecoderSpecTest)
#include "tst_encoder_decoder_spec.moc"
