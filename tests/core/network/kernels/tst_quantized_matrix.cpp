// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/kernels/quantized_linear.h"
#include "network/kernels/quantized_matrix.h"
#include "network_comparison.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <ATen/ATen.h>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::network;
using model::FrozenWeights;

namespace {

QJsonArray cases(const char* name)
{
    QFile file(QStringLiteral(BATCHPEAK_TEST_DATA "/quantization/%1.json").arg(QString::fromUtf8(name)));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QJsonDocument document = QJsonDocument::fromJson(file.readAll());
    return document.isArray() ? document.array() : QJsonArray{document.object()};
}

at::Tensor numbers(const QJsonValue& list)
{
    std::vector<float> values;
    for (const QJsonValue& value : list.toArray())
        values.push_back(static_cast<float>(value.toDouble()));
    return at::tensor(values);
}

std::vector<std::int64_t> shapeOf(const QJsonObject& given)
{
    std::vector<std::int64_t> shape;
    for (const QJsonValue& size : given.value(QStringLiteral("shape")).toArray())
        shape.push_back(size.toInteger());
    return shape;
}

/// Compares with bitsandbytes' dequantized values, except for the last digit, which the recorded decimals
/// omit.
void compareWithTheirs(const QJsonObject& given, FrozenWeights weights)
{
    const at::Tensor values = numbers(given.value(QStringLiteral("values"))).view(shapeOf(given));
    const bool isDouble = given.value(QStringLiteral("double_quantization")).toBool();
    const QuantizedMatrix matrix(values, {}, weights, isDouble);
    const at::Tensor theirs = numbers(given.value(QStringLiteral("dequantized")));
    QVERIFY(at::allclose(matrix.dequantized(at::kFloat).flatten(), theirs, 1e-6, 1e-7));
}

/// Compares blocks of zeros with one given value each, so that the result shows the quantization of their
/// scales.
void compareManyScales(const QJsonObject& given)
{
    constexpr std::int64_t blockValues = 64;
    const at::Tensor maxima = numbers(given.value(QStringLiteral("block_maxima")));
    const auto place = given.value(QStringLiteral("maximum_at")).toInteger();
    const at::Tensor values = at::zeros({maxima.numel(), blockValues});
    values.select(1, place).copy_(maxima);
    const QuantizedMatrix matrix(values.view(shapeOf(given)), {}, FrozenWeights::Nf4, true);
    const at::Tensor back = matrix.dequantized(at::kFloat).view({-1, blockValues}).select(1, place);
    const at::Tensor theirs = numbers(given.value(QStringLiteral("dequantized_scales")));
    QVERIFY(at::allclose(back, theirs, 1e-6, 1e-7));
}

} // namespace

/// Tests against bitsandbytes' results for the same values (tests/parity describes how they were recorded).
class QuantizedMatrixTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { prepareLibtorch(); }

    void quantizesNf4AsBitsandbytes()
    {
        const QJsonArray all = cases("nf4");
        QVERIFY(!all.isEmpty());
        for (const QJsonValue& each : all) {
            const QJsonObject given = each.toObject();
            if (given.contains(QStringLiteral("block_maxima")))
                compareManyScales(given);
            else
                compareWithTheirs(given, FrozenWeights::Nf4);
        }
    }

    void quantizesInt8AsBitsandbytes()
    {
        const QJsonArray all = cases("int8");
        QVERIFY(!all.isEmpty());
        for (const QJsonValue& each : all)
            compareWithTheirs(each.toObject(), FrozenWeights::Int8);
    }

    // The values do not fill the last block.
    void dequantizesToEveryDtype_data()
    {
        rows<at::ScalarType>({{"float", at::kFloat}, {"bfloat16", at::kBFloat16}, {"half", at::kHalf}});
    }
    void dequantizesToEveryDtype()
    {
        at::manual_seed(3);
        const at::Tensor values = at::randn({37, 75});
        const QuantizedMatrix matrix(values, {}, FrozenWeights::Nf4, true);
        const at::Tensor wide = matrix.dequantized(at::kFloat);
        QVERIFY(relativeDifference(wide, values) < 0.2);
        QVERIFY(at::equal(matrix.dequantized(row<at::ScalarType>()), wide.to(row<at::ScalarType>())));
    }

    // A division by the scale, instead of a product with its reciprocal, would round these values to the
    // number on the other side of a threshold.
    void multipliesByTheReciprocalOfTheScale_data()
    {
        rows<double, double, double>({{"up", {0.970274866, 0.623679996, 0.7229568362236023}},
                                      {"down", {3.16336846, 0.125870913, 0.0}}});
    }
    void multipliesByTheReciprocalOfTheScale()
    {
        const auto& [scale, value, number] = row<double, double, double>();
        const at::Tensor values = at::zeros({1, 64});
        values[0][0].fill_(scale);
        values[0][1].fill_(value);
        const QuantizedMatrix matrix(values, {}, FrozenWeights::Nf4, false);
        const double back = matrix.dequantized(at::kFloat)[0][1].item<double>();
        QVERIFY2(std::abs(back - number * scale) < 1e-6, qPrintable(QString::number(back)));
    }

    void quantizesStackedMatricesSeparately()
    {
        at::manual_seed(4);
        const at::Tensor small = at::randn({4, 96}) * 0.01;
        const at::Tensor large = at::randn({6, 96});
        const QuantizedMatrix both(at::cat({small, large}), {4, 6}, FrozenWeights::Nf4, true);
        const QuantizedMatrix first(small, {}, FrozenWeights::Nf4, true);
        const QuantizedMatrix second(large, {}, FrozenWeights::Nf4, true);
        const at::Tensor separate = at::cat({first.dequantized(at::kFloat), second.dequantized(at::kFloat)});
        QVERIFY(at::equal(both.dequantized(at::kFloat), separate));
    }

    void dequantizesOneMatrixOfAStack_data()
    {
        rows<FrozenWeights, qint64>({{"NF4", {FrozenWeights::Nf4, 64}},
                                     {"NF4, blocks over matrices", {FrozenWeights::Nf4, 9}},
                                     {"NF4 of torchao", {FrozenWeights::TorchaoNf4, 64}},
                                     {"8 bits", {FrozenWeights::Int8, 9}}});
    }
    void dequantizesOneMatrixOfAStack()
    {
        const auto& [weights, inputs] = row<FrozenWeights, qint64>();
        at::manual_seed(5);
        const QuantizedMatrix stack(at::randn({3, 5, inputs}), {}, weights, true);
        const at::Tensor all = stack.dequantized(at::kFloat);
        for (std::int64_t i = 0; i < 3; ++i)
            QVERIFY(at::equal(stack.dequantized(at::kFloat, i), all.select(0, i)));
    }

    void multipliesWithGradientsOfInputAndBias()
    {
        at::manual_seed(6);
        const QuantizedMatrix matrix(at::randn({7, 64}), {}, FrozenWeights::Nf4, true);
        const at::Tensor bias = at::randn({7}).requires_grad_();
        const at::Tensor input = at::randn({2, 3, 64}).requires_grad_();
        const at::Tensor result = linear(input, matrix, bias, /*trains=*/true);
        result.square().sum().backward();
        const at::Tensor ours = input.grad().clone();
        const at::Tensor biasGradient = bias.grad().clone();
        at::Tensor(input).mutable_grad().reset();
        at::Tensor(bias).mutable_grad().reset();
        at::linear(input, matrix.dequantized(at::kFloat), bias).square().sum().backward();
        QVERIFY(at::allclose(ours, input.grad()));
        QVERIFY(at::allclose(biasGradient, bias.grad()));
    }
};

BATCHPEAK_TEST(QuantizedMatrixTest)
#include "tst_quantized_matrix.moc"
