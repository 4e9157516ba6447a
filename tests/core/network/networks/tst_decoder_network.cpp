// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/execution_state.h"
#include "network/networks/decoder_network.h"
#include "network_comparison.h"
#include "reference_decoder.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "tiny_networks.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <QTest>

#include <cmath>
#include <stdexcept>
#include <vector>

using namespace batchpeak;
using namespace batchpeak::network;
using model::DecoderSpec;

namespace {

constexpr std::int64_t samples = 2;
constexpr std::int64_t length = 16;

at::Tensor randomTokens(const DecoderSpec& spec)
{
    at::manual_seed(12);
    return at::randint(spec.vocabularySize, {samples, length}, at::kLong);
}

} // namespace

class DecoderNetworkTest : public QObject
{
    Q_OBJECT

private:
    at::NoGradGuard m_noGradients;

    template<typename Add>
    static void addYoungerNetworks(const Add& add)
    {
        add("Gemma 2: norms after branches, windows, caps", tinyGemma2());
        add("Gemma 3: windows, norms after branches and of heads", changed(tinyGemma2(), [](DecoderSpec& s) {
                s.attentionSoftCap = s.logitSoftCap = 0.0;
                s.queryKeyNormalization = true;
            }));
        add("capped scores with LayerNorm and a key per head", changed(tinyGpt(), [](DecoderSpec& s) {
                s.attentionSoftCap = 1.5;
                s.branchOutputNormalization = true;
            }));
        add("cap and ALiBi", changed(tinyBloom(), [](DecoderSpec& s) { s.attentionSoftCap = 1.5; }));
        add("GPT-NeoX: parallel branches, each normalized", tinyNeoX());
        add("Phi: parallel branches of one input", changed(tinyNeoX(), [](DecoderSpec& s) {
                s.branches = model::Branches::Parallel;
                s.outputBias = true;
            }));
        add("parallel branches with norms after them", changed(tinyNeoX(), [](DecoderSpec& s) {
                s.branches = model::Branches::Parallel;
                s.branchOutputNormalization = true;
            }));
        add("Cohere 2: no biases of norms, unrotated layers without a window", tinyCohere2());
        add("Mistral: a window in every layer",
            changed(tinyLlama(), [](DecoderSpec& s) { s.attentionWindow = 3; }));
        add("window of one token", changed(tinyGpt(), [](DecoderSpec& s) { s.attentionWindow = 1; }));
        add("window as long as the sequence",
            changed(tinyLlama(), [](DecoderSpec& s) { s.attentionWindow = length; }));
        add("GPT-Neo: learned positions, a window in every other layer",
            changed(tinyGpt(), [](DecoderSpec& s) {
                s.attentionWindow = 4;
                s.windowedLayers = {1};
            }));
        add("OPT: positions from the second row on",
            changed(tinyGpt(), [](DecoderSpec& s) { s.positionOffset = 2; }));
        add("Nemotron: squared ReLU",
            changed(tinyNeoX(), [](DecoderSpec& s) { s.activation = model::Activation::ReluSquared; }));
        add("Qwen of experts: a shared one with a gate, a layer without", tinyQwenOfExperts());
        add("DeepSeekMoE: a shared expert without a gate", changed(tinyMixtral(), [](DecoderSpec& s) {
                s.sharedExpertSize = 24;
                s.denseLayers = 1;
            }));
    }

private slots:
    void initTestCase() { prepareLibtorch(); }

    void computesWhatThePapersSay_data()
    {
        const auto add = rows<DecoderSpec>();
        add("GPT", tinyGpt());
        add("GPT, untied, approximated GELU, output bias", changed(tinyGpt(), [](DecoderSpec& spec) {
                spec.tiedEmbeddings = false;
                spec.outputBias = true;
                spec.activation = model::Activation::GeluTanh;
            }));
        add("Mixtral", tinyMixtral());
        add("Mixtral, one expert a token, of GELU", changed(tinyMixtral(), [](DecoderSpec& spec) {
                spec.expertsPerToken = 1;
                spec.activation = model::Activation::Gelu;
            }));
        using enum model::Activation;
        for (const model::Activation activation : {GeluNew, GeluFast, GeluPython, BloomGelu, GeGluNew}) {
            add(std::string(model::toText(activation)),
                changed(tinyGpt(), [activation](DecoderSpec& spec) { spec.activation = activation; }));
        }
        add("BLOOM", tinyBloom());
        add("Jais, heads no power of two", changed(tinyBloom(), [](DecoderSpec& spec) {
                spec.embeddingNormalization = false;
                spec.activation = model::Activation::SwiGlu;
                spec.hiddenSize = 36;
                spec.heads = spec.keyValueHeads = 6;
            }));
        add("GPT with ReLU",
            changed(tinyGpt(), [](DecoderSpec& spec) { spec.activation = model::Activation::Relu; }));
        add("GPT with GeGLU",
            changed(tinyGpt(), [](DecoderSpec& spec) { spec.activation = model::Activation::GeGlu; }));
        add("GPT without biases", changed(tinyGpt(), [](DecoderSpec& spec) {
                spec.attentionBias = spec.attentionOutputBias = spec.feedForwardBias = false;
            }));
        add("LLaMA, grouped queries", tinyLlama());
        add("LLaMA, one key for all",
            changed(tinyLlama(), [](DecoderSpec& spec) { spec.keyValueHeads = 1; }));
        add("LLaMA, a key each, tied", changed(tinyLlama(), [](DecoderSpec& spec) {
                spec.keyValueHeads = spec.heads;
                spec.tiedEmbeddings = true;
            }));
        add("half of each head rotated", changed(tinyLlama(), [](DecoderSpec& spec) {
                spec.rotaryDimensions = 4;
                spec.ropeTheta = 500000;
            }));
        add("Qwen2: biases of queries, keys and values alone",
            changed(tinyLlama(), [](DecoderSpec& spec) { spec.attentionBias = true; }));
        add("Qwen3: heads of their own size, normalized", tinyQwen());
        add("Mistral-Nemo: heads smaller than their share",
            changed(tinyLlama(), [](DecoderSpec& spec) { spec.headSize = 6; }));
        add("normalized heads, of which half is rotated", changed(tinyQwen(), [](DecoderSpec& spec) {
                spec.rotaryDimensions = 8;
                spec.keyValueHeads = spec.heads;
            }));
        add("BLOOM with normalized heads", changed(tinyBloom(), [](DecoderSpec& spec) {
                spec.headSize = 5;
                spec.queryKeyNormalization = true;
            }));
        add("hidden size not divisible by the heads",
            changed(tinyQwen(), [](DecoderSpec& spec) { spec.heads = spec.keyValueHeads = 3; }));
        addYoungerNetworks(add);
    }
    void computesWhatThePapersSay()
    {
        const auto& spec = row<DecoderSpec>();
        const FlatParameters parameters = randomParameters(spec);
        const DecoderNetwork network(spec, parameters, {.sequenceLength = length});
        const at::Tensor tokens = randomTokens(spec);
        const at::Tensor expected = ReferenceDecoder(spec, parameters).logits(tokens);
        VERIFY_BELOW(relativeDifference(network.logits(tokens), expected), 1e-5);

        const at::Tensor targets = tokens.roll(-1, 1);
        const at::Tensor right = expected.gather(-1, targets.unsqueeze(-1)).squeeze(-1);
        const double loss = (expected.logsumexp(-1) - right).mean().item<double>();
        const auto count = static_cast<double>(tokens.numel());
        const double actual = network.loss({.inputs = {tokens}, .targets = targets}, count).item<double>();
        VERIFY_BELOW(std::abs(actual / loss - 1), 1e-5);
    }

    void hasTheGradientsOfThePapersFormulas_data()
    {
        rows<DecoderSpec>({{"GPT", tinyGpt()},
                           {"LLaMA", tinyLlama()},
                           {"Qwen3", tinyQwen()},
                           {"Mixtral", tinyMixtral()},
                           {"BLOOM", tinyBloom()},
                           {"Gemma 2", tinyGemma2()},
                           {"GPT-NeoX", tinyNeoX()},
                           {"Cohere 2", tinyCohere2()},
                           {"Qwen of experts", tinyQwenOfExperts()}});
    }
    void hasTheGradientsOfThePapersFormulas()
    {
        const auto& spec = row<DecoderSpec>();
        const at::AutoGradMode gradients(true);
        FlatParameters parameters = randomParameters(spec, model::Phase::Train);
        const auto table = model::parameterTable(spec);
        const at::Tensor tokens = randomTokens(spec);
        const at::Tensor targets = tokens.roll(-1, 1);
        const at::Tensor logits = ReferenceDecoder(spec, parameters).logits(tokens);
        const at::Tensor right = logits.gather(-1, targets.unsqueeze(-1)).squeeze(-1);
        (logits.logsumexp(-1) - right).mean().backward();
        const auto expected = gradientsOf(parameters, table);

        parameters.clearGradients();
        const DecoderNetwork network(spec, parameters, {.sequenceLength = length, .trains = true});
        network.loss({.inputs = {tokens}, .targets = targets}, static_cast<double>(tokens.numel()))
            .backward();
        const auto worst = worstDifference(gradientsOf(parameters, table), expected, table);
        QVERIFY2(worst.relative < 1e-4,
                 qPrintable(worst.parameter + QLatin1Char(' ') + QString::number(worst.relative)));
    }

    void computesGroupedQueriesAsWithRepeatedKeys()
    {
        const DecoderSpec grouped = tinyLlama();
        DecoderSpec repeated = grouped;
        repeated.keyValueHeads = grouped.heads;
        const FlatParameters of = randomParameters(grouped);
        const FlatParameters with = randomParameters(repeated);
        const std::int64_t size = grouped.hiddenSize / grouped.heads;
        for (const model::Parameter& parameter : model::parameterTable(grouped)) {
            at::Tensor value = of.at(parameter.name);
            if (parameter.name.ends_with("qkv.weight")) {
                std::vector<at::Tensor> heads;
                for (std::int64_t head = 0; head < grouped.heads; ++head)
                    heads.push_back(value.narrow(0, head * size, size));
                for (std::int64_t kind : {0, 1}) {
                    for (std::int64_t head = 0; head < grouped.heads; ++head) {
                        const std::int64_t key = grouped.heads + kind * grouped.keyValueHeads + head / 2;
                        heads.push_back(value.narrow(0, key * size, size));
                    }
                }
                value = at::cat(heads, 0);
            }
            at::Tensor(with.at(parameter.name)).copy_(value);
        }
        const at::Tensor tokens = randomTokens(grouped);
        const at::Tensor a = DecoderNetwork(grouped, of, {.sequenceLength = length}).logits(tokens);
        const at::Tensor b = DecoderNetwork(repeated, with, {.sequenceLength = length}).logits(tokens);
        VERIFY_BELOW(relativeDifference(a, b), 1e-5);

        const DecoderNetwork repeats(grouped, of, {.sequenceLength = length, .repeatsKeys = true});
        VERIFY_BELOW(relativeDifference(repeats.logits(tokens), a), 1e-5);
    }

    void staysCloseInBf16_data()
    {
        rows<DecoderSpec>({{"GPT", tinyGpt()},
                           {"LLaMA", tinyLlama()},
                           {"Qwen3", tinyQwen()},
                           {"Gemma 2", tinyGemma2()},
                           {"Cohere 2", tinyCohere2()}});
    }
    void staysCloseInBf16()
    {
        const auto& spec = row<DecoderSpec>();
        const FlatParameters parameters = randomParameters(spec);
        const at::Tensor tokens = randomTokens(spec);
        const at::Tensor exact = DecoderNetwork(spec, parameters, {.sequenceLength = length}).logits(tokens);
        const DecoderNetwork network(spec, parameters,
                                     {.sequenceLength = length, .computeType = at::kBFloat16});
        const AutocastGuard autocast(at::kCPU, at::kBFloat16);
        const at::Tensor logits = network.logits(tokens);
        QCOMPARE(logits.scalar_type(), at::kBFloat16);
        const double difference = relativeDifference(logits.to(at::kFloat), exact);
        // bf16 keeps 8 bits: each product is off by 0.4 %.
        QVERIFY2(difference > 0 && difference < 0.1, qPrintable(QString::number(difference)));
        QCOMPARE(network.loss({.inputs = {tokens}, .targets = tokens}, 1.0).scalar_type(), at::kFloat);
    }

    void restoresAutocast()
    {
        const at::Tensor matrix = at::ones({4, 4});
        {
            const AutocastGuard autocast(at::kCPU, at::kBFloat16);
            QCOMPARE(at::matmul(matrix, matrix).scalar_type(), at::kBFloat16);
        }
        {
            const AutocastGuard autocast(at::kCPU, std::nullopt);
            QCOMPARE(at::matmul(matrix, matrix).scalar_type(), at::kFloat);
        }
        QCOMPARE(at::matmul(matrix, matrix).scalar_type(), at::kFloat);
    }

    void appliesDropoutOnlyInTraining_data()
    {
        rows<double, double>({{"residual branches", {0.3, 0.0}}, {"attention weights", {0.0, 0.3}}});
    }
    void appliesDropoutOnlyInTraining()
    {
        const auto& [dropout, attentionDropout] = row<double, double>();
        DecoderSpec spec = tinyGpt();
        const FlatParameters parameters = randomParameters(spec);
        const at::Tensor tokens = randomTokens(spec);
        const at::Tensor without =
            DecoderNetwork(spec, parameters, {.sequenceLength = length}).logits(tokens);
        spec.dropout = dropout;
        spec.attentionDropout = attentionDropout;
        const DecoderNetwork evaluates(spec, parameters, {.sequenceLength = length});
        QVERIFY(at::equal(evaluates.logits(tokens), without));
        const DecoderNetwork trains(spec, parameters, {.sequenceLength = length, .trains = true});
        const at::Tensor first = trains.logits(tokens);
        QVERIFY(!at::allclose(first, without));
        QVERIFY(!at::allclose(first, trains.logits(tokens)));
    }

    // Through two layers a token reaches back over two windows, and no further.
    void doesNotSeeBeyondTheWindow()
    {
        const DecoderSpec spec = changed(tinyLlama(), [](DecoderSpec& s) { s.attentionWindow = 4; });
        const FlatParameters parameters = randomParameters(spec);
        const DecoderNetwork network(spec, parameters, {.sequenceLength = length});
        const at::Tensor tokens = randomTokens(spec);
        at::Tensor other = tokens.clone();
        other.select(1, 0).add_(1).remainder_(spec.vocabularySize);
        const at::Tensor a = network.logits(tokens);
        const at::Tensor b = network.logits(other);
        constexpr std::int64_t reached = 2 * (4 - 1);
        QVERIFY(!at::allclose(a.select(1, reached), b.select(1, reached)));
        QVERIFY(at::equal(a.slice(1, reached + 1), b.slice(1, reached + 1)));
    }

    void acceptsLongerSequencesIfPositionsAreComputed()
    {
        const DecoderSpec spec = changed(tinyLlama(), [](DecoderSpec& s) { s.maxPositions = 8; });
        const FlatParameters parameters = randomParameters(spec);
        const at::Tensor tokens = randomTokens(spec);
        const at::Tensor expected = ReferenceDecoder(spec, parameters).logits(tokens);
        const DecoderNetwork network(spec, parameters, {.sequenceLength = length});
        VERIFY_BELOW(relativeDifference(network.logits(tokens), expected), 1e-5);

        const DecoderSpec learned = changed(tinyGpt(), [](DecoderSpec& s) { s.maxPositions = 8; });
        const FlatParameters ofLearned = randomParameters(learned);
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument,
                                 DecoderNetwork(learned, ofLearned, {.sequenceLength = length}));
    }

    void doesNotSeeTheFuture_data() { staysCloseInBf16_data(); }
    void doesNotSeeTheFuture()
    {
        const auto& spec = row<DecoderSpec>();
        const FlatParameters parameters = randomParameters(spec);
        const DecoderNetwork network(spec, parameters, {.sequenceLength = length});
        const at::Tensor tokens = randomTokens(spec);
        at::Tensor other = tokens.clone();
        other.select(1, length - 1).add_(1).remainder_(spec.vocabularySize);
        const at::Tensor a = network.logits(tokens);
        const at::Tensor b = network.logits(other);
        QVERIFY(at::allclose(a.slice(1, 0, length - 1), b.slice(1, 0, length - 1), 1e-5, 1e-6));
        QVERIFY(!at::allclose(a.select(1, length - 1), b.select(1, length - 1)));
    }
};

BATCHPEAK_TEST(DecoderNetworkTest)
#include "tst_decoder_network.moc"
