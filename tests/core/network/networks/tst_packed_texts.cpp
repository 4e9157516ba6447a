// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/execution_state.h"
#include "network/networks/decoder_network.h"
#include "network_comparison.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "tiny_networks.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <QTest>

#include <algorithm>
#include <vector>

using namespace batchpeak;
using namespace batchpeak::network;
using model::DecoderSpec;

namespace {

constexpr std::int64_t samples = 2;
constexpr std::int64_t length = 16;

struct Packing
{
    DecoderSpec spec;
    std::int64_t textLength = 4;
    bool takesMasks = true;
};

DecoderSpec windowed(DecoderSpec spec)
{
    spec.attentionWindow = 3;
    spec.windowedLayers = {1};
    return spec;
}

DecoderSpec capped(DecoderSpec spec)
{
    spec.attentionSoftCap = 5.0;
    return spec;
}

at::Tensor randomTokens(const DecoderSpec& spec)
{
    at::manual_seed(12);
    return at::randint(spec.vocabularySize, {samples, length}, at::kLong);
}

/// Returns the logits of each text alone, concatenated.
at::Tensor logitsOfTexts(const DecoderNetwork& network, const at::Tensor& tokens, std::int64_t textLength)
{
    std::vector<at::Tensor> logits;
    for (std::int64_t first = 0; first < length; first += textLength)
        logits.push_back(network.logits(tokens.narrow(1, first, std::min(textLength, length - first))));
    return at::cat(logits, 1);
}

NetworkOptions optionsFor(const Packing& packing)
{
    return {
        .sequenceLength = length, .takesMasks = packing.takesMasks, .packedTextLength = packing.textLength};
}

} // namespace

/// Tests that the texts in a packed sample give the same results as each text alone, whether masks separate
/// them or they are split before attention. Networks with learned positions are excluded: their positions
/// continue through a sample.
class PackedTextsTest : public QObject
{
    Q_OBJECT

private:
    static void addPackings()
    {
        const auto add = rows<Packing>();
        for (const bool takesMasks : {true, false}) {
            const std::string way = takesMasks ? ", by masks" : ", cut apart";
            const auto addOne = [&](const char* name, const DecoderSpec& spec, std::int64_t textLength) {
                add(name + way, Packing{spec, textLength, takesMasks});
            };
            addOne("grouped queries", tinyLlama(), 4);
            addOne("the last text shorter", tinyLlama(), 6);
            addOne("texts of one token", tinyLlama(), 1);
            addOne("normalized heads", tinyQwen(), 4);
            addOne("ALiBi", tinyBloom(), 4);
            addOne("a window in one layer", windowed(tinyLlama()), 6);
            addOne("capped scores", capped(tinyLlama()), 4);
            addOne("experts", tinyMixtral(), 4);
        }
    }

private slots:
    void initTestCase() { prepareLibtorch(); }

    void computesEachTextAsIfAlone_data() { addPackings(); }
    void computesEachTextAsIfAlone()
    {
        const auto& packing = row<Packing>();
        const at::NoGradGuard noGradients;
        const FlatParameters parameters = randomParameters(packing.spec);
        const at::Tensor tokens = randomTokens(packing.spec);
        const DecoderNetwork alone(packing.spec, parameters, {.sequenceLength = length});
        const at::Tensor expected = logitsOfTexts(alone, tokens, packing.textLength);
        const DecoderNetwork packed(packing.spec, parameters, optionsFor(packing));
        VERIFY_BELOW(relativeDifference(packed.logits(tokens), expected), 1e-5);
        // One long text has other logits.
        QVERIFY(relativeDifference(alone.logits(tokens), expected) > 1e-3);
    }

    void hasTheGradientsOfSeparateTexts_data() { addPackings(); }
    void hasTheGradientsOfSeparateTexts()
    {
        const auto& packing = row<Packing>();
        FlatParameters parameters = randomParameters(packing.spec, model::Phase::Train);
        const auto table = model::parameterTable(packing.spec);
        const at::Tensor tokens = randomTokens(packing.spec);
        const at::Tensor targets = tokens.roll(-1, 1);
        const auto count = static_cast<double>(tokens.numel());
        const DecoderNetwork alone(packing.spec, parameters, {.sequenceLength = length, .trains = true});
        for (std::int64_t first = 0; first < length; first += packing.textLength) {
            const std::int64_t size = std::min(packing.textLength, length - first);
            const Batch text{.inputs = {tokens.narrow(1, first, size)},
                             .targets = targets.narrow(1, first, size).contiguous()};
            alone.loss(text, count).backward();
        }
        const auto expected = gradientsOf(parameters, table);

        parameters.clearGradients();
        NetworkOptions options = optionsFor(packing);
        options.trains = true;
        const DecoderNetwork packed(packing.spec, parameters, options);
        packed.loss({.inputs = {tokens}, .targets = targets}, count).backward();
        const auto worst = worstDifference(gradientsOf(parameters, table), expected, table);
        QVERIFY2(worst.relative < 1e-4,
                 qPrintable(worst.parameter + QLatin1Char(' ') + QString::number(worst.relative)));
    }

    // A mask needs memory, splitting the texts does not.
    void countsTheMaskIfItUsesOne()
    {
        const DecoderSpec spec = tinyLlama();
        const auto bytes = [&spec](std::int64_t textLength, bool takesMasks) {
            std::int64_t sum = 0;
            for (const std::int64_t tensor : DecoderNetwork::bufferBytes(
                     spec,
                     {.sequenceLength = length, .takesMasks = takesMasks, .packedTextLength = textLength}))
                sum += tensor;
            return sum;
        };
        QCOMPARE(bytes(4, true), bytes(0, true) + length * length);
        QCOMPARE(bytes(4, false), bytes(0, true));
    }
};

BATCHPEAK_TEST(PackedTextsTest)

#include "tst_packed_texts.moc"
