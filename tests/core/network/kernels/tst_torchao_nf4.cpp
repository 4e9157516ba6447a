// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/kernels/quantized_linear.h"
#include "network/kernels/quantized_matrix.h"
#include "network/kernels/torchao_nf4.h"
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

constexpr std::int64_t blockValues = 64;

QJsonArray theirCases()
{
    QFile file(QStringLiteral(BATCHPEAK_TEST_DATA "/quantization/torchao_nf4.json"));
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).array() : QJsonArray();
}

at::Tensor numbers(const QJsonValue& list)
{
    std::vector<float> values;
    for (const QJsonValue& value : list.toArray())
        values.push_back(static_cast<float>(value.toDouble()));
    return at::tensor(values);
}

/// Returns the values from which tests/parity/torchao_values.py created the vectors.
at::Tensor valuesOf(const QJsonObject& given)
{
    const at::Tensor largest = numbers(given.value(QStringLiteral("largest")));
    const at::Tensor values = largest.unsqueeze(1).mul(at::linspace(-1, 1, blockValues));
    return values.to(given.value(QStringLiteral("type")) == QStringLiteral("bf16") ? at::kBFloat16
                                                                                   : at::kFloat);
}

at::Tensor places(std::int64_t count)
{
    return at::arange(1, count + 1);
}

at::Tensor wide(const at::Tensor& tensor)
{
    return tensor.to(at::kFloat).flatten();
}

} // namespace

/// Tests against torchao's results for the same values.
class TorchaoNf4Test : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepareLibtorch();
        // Without rows, a data-driven test would be skipped.
        QVERIFY(!theirCases().isEmpty());
    }

    void quantizesAsTorchaoDoes_data()
    {
        const auto add = rows<QJsonObject>();
        for (const QJsonValue& each : theirCases()) {
            const QJsonObject given = each.toObject();
            add(given.value(QStringLiteral("type")).toString().toStdString() + ", " +
                    std::to_string(valuesOf(given).numel()),
                given);
        }
    }
    void quantizesAsTorchaoDoes()
    {
        const auto& given = row<QJsonObject>();
        const auto theirs = [&given](const char* name) { return numbers(given.value(QLatin1String(name))); };
        const at::Tensor values = valuesOf(given).flatten();
        const TorchaoNf4 matrix = torchaoNf4(values);
        QVERIFY(at::equal(wide(matrix.numbers), theirs("numbers")));
        const auto sum = matrix.codes.to(at::kLong).mul(places(matrix.codes.numel())).sum();
        QCOMPARE(sum.item<std::int64_t>(), given.value(QStringLiteral("codes_sum")).toInteger());
        QVERIFY(at::equal(wide(matrix.scales), theirs("scales")));
        QVERIFY(at::allclose(wide(matrix.factors), theirs("factors"), 1e-6));
        const double mean = given.value(QStringLiteral("mean")).toDouble();
        QVERIFY(std::abs(matrix.mean.item<double>() / mean - 1) < 1e-6);
        const at::Tensor back = expanded(matrix, values.numel()).to(at::kDouble).view({-1, blockValues});
        QVERIFY(at::allclose(wide(back.mul(places(blockValues)).sum(1)), theirs("sums"), 1e-6, 1e-9));
    }

    void predictsItsBytes_data()
    {
        rows<qint64, at::ScalarType>({{"one block of scales", {64 * 256, at::kBFloat16}},
                                      {"several", {3 * 64 * 256, at::kFloat}},
                                      {"a part of one", {1000, at::kBFloat16}},
                                      {"a single value", {1, at::kFloat}}});
    }
    void predictsItsBytes()
    {
        const auto& [elements, type] = row<qint64, at::ScalarType>();
        const TorchaoNf4 matrix = torchaoNf4(at::randn({elements}).to(type));
        const std::vector<std::int64_t> predicted =
            torchaoNf4Bytes(elements, static_cast<std::int64_t>(c10::elementSize(type)));
        const std::array tensors{matrix.codes, matrix.scales, matrix.factors, matrix.mean, matrix.numbers};
        QCOMPARE(predicted.size(), tensors.size());
        for (std::size_t i = 0; i < predicted.size(); ++i) {
            QCOMPARE(static_cast<std::int64_t>(tensors.at(i).nbytes()), predicted[i]);
            QCOMPARE(static_cast<std::int64_t>(tensors.at(i).storage().nbytes()), predicted[i]);
        }
    }

    // torchao refuses tensors that do not fill its blocks, but networks that were made smaller have them.
    void expandsIncompleteBlocks_data()
    {
        rows<qint64>(
            {{"odd", 37 * 75}, {"no whole block", 20}, {"one value", 1}, {"several pieces", 300001}});
    }
    void expandsIncompleteBlocks()
    {
        at::manual_seed(2);
        const at::Tensor values = at::randn({row<qint64>()});
        const TorchaoNf4 matrix = torchaoNf4(values);
        const at::Tensor back = expanded(matrix, values.numel());
        QVERIFY2(relativeDifference(back, values) < 0.2,
                 qPrintable(QString::number(relativeDifference(back, values))));
        at::Tensor place = at::empty_like(values);
        expanded(matrix, values.numel(), place);
        QVERIFY(at::equal(place, back));
    }

    // Zeros lead to divisions by zero: by the largest value of a block, and in the factor of the scales.
    void expandsZeros()
    {
        const TorchaoNf4 matrix = torchaoNf4(at::zeros({640}));
        QVERIFY(at::equal(expanded(matrix, 640), at::zeros({640})));
    }

    void multipliesPartsSeparately_data()
    {
        rows<std::vector<std::int64_t>, at::ScalarType>(
            {{"one", {std::vector<std::int64_t>{256}, at::kFloat}},
             {"three", {{128, 64, 64}, at::kFloat}},
             {"three, in bf16", {{128, 64, 64}, at::kBFloat16}}});
    }
    void multipliesPartsSeparately()
    {
        const auto& [parts, type] = row<std::vector<std::int64_t>, at::ScalarType>();
        at::manual_seed(3);
        const QuantizedMatrix matrix(at::randn({256, 64}).to(type), parts, FrozenWeights::TorchaoNf4, true);
        const at::Tensor bias = at::randn({256}).to(type);
        const at::Tensor given = at::randn({2, 3, 64}).to(type);
        const at::Tensor weights = at::randn({2, 3, 256}).to(type);
        const auto both = [&](const auto& product) {
            const at::Tensor input = given.clone().requires_grad_();
            const at::Tensor result = product(input);
            result.mul(weights).sum().backward();
            return std::pair(result.detach(), input.grad());
        };
        const auto ours =
            both([&](const at::Tensor& input) { return linear(input, matrix, bias, /*trains=*/true); });
        const auto plain =
            both([&](const at::Tensor& input) { return at::linear(input, matrix.dequantized(type), bias); });
        const double min = type == at::kFloat ? 1e-6 : 2e-2;
        QVERIFY(relativeDifference(ours.first, plain.first) < min);
        QVERIFY(relativeDifference(ours.second, plain.second) < min);
    }

    void expandsPartsAsSeparateMatrices()
    {
        at::manual_seed(4);
        const at::Tensor small = at::randn({128, 128}) * 0.01;
        const at::Tensor large = at::randn({256, 128});
        const auto quantized = [](const at::Tensor& values, const std::vector<std::int64_t>& parts) {
            return QuantizedMatrix(values, parts, FrozenWeights::TorchaoNf4, true);
        };
        const QuantizedMatrix both = quantized(at::cat({small, large}), {128, 256});
        const at::Tensor first = quantized(small, {}).dequantized(at::kFloat);
        const at::Tensor second = quantized(large, {}).dequantized(at::kFloat);
        QVERIFY(at::equal(both.dequantized(at::kFloat), at::cat({first, second})));
        QVERIFY(at::equal(both.dequantized(at::kBFloat16), at::cat({first, second}).to(at::kBFloat16)));
        QCOMPARE(both.partCount(), 2U);
        QVERIFY(at::equal(both.dequantizedPart(at::kFloat, 1), second));
    }
};

BATCHPEAK_TEST(TorchaoNf4Test)
#include "tst_torchao_nf4.moc"
