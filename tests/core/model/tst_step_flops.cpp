// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/step_flops.h"
#include "sample_decoders.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <cmath>

using namespace batchpeak::model;

namespace {

/// Returns a decoder with 16 heads of size 128 and a hidden size of 1024.
DecoderSpec qwen3Small()
{
    DecoderSpec spec = llama(151936, 8, 3072);
    spec.hiddenSize = 1024;
    spec.layers = 28;
    spec.heads = 16;
    spec.headSize = 128;
    spec.tiedEmbeddings = true;
    return spec;
}

DecoderSpec mixtral()
{
    DecoderSpec spec = llama(32000, 8, 14336);
    spec.experts = 8;
    return spec;
}

DecoderSpec gemma2()
{
    DecoderSpec spec = llama(256000, 4, 9216);
    spec.hiddenSize = 2304;
    spec.layers = 26;
    spec.heads = 8;
    spec.headSize = 256;
    spec.activation = Activation::GeGlu;
    spec.branchOutputNormalization = true;
    spec.attentionWindow = 4096;
    spec.tiedEmbeddings = true;
    return spec;
}

/// Returns a decoder with routed experts and a shared expert.
DecoderSpec decoderWithExperts(std::int64_t vocabulary, std::int64_t layers, std::int64_t experts,
                               std::int64_t taken, std::int64_t shared)
{
    DecoderSpec spec = llama(vocabulary, 16, 1408);
    spec.hiddenSize = 2048;
    spec.layers = layers;
    spec.heads = 16;
    spec.experts = experts;
    spec.expertsPerToken = taken;
    spec.sharedExpertSize = shared;
    return spec;
}

DecoderSpec qwenMoe()
{
    DecoderSpec spec = decoderWithExperts(151936, 24, 60, 4, 5632);
    spec.sharedExpertGate = true;
    return spec;
}

DecoderSpec deepSeekMoe()
{
    DecoderSpec spec = decoderWithExperts(102400, 28, 64, 6, 2816);
    spec.denseLayers = 1;
    spec.denseFeedForwardSize = 10944;
    return spec;
}

EncoderSpec bertBase(std::int64_t predictedTokens, bool hasSentenceHead)
{
    return {.vocabularySize = 30522,
            .hiddenSize = 768,
            .layers = 12,
            .heads = 12,
            .feedForwardSize = 3072,
            .maxPositions = 512,
            .pooler = hasSentenceHead,
            .nextSentenceHead = hasSentenceHead,
            .predictedTokens = predictedTokens};
}

EncoderSpec classifying(EncoderSpec spec, std::int64_t classes)
{
    spec.sentenceClasses = classes;
    return spec;
}

EncoderDecoderSpec t5Small()
{
    return {.vocabularySize = 32128,
            .hiddenSize = 512,
            .encoderLayers = 6,
            .decoderLayers = 6,
            .heads = 8,
            .headSize = 64,
            .feedForwardSize = 2048};
}

VisionTransformerSpec vit(std::int64_t patch, std::int64_t hidden, std::int64_t layers)
{
    return {.patchSize = patch,
            .hiddenSize = hidden,
            .layers = layers,
            .heads = hidden / 64,
            .feedForwardSize = 4 * hidden};
}

double forwardOf(const Architecture& architecture, std::int64_t length = 0, std::int64_t targets = 0)
{
    const StepSettings settings{.phase = Phase::Eval, .sequenceLength = length, .targetLength = targets};
    return *stepFlops({.architecture = architecture}, {settings});
}

} // namespace

class StepFlopsTest : public QObject
{
    Q_OBJECT

private slots:
    // FLOPs per token are 6 N + 12 L H Q T (arXiv 2204.02311, appendix B), where N is the published count of
    // parameters without those that nothing is multiplied by.
    void followsPalmsFormulaForDecoders_data()
    {
        rows<DecoderSpec, double, double, std::int64_t>(
            {// 124,439,808 less positions, 786,432, and normalizations and biases, 121,344.
             {"GPT-2 small", {gpt2Small(), 123'532'032.0, 12.0 * 768.0, 1024}},
             {"GPT-2 small, short", {gpt2Small(), 123'532'032.0, 12.0 * 768.0, 128}},
             // 6,738,415,616 less the embedding, 131,072,000, and normalizations, 266,240.
             {"LLaMA 7b", {llama(32000, 32, 11008), 6'607'077'376.0, 32.0 * 4096.0, 2048}},
             // 8,030,261,248 less 525,336,576 and 266,240; shared keys do not reduce attention.
             {"LLaMA 3 8b", {llama(128256, 8, 14336), 7'504'658'432.0, 32.0 * 4096.0, 4096}},
             // 596,049,920 less 65,536; heads are wider than the hidden size.
             {"Qwen3 0.6b", {qwen3Small(), 595'984'384.0, 28.0 * 2048.0, 1024}},
             // 46,702,792,704 less 131,072,000, 266,240 and six of eight experts, 33,822,867,456.
             {"Mixtral 8x7b", {mixtral(), 12'748'587'008.0, 32.0 * 4096.0, 2048}},
             // 2,614,341,888 less 241,920; a window does not reduce attention.
             {"Gemma 2 2b", {gemma2(), 2'614'099'968.0, 26.0 * 2048.0, 8192}},
             // 14,315,784,192 less 311,164,928, biases and normalizations, 247,808, and 56 of 60 experts,
             // 11,626,610,688.
             {"Qwen1.5 MoE", {qwenMoe(), 2'377'760'768.0, 24.0 * 2048.0, 2048}},
             // 16,375,728,128 less 209,715,200, 116,736, and 58 of 64 experts, 13,547,077,632.
             {"DeepSeekMoE 16b", {deepSeekMoe(), 2'618'818'560.0, 28.0 * 2048.0, 2048}}});
    }
    void followsPalmsFormulaForDecoders()
    {
        const auto& [spec, parameters, attention, length] = row<DecoderSpec, double, double, std::int64_t>();
        const auto tokens = static_cast<double>(length);
        const double aToken = 6.0 * parameters + 12.0 * attention * tokens;
        const StepSettings settings{.sequenceLength = length};
        const auto flops = stepFlops({.architecture = spec}, {settings});
        QCOMPARE(*flops, aToken * tokens);
    }

    // Numbers of multiply-adds, calculated by hand.
    void countsTheOtherTransformers_data()
    {
        rows<Architecture, std::int64_t, std::int64_t, double>(
            {// 512 * 12 * (12 * 768^2 + 2 * 512 * 768), and 512 * 768 * (768 + 30522)
             {"BERT-base, every token predicted",
              {bertBase(0, false), 512, 0, 48'318'382'080.0 + 12'303'728'640.0}},
             {"BERT-base, 20 of them", {bertBase(20, false), 512, 0, 48'318'382'080.0 + 480'614'400.0}},
             {"BERT-base, sentences too",
              {bertBase(20, true), 512, 0, 48'318'382'080.0 + 480'614'400.0 + 589'824.0 + 1'536.0}},
             {"BERT-base, five classes of texts",
              {classifying(bertBase(20, true), 5), 512, 0,
               48'318'382'080.0 + 480'614'400.0 + 589'824.0 + 3'840.0}},
             // Encoder 6 * 512 * (3,145,728 + 524,288); decoder 6 * (371,920,896 + 387,973,120); its head.
             {"T5 small", {t5Small(), 512, 114, 11'274'289'152.0 + 4'559'364'096.0 + 1'875'247'104.0}}});
    }
    void countsTheOtherTransformers()
    {
        const auto& [architecture, length, targets, products] =
            row<Architecture, std::int64_t, std::int64_t, double>();
        QCOMPARE(forwardOf(architecture, length, targets), 2.0 * products);
    }

    // GMACs of one image of 224 x 224, from _ops in the metadata of torchvision 0.15's weights.
    void agreesWithTorchvisionOnImages_data()
    {
        rows<Architecture, double>({{"ResNet-18", {ResNetSpec{.depth = 18}, 1.814}},
                                    {"ResNet-34", {ResNetSpec{.depth = 34}, 3.664}},
                                    {"ResNet-50", {ResNetSpec{.depth = 50}, 4.089}},
                                    {"ResNet-101", {ResNetSpec{.depth = 101}, 7.801}},
                                    {"ResNet-152", {ResNetSpec{.depth = 152}, 11.514}},
                                    {"ViT-B/16", {vit(16, 768, 12), 17.564}},
                                    {"ViT-B/32", {vit(32, 768, 12), 4.409}},
                                    {"ViT-L/16", {vit(16, 1024, 24), 61.555}}});
    }
    void agreesWithTorchvisionOnImages()
    {
        const auto& [architecture, gigaProducts] = row<Architecture, double>();
        const double ours = forwardOf(architecture) / 2e9;
        QVERIFY2(std::abs(ours - gigaProducts) < 0.001, qPrintable(QString::number(ours)));
    }

    void countsThreeForwardPassesForTraining()
    {
        const ModelSpec spec{.architecture = gpt2Small()};
        StepSettings settings{.phase = Phase::Eval, .sequenceLength = 64};
        const double forward = *stepFlops(spec, {settings});
        settings.phase = Phase::Train;
        QCOMPARE(*stepFlops(spec, {settings}), 3.0 * forward);
        settings.options.activationCheckpointing = true;
        QCOMPARE(*stepFlops(spec, {settings}), 3.0 * forward);
    }

    void returnsNothingForTorchScriptModules()
    {
        QVERIFY(!stepFlops({.architecture = ScriptSpec{}}, {StepSettings{}}));
    }

    void reportsThePrecisionOfThePeak()
    {
        const ModelSpec decoder{.architecture = gpt2Small()};
        const ModelSpec residual{.architecture = ResNetSpec{}};
        QCOMPARE(productPrecision(decoder, Precision::Fp32, {}), Precision::Fp32);
        QCOMPARE(productPrecision(residual, Precision::Fp32, {}), Precision::Tf32);
        QCOMPARE(productPrecision(residual, Precision::Fp32, {.convolvesInTf32 = false}), Precision::Fp32);
        QCOMPARE(productPrecision(residual, Precision::Bf16, {}), Precision::Bf16);
    }
};

BATCHPEAK_TEST(StepFlopsTest)
#include "tst_step_flops.moc"
