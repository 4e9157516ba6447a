// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/cpu_device_memory.h"
#include "network/kernels/integer_product.h"
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

QJsonArray theirCases()
{
    QFile file(QStringLiteral(BATCHPEAK_TEST_DATA "/quantization/integer_products.json"));
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).array() : QJsonArray();
}

at::Tensor numbers(const QJsonObject& given, const char* name)
{
    std::vector<float> values;
    for (const QJsonValue& value : given.value(QLatin1String(name)).toArray())
        values.push_back(static_cast<float>(value.toDouble()));
    return at::tensor(values);
}

at::Tensor numbers(const QJsonObject& given, const char* name, std::int64_t columns)
{
    return numbers(given, name).view({-1, columns});
}

QuantizedMatrix inIntegers(const at::Tensor& values, const std::vector<std::int64_t>& parts = {})
{
    return {values, parts, FrozenWeights::Int8, true};
}

} // namespace

/// Tests against bitsandbytes' results for the same numbers.
class IntegerProductTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepareLibtorch();
        // Without rows, a data-driven test would be skipped.
        QVERIFY(!theirCases().isEmpty());
    }

    void multipliesAsBitsandbytes_data()
    {
        const auto add = rows<QJsonObject>();
        for (const QJsonValue& each : theirCases()) {
            const QJsonObject given = each.toObject();
            add(given.value(QStringLiteral("name")).toString().toStdString(), given);
        }
    }
    void multipliesAsBitsandbytes()
    {
        const auto& given = row<QJsonObject>();
        const auto inputs = given.value(QStringLiteral("inputs")).toInteger();
        const at::Tensor weight = numbers(given, "weight", inputs);
        const at::Tensor bias = numbers(given, "bias");
        const QuantizedMatrix matrix = inIntegers(weight);
        const IntegerProduct product =
            integerProduct(numbers(given, "rows", inputs), matrix.integersOf(0), bias);
        const at::Tensor theirs = numbers(given, "result", bias.numel());
        QVERIFY2(relativeDifference(product.result, theirs) < 1e-6,
                 qPrintable(QString::number(relativeDifference(product.result, theirs))));
        const auto outliers = given.value(QStringLiteral("outlier_columns")).toInteger();
        QCOMPARE(product.outliers.defined() ? product.outliers.size(1) : 0, outliers);
    }

    // Rounding to 8 bits reveals integers: results are close to the plain product, but differ from it.
    void usesIntegersWhereBitsandbytesDoes_data()
    {
        rows<bool, std::vector<std::int64_t>>({{"trained on the CPU", {true, {12}}},
                                               {"evaluated", {false, {12}}},
                                               {"evaluated, several matrices", {false, {4, 8}}}});
    }
    void usesIntegersWhereBitsandbytesDoes()
    {
        const auto& [trains, parts] = row<bool, std::vector<std::int64_t>>();
        at::manual_seed(1);
        const QuantizedMatrix matrix = inIntegers(at::randn({12, 16}), parts);
        const at::Tensor bias = at::randn({12});
        const at::Tensor input = at::randn({2, 9, 16}).requires_grad_();
        const at::Tensor result = linear(input, matrix, bias, trains);
        const at::Tensor plain = at::linear(input, matrix.dequantized(at::kFloat), bias);
        const double difference = relativeDifference(result.detach(), plain.detach());
        QVERIFY2(trains ? difference < 1e-6 : difference > 1e-4 && difference < 3e-2,
                 qPrintable(QString::number(difference)));
        // In both cases the gradient is that of the dequantized matrix.
        const at::Tensor weights = at::randn({2, 9, 12});
        result.mul(weights).sum().backward();
        const at::Tensor expected = at::matmul(weights, matrix.dequantized(at::kFloat));
        QVERIFY(relativeDifference(input.grad(), expected) < 1e-6);
    }

    // The peak has absolute values of the inputs in 16 bits and a mask of outliers, as in bitsandbytes, and
    // later the integers. The values that are rounded, and their wider copies on the CPU, exist for some rows
    // at a time.
    void holdsNoWideCopyOfItsInputs()
    {
        CpuDeviceMemory memory;
        constexpr std::int64_t inputs = 4096;
        const QuantizedMatrix matrix = inIntegers(at::ones({8, inputs}));
        const at::Tensor rows = at::ones({4 * 2048, inputs}, at::TensorOptions(at::kHalf));
        const std::int64_t before = memory.allocatedBytes();
        memory.resetPeaks();
        integerProduct(rows, matrix.integersOf(0), {});
        constexpr std::int64_t wideRows = 3 * (std::int64_t{32} << 20);
        QVERIFY(memory.peakAllocatedBytes() - before < 3 * rows.numel() + wideRows);
    }

    // Autograd needs only the frozen matrix, but bitsandbytes also keeps the input.
    void keepsItsInputUntilBackward()
    {
        const QuantizedMatrix matrix = inIntegers(at::randn({8, 16}));
        at::Tensor given = at::randn({3, 16}).requires_grad_().mul(2);
        const c10::weak_intrusive_ptr<at::TensorImpl> input(given.getIntrusivePtr());
        at::Tensor result = linear(given, matrix, {}, /*trains=*/true);
        given.reset();
        QVERIFY(!input.expired());
        result.sum().backward();
        result.reset();
        QVERIFY(input.expired());
    }

    void multipliesZeros()
    {
        const QuantizedMatrix matrix = inIntegers(at::randn({8, 16}));
        const at::Tensor zeros = at::zeros({3, 16});
        QVERIFY(at::equal(integerProduct(zeros, matrix.integersOf(0), {}).result, at::zeros({3, 8})));
        QVERIFY(!multipliesIntegers(at::zeros({0, 16}), matrix.integersOf(0).codes));
    }
};

BATCHPEAK_TEST(IntegerProductTest)
#include "tst_integer_product.moc"
