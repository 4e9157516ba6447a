// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/held_memory.h"
#include "model/parameter_table.h"
#include "network/cpu_device_memory.h"
#include "network/networks/adapters.h"
#include "network/networks/layer_operations.h"
#include "network/optimizers/flat_parameters.h"
#include "network/step_runner.h"
#include "network_comparison.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "tiny_networks.h"
#include "tiny_tunings.h"

#include <ATen/ATen.h>

#include <QTest>

#include <cmath>
#include <stdexcept>
#include <vector>

using namespace batchpeak;
using namespace batchpeak::network;
using trial::LoadRequest;

namespace {

/// Returns tunings that train different parts of a network. Tests combine them with dtypes of the frozen
/// parts.
std::vector<NamedTuning> tuningsOfParts()
{
    const auto with = [](model::Tuning tuning, const auto& change) {
        change(tuning);
        return tuning;
    };
    const std::vector<std::string> parts{"embed_tokens.", "output.", "layers.1."};
    return {
        {"LoRA", lora(allLinear())},
        {"LoRA with dropout", with(lora(allLinear()), [](auto& tuning) { tuning.dropout = 0.1; })},
        {"DoRA", with(lora(allLinear()), [](auto& tuning) { tuning.adapter = model::AdapterKind::Dora; })},
        {"LoRA and parts", with(lora(), [&](auto& tuning) { tuning.trainedParts = parts; })},
        {"parts", {.trainedParts = parts}},
        {"a norm", {.trainedParts = {"final_norm."}}}};
}

} // namespace

/// Tests precisions of a run together with other dtypes of the parts that it leaves unchanged.
class NumberTypesTest : public QObject
{
    Q_OBJECT

private:
    CpuDeviceMemory m_memory;

private slots:
    void initTestCase() { prepareLibtorch(); }

    void runAStepOrRefuse_data()
    {
        const auto add = rows<LoadRequest, std::size_t, std::size_t>();
        std::size_t next = 0;
        for (const NamedNetwork& network : tinyNetworks()) {
            // Each network runs each pair of tuning and frozen weights in two precisions, which follow those
            // of the previous pair, so that each precision occurs with some pairs. LLaMA, which most decoders
            // resemble, runs all precisions.
            const std::size_t count = network.name == std::string("LLaMA") ? 8 : 2;
            for (const auto& [sort, tuning] : tuningsOfParts()) {
                for (const auto& [weights, frozen] : wordsOf(model::FrozenWeights())) {
                    LoadRequest request = tinyRequest(network.architecture, model::Phase::Train);
                    request.tuning = tuning;
                    request.tuning.frozenWeights = weights;
                    if (model::problemWith(request.model, request.tuning))
                        continue;
                    add(std::string(network.name) + ", " + sort + ", " + std::string(frozen),
                        {request, next, count});
                    next += count;
                }
            }
        }
    }
    void runAStepOrRefuse()
    {
        auto [request, first, count] = row<LoadRequest, std::size_t, std::size_t>();
        // Without autocast, no product accepts a trained part and a frozen part in different dtypes.
        const bool hasParts = !request.tuning.trainedParts.empty();
        const auto& precisions = wordsOf(model::Precision());
        for (std::size_t i = first; i < first + count; ++i) {
            const auto& [precision, word] = precisions[i % std::size(precisions)];
            const model::ElementBytes bytes = model::elementBytes(precision, request.tuning);
            request.precision = precision;
            request.step.activationCheckpointing = i / std::size(precisions) % 2 == 0;
            request.step.lossChunkRows = i % 3 == 0 ? 7 : 0;
            const bool isRefused = hasParts && !model::isMixed(precision) && bytes.trained != bytes.frozen;
            if (isRefused) {
                QVERIFY_THROWS_EXCEPTION(std::invalid_argument, StepRunner(request, m_memory));
                continue;
            }
            StepRunner runner(request, m_memory);
            runner.prepare(2);
            runner.run(1);
            QVERIFY2(std::isfinite(runner.loss()), std::string(word).c_str());
        }
    }

    // As in PEFT without autocast, a matrix and its adapter each compute in their own dtype, and the sum has
    // the dtype of the matrix.
    void computeMatrixAndAdapterInTheirOwnDtypes_data()
    {
        rows<at::ScalarType, at::ScalarType>({{"fp32 beside bf16", {at::kFloat, at::kBFloat16}},
                                              {"bf16 beside fp32", {at::kBFloat16, at::kFloat}}});
    }
    void computeMatrixAndAdapterInTheirOwnDtypes()
    {
        const auto& [adapterType, matrixType] = row<at::ScalarType, at::ScalarType>();
        const model::Tuning tuning = lora(allLinear());
        const auto table = model::parameterTable({.family = "tiny", .architecture = tinyLlama()}, tuning);
        const FlatParameters parameters(table, model::Phase::Train, at::kCPU,
                                        {.type = adapterType, .frozenType = matrixType, .tuning = tuning});
        const Affine affine = affineOf(parameters, "layers.0.attention.output");
        at::manual_seed(3);
        const at::Tensor a = affine.adapters->parts.front().a;
        const at::Tensor b = affine.adapters->parts.front().b;
        at::Tensor(b.detach()).normal_();
        const at::Tensor input = at::randn({5, a.size(1)}, at::TensorOptions(matrixType));
        const at::Tensor fromAdapter = at::linear(at::linear(input.to(adapterType), a), b);
        const at::Tensor expected = at::linear(input, affine.weight).add(fromAdapter.mul(2.0)).to(matrixType);
        const at::Tensor result = linear(input, affine, /*trains=*/true);
        QCOMPARE(toString(result.scalar_type()), toString(matrixType));
        QVERIFY(at::allclose(result, expected, 1e-2, 1e-3));
    }
};

BATCHPEAK_TEST(NumberTypesTest)
#include "tst_number_types.moc"
