// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/kernels/fake_quantized_matrix.h"
#include "network/networks/network_factory.h"
#include "network/optimizers/flat_parameters.h"
#include "network_comparison.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "tiny_networks.h"
#include "tiny_tunings.h"

#include <ATen/ATen.h>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <cmath>

using namespace batchpeak;
using namespace batchpeak::network;
using model::FakeQuantization;
using model::FakeQuantizedActivations;
using model::FakeQuantizedWeights;

namespace {

QJsonArray cases()
{
    QFile file(QStringLiteral(BATCHPEAK_TEST_DATA "/quantization/fake.json"));
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).array() : QJsonArray();
}

template<typename Word>
Word wordIn(const QJsonObject& given, const char* key)
{
    return *model::fromText<Word>(given.value(QString::fromUtf8(key)).toString().toStdString());
}

at::Tensor numbersIn(const QJsonObject& given, const char* key)
{
    std::vector<float> values;
    for (const QJsonValue& value : given.value(QString::fromUtf8(key)).toArray())
        values.push_back(static_cast<float>(value.toDouble()));
    std::vector<std::int64_t> shape;
    for (const QJsonValue& size : given.value(QStringLiteral("shape")).toArray())
        shape.push_back(size.toInteger());
    const bool isNarrow = given.value(QStringLiteral("type")) == QLatin1String("bf16");
    return at::tensor(values).view(shape).to(isNarrow ? at::kBFloat16 : at::kFloat);
}

FakeQuantization roundingIn(const QJsonObject& given)
{
    return {.weights = wordIn<FakeQuantizedWeights>(given, "weights"),
            .groupSize = given.value(QStringLiteral("group")).toInteger(),
            .activations = wordIn<FakeQuantizedActivations>(given, "activations")};
}

constexpr FakeQuantization onlyWeights{.weights = FakeQuantizedWeights::Int4, .groupSize = 16};

/// A network that rounds its weights in each step, and one whose parameters can be set to the rounded values.
struct Pair
{
    explicit Pair(const model::Tuning& tuning, const model::DecoderSpec& decoder = tinyLlama())
        : spec{.family = "tiny", .architecture = decoder},
          rounds(model::parameterTable(spec, tuning), model::Phase::Train, at::kCPU, {.tuning = tuning}),
          ofRounding(makeNetwork(spec, rounds, options)),
          rounded(model::parameterTable(spec), model::Phase::Train, at::kCPU),
          ofRounded(makeNetwork(spec, rounded, options))
    {}

    model::ModelSpec spec;
    NetworkOptions options{.sequenceLength = 16, .trains = true};
    FlatParameters rounds;
    std::unique_ptr<Network> ofRounding;
    FlatParameters rounded;
    std::unique_ptr<Network> ofRounded;
};

/// Returns the relative difference of both losses. In the second network, the parameters for which
/// \p isRounded returns true are rounded.
template<typename IsRounded>
double lossError(Pair& pair, const FakeQuantization& rounding, const IsRounded& isRounded)
{
    at::manual_seed(3);
    for (const model::Parameter& row : pair.rounded.table()) {
        const at::Tensor values = at::randn(row.shape).mul(row.shape.size() == 2 ? 0.3 : 1.0);
        pair.rounds.set(row.name, values);
        pair.rounded.set(row.name, isRounded(row) ? fakeQuantized(values, rounding) : values);
    }
    const Batch batch = pair.ofRounded->makeBatch(2, 16);
    const double expected = pair.ofRounded->loss(batch, 1.0).item<double>();
    return std::abs(pair.ofRounding->loss(batch, 1.0).item<double>() / expected - 1.0);
}

bool isMatrix(const model::Parameter& row)
{
    return row.shape.size() == 2;
}

} // namespace

/// Tests against torchao's results for the same values (tests/parity/fake_quantized_values.py records them).
class FakeQuantizedMatrixTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepareLibtorch();
        // Without rows, a data-driven test would be skipped.
        QVERIFY(!cases().isEmpty());
    }

    void roundsAsTorchaoDoes_data()
    {
        const auto add = rows<QJsonObject>();
        for (const QJsonValue& each : cases()) {
            const QJsonObject given = each.toObject();
            const QString name = QStringLiteral("%1 %2 weights, %3 activations, %4")
                                     .arg(given.value(QStringLiteral("weights")).toString(),
                                          QString::number(given.value(QStringLiteral("group")).toInt()),
                                          given.value(QStringLiteral("activations")).toString(),
                                          given.value(QStringLiteral("type")).toString());
            add(name.toStdString(), given);
        }
    }
    void roundsAsTorchaoDoes()
    {
        const auto& given = row<QJsonObject>();
        const FakeQuantization rounding = roundingIn(given);
        const at::Tensor values = numbersIn(given, "values").requires_grad_(true);
        const at::Tensor result = rounding.weights == FakeQuantizedWeights::None
                                      ? fakeQuantizedInputs(values, rounding)
                                      : fakeQuantized(values, rounding);
        result.backward(numbersIn(given, "gradient"));
        QVERIFY(result.scalar_type() == values.scalar_type());
        QVERIFY(at::allclose(result, numbersIn(given, "rounded"), 1e-6, 1e-7));
        QVERIFY(at::allclose(values.grad(), numbersIn(given, "passed"), 1e-5, 1e-6));
    }

    void roundsEachLinearLayer()
    {
        Pair pair({.fakeQuantization = onlyWeights});
        const double error = lossError(pair, onlyWeights, [](const model::Parameter& row) {
            return isMatrix(row) && row.name != "embed_tokens.weight";
        });
        QVERIFY2(error < 1e-6, qPrintable(QString::number(error)));
    }

    void roundsEmbeddingsAndTheTiedOutput()
    {
        FakeQuantization all = onlyWeights;
        all.embeddings = all.sharedOutput = true;
        Pair pair({.fakeQuantization = all}, tinyQwen());
        const double error = lossError(pair, all, isMatrix);
        QVERIFY2(error < 1e-6, qPrintable(QString::number(error)));
    }

    // Adapters add nothing here: their second matrix is initially zero.
    void roundsOnlyAdaptedLayers()
    {
        model::Tuning tuning =
            lora({{.projection = model::Projection::Up}, {.projection = model::Projection::Down}});
        tuning.fakeQuantization = onlyWeights;
        tuning.fakeQuantization.adaptedLayers = true;
        Pair pair(tuning, tinyGpt());
        const double error = lossError(pair, onlyWeights, [](const model::Parameter& row) {
            return isMatrix(row) && row.name.find("feed_forward") != std::string::npos;
        });
        QVERIFY2(error < 1e-6, qPrintable(QString::number(error)));
    }

    void ignoresLayersWithoutWholeGroups()
    {
        // tinyLlama has 32 inputs everywhere but in its second feed-forward product, which has 48.
        const FakeQuantization wide{.weights = FakeQuantizedWeights::Int4, .groupSize = 32};
        const Pair pair({.fakeQuantization = wide});
        QVERIFY(fakeQuantizedMatrixOf(pair.rounds, "layers.0.attention.qkv"));
        QVERIFY(!fakeQuantizedMatrixOf(pair.rounds, "layers.0.feed_forward.down"));
        QVERIFY(!fakeQuantizedMatrixOf(pair.rounds, "layers.0.attention_norm"));
        QVERIFY(!fakeQuantizedMatrixOf(pair.rounds, "embed_tokens"));
    }

    // Trainers round the inputs of queries, keys and values separately.
    void roundsProjectionsSeparately()
    {
        const Pair pair({.fakeQuantization = onlyWeights});
        QCOMPARE(fakeQuantizedMatrixOf(pair.rounds, "layers.0.attention.qkv")->parts.size(), 3U);
        QCOMPARE(fakeQuantizedMatrixOf(pair.rounds, "layers.0.feed_forward.up")->parts.size(), 2U);
        QCOMPARE(fakeQuantizedMatrixOf(pair.rounds, "layers.0.attention.output")->parts.size(), 1U);
    }
};

BATCHPEAK_TEST(FakeQuantizedMatrixTest)
#include "tst_fake_quantized_matrix.moc"
