// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_table.h"
#include "parity_step.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "tensor_file.h"

#include <ATen/ATen.h>

#include <QTemporaryDir>
#include <QTest>

#include <functional>
#include <stdexcept>

using namespace batchpeak;

namespace {

using Change = std::function<void(NamedTensors&)>;

constexpr std::int64_t samples = 5;
constexpr std::int64_t length = 6;

trial::LoadRequest tinyRequest()
{
    return {.model = {.family = "gpt2",
                      .architecture = model::DecoderSpec{.vocabularySize = 11,
                                                         .hiddenSize = 8,
                                                         .layers = 2,
                                                         .heads = 2,
                                                         .keyValueHeads = 2,
                                                         .feedForwardSize = 12,
                                                         .maxPositions = length}},
            .sequenceLength = length};
}

trial::LoadRequest tinyRequest(const model::Tuning& tuning)
{
    trial::LoadRequest request = tinyRequest();
    request.tuning = tuning;
    return request;
}

NamedTensors tinyTensors(const trial::LoadRequest& request = tinyRequest())
{
    at::manual_seed(1);
    NamedTensors given{{"inputs.0", at::randint(11, {samples, length}, at::kLong)},
                       {"targets", at::randint(11, {samples, length}, at::kLong)}};
    for (const model::Parameter& parameter : model::parameterTable(request.model, request.tuning))
        given.emplace("parameters." + parameter.name, at::randn(parameter.shape));
    return given;
}

const model::Tuning adapters{.adapter = model::AdapterKind::Lora,
                             .rank = 2,
                             .targets = {{.projection = model::Projection::QueryKeyValue}}};

} // namespace

class ParityStepTest : public QObject
{
    Q_OBJECT

private slots:
    void readsItsOwnFile()
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("tensors.pt")).toStdString();
        const NamedTensors written = tinyTensors();
        writeTensors(path, written);
        const NamedTensors read = readTensors(path);
        QCOMPARE(read.size(), written.size());
        for (const auto& [name, tensor] : written) {
            QCOMPARE(read.at(name).scalar_type(), tensor.scalar_type());
            QVERIFY2(at::equal(read.at(name), tensor), name.c_str());
        }
    }

    void refusesAFileWithoutTensors()
    {
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, readTensors("/dev/null"));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, readTensors(BATCHPEAK_SOURCE_DIR "/README.md"));
    }

    // Zeros before the output make all tokens equally likely, so the loss is known.
    void runsOnTheGivenWeights()
    {
        NamedTensors given = tinyTensors();
        given.at("parameters.final_norm.weight").zero_();
        given.at("parameters.final_norm.bias").zero_();
        const NamedTensors result = parityStep(tinyRequest(), given, {samples});
        QVERIFY(std::abs(result.at("loss").item<double>() - std::log(11.0)) < 1e-6);
        QVERIFY(result.at("gradients.final_norm.bias").abs().sum().item<double>() > 0);
    }

    void addsUpUnevenMicroBatches()
    {
        NamedTensors given = tinyTensors();
        given.at("targets").narrow(0, 0, 2).narrow(1, 1, 3).fill_(-100);
        const NamedTensors whole = parityStep(tinyRequest(), given, {samples});
        const NamedTensors parts = parityStep(tinyRequest(), given, {1, 3, 1});
        for (const auto& [name, value] : whole)
            QVERIFY2(at::allclose(parts.at(name), value, 1e-4, 1e-6), name.c_str());
    }

    // 2 layers of {2, 8} and {24, 2}, in addition to 88 + 48 + 16 + 2 (32 + 216 + 72 + 108 + 104).
    void countsTrainedParameters()
    {
        const trial::LoadRequest request = tinyRequest(adapters);
        const NamedTensors result = parityStep(request, tinyTensors(request), {samples});
        QCOMPARE(result.at("count.trained").item<std::int64_t>(), 128);
        QCOMPARE(result.at("count.all").item<std::int64_t>(), 128 + 1216);
        QCOMPARE(result.at("bytes.quantized").item<std::int64_t>(), 0);
        QVERIFY(
            result.at("gradients.layers.1.attention.qkv.query_key_value.lora_a").abs().max().item<double>() >
            0);
        QVERIFY(!result.contains("gradients.layers.1.attention.qkv.weight"));
    }

    // The quantized weights differ from the given ones, but are close to them.
    void quantizesTheGivenWeights()
    {
        model::Tuning tuning = adapters;
        tuning.frozenWeights = model::FrozenWeights::Nf4;
        const trial::LoadRequest request = tinyRequest(tuning);
        const NamedTensors given = tinyTensors(request);
        const NamedTensors narrow = parityStep(request, given, {samples});
        const double wideLoss = parityStep(tinyRequest(adapters), given, {samples}).at("loss").item<double>();
        const double loss = narrow.at("loss").item<double>();
        QVERIFY(loss != wideLoss);
        QVERIFY2(std::abs(loss - wideLoss) < 0.3 * wideLoss, qPrintable(QString::number(loss)));
        // In each of 2 layers, matrices of 192, 64, 96 and 96 elements have half a byte per element, one byte
        // per 64 elements, and twice 4 bytes.
        QCOMPARE(narrow.at("bytes.quantized").item<std::int64_t>(),
                 2 * ((96 + 3) + (32 + 1) + 2 * (48 + 2) + 4 * 8));
    }

    void refusesTensorsOfAnotherNetwork_data()
    {
        rows<Change, const char*>(
            {{"missing",
              {[](auto& given) { given.erase("parameters.final_norm.bias"); },
               "The tensor parameters.final_norm.bias is missing."}},
             {"unknown",
              {[](auto& given) { given.emplace("parameters.final_nrom.bias", at::zeros({8})); },
               "The tensor parameters.final_nrom.bias is no parameter of the network."}},
             {"shape",
              {[](auto& given) { given.at("parameters.final_norm.bias") = at::zeros({9}); },
               "of shape [9], but the network wants float of shape [8]."}},
             {"type",
              {[](auto& given) { given.at("parameters.final_norm.bias") = at::zeros({8}, at::kDouble); },
               "The tensor parameters.final_norm.bias is CPUDoubleType"}},
             {"batch",
              {[](auto& given) {
                   given.at("targets") = at::zeros({4, length}, at::kLong);
               },
               "The micro-batches do not add up to the 4 samples of the batch."}}});
    }
    void refusesTensorsOfAnotherNetwork()
    {
        const auto& [spoil, text] = row<Change, const char*>();
        NamedTensors given = tinyTensors();
        spoil(given);
        try {
            parityStep(tinyRequest(), given, {samples});
            QFAIL("It was accepted.");
        } catch (const std::invalid_argument& error) {
            QVERIFY2(QString::fromUtf8(error.what()).contains(QLatin1String(text)), error.what());
        }
    }
};

BATCHPEAK_TEST(ParityStepTest)
#include "tst_parity_step.moc"
