// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/budget_allocator.h"
#include "network/optimizers/optimizer_step.h"
#include "network/optimizers/unfused_step.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "tiny_networks.h"

#include <ATen/ATen.h>

#include <QTest>

#include <cmath>
#include <limits>
#include <map>
#include <string>

using namespace batchpeak;
using namespace batchpeak::network;

namespace {

void fillGradients(FlatParameters& parameters, std::uint64_t seed)
{
    at::manual_seed(seed);
    parameters.completeGradients();
    at::Tensor(parameters.gradients()).normal_();
}

} // namespace

class OptimizerStepTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { BudgetAllocator::installed(); }

    // Compares with AdamW (arXiv 1711.05101) and SGD with momentum, computed for one parameter at a time in
    // fp64.
    void updatesAsOneParameterAtATime_data()
    {
        rows<OptimizerChoice>(
            {{"AdamW", {}},
             {"AdamW, operation by operation", {.adamWStep = model::AdamWStep::Operations}},
             {"AdamW, decoupled", {.adamWStep = model::AdamWStep::Decoupled}},
             {"SGD", {.kind = model::Optimizer::Sgd}},
             {"SGD without momentum", {.kind = model::Optimizer::Sgd, .keepsMomentum = false}}});
    }
    void updatesAsOneParameterAtATime()
    {
        const auto& choice = row<OptimizerChoice>();
        const double momentum = choice.keepsMomentum ? 0.9 : 0.0;
        const auto table = model::parameterTable(tinyGpt());
        at::manual_seed(3);
        FlatParameters parameters(table, model::Phase::Train, at::kCPU);
        OptimizerStep optimizer(choice, parameters);
        struct Expected
        {
            at::Tensor value, first, second;
        };
        std::map<std::string, Expected> expected;
        for (const model::Parameter& parameter : table) {
            const at::Tensor value = parameters.at(parameter.name).detach().to(at::kDouble, false, true);
            expected[parameter.name] = {value, at::zeros_like(value), at::zeros_like(value)};
        }
        for (int step = 1; step <= 3; ++step) {
            fillGradients(parameters, step);
            for (const model::Parameter& parameter : table) {
                auto& [value, first, second] = expected[parameter.name];
                at::Tensor gradient = parameters.at(parameter.name).grad().to(at::kDouble);
                const double decay = parameter.decays ? 0.1 : 0.0;
                if (choice.kind == model::Optimizer::AdamW) {
                    first = 0.9 * first + 0.1 * gradient;
                    second = 0.95 * second + 0.05 * gradient.square();
                    const at::Tensor mean = first / (1 - std::pow(0.9, step));
                    const at::Tensor scale = (second / (1 - std::pow(0.95, step))).sqrt() + 1e-8;
                    value = value * (1 - 3e-4 * decay) - 3e-4 * mean / scale;
                } else {
                    first = momentum * first + gradient + decay * value;
                    value = value - 3e-4 * first;
                }
            }
            optimizer.run();
            for (const model::Parameter& parameter : table) {
                const at::Tensor actual = parameters.at(parameter.name).detach().to(at::kDouble);
                const double difference =
                    (actual - expected[parameter.name].value).abs().max().item<double>();
                QVERIFY2(difference < 2e-6, parameter.name.c_str());
                QVERIFY(!parameters.at(parameter.name).grad().defined());
            }
        }
    }

    void keepsNoMomentum()
    {
        const auto table = model::parameterTable(tinyGpt());
        const OptimizerChoice choice{.kind = model::Optimizer::Sgd, .keepsMomentum = false};
        FlatParameters parameters(table, model::Phase::Train, at::kCPU);
        QVERIFY(OptimizerStep(choice, parameters).state().empty());
        QVERIFY(OptimizerStep::stateBytes(choice, table, {}).empty());
    }

    void keepsMomentsOfEmbeddingsUnquantized_data()
    {
        using enum model::Optimizer;
        rows<model::Optimizer, model::Optimizer, at::ScalarType>(
            {{"AdamW", {AdamW8bit, AdamW, at::kFloat}},
             {"Lion", {Lion8bit, Lion, at::kFloat}},
             {"Lion, bf16", {Lion8bit, Lion, at::kBFloat16}}});
    }
    void keepsMomentsOfEmbeddingsUnquantized()
    {
        const auto& [narrow, wide, type] = row<model::Optimizer, model::Optimizer, at::ScalarType>();
        const auto table = model::parameterTable(tinyGpt());
        const auto firstMomentOf = [&](const OptimizerChoice& choice, const std::string& name) {
            at::manual_seed(3);
            FlatParameters parameters(table, model::Phase::Train, at::kCPU, {.type = type});
            OptimizerStep optimizer(choice, parameters);
            for (int step = 1; step <= 3; ++step) {
                fillGradients(parameters, step);
                optimizer.run();
            }
            for (const NamedTensor& state : optimizer.state()) {
                if (state.name == name)
                    return state.tensor;
            }
            return at::Tensor();
        };
        const OptimizerChoice choice{.kind = narrow, .keepsMasters = false, .wideEmbeddingMoments = true};
        const at::Tensor full = firstMomentOf({.kind = wide, .keepsMasters = false}, "exp_avg");
        const at::Tensor ofEmbeddings = firstMomentOf(choice, "exp_avg.wide");
        QVERIFY(full.defined() && ofEmbeddings.defined());
        // Tables list embeddings first.
        QVERIFY(at::allclose(ofEmbeddings, full.narrow(0, 0, ofEmbeddings.numel())));
        QCOMPARE(firstMomentOf(choice, "exp_avg").numel(), full.numel() - ofEmbeddings.numel());
        std::int64_t embeddings = 0;
        for (const model::Parameter& parameter : table)
            embeddings += parameter.isEmbedding ? parameter.elements() : 0;
        QVERIFY(embeddings > 0 && ofEmbeddings.numel() >= embeddings);
    }

    void stepsAsTheFusedKernelDoes_data()
    {
        using enum UnfusedStep::Way;
        rows<UnfusedStep::Way, at::ScalarType, double>(
            {{"together", {Together, at::kFloat, 1e-6}},
             {"one by one", {OneByOne, at::kFloat, 1e-6}},
             {"decoupled", {Decoupled, at::kFloat, 1e-6}},
             {"together, bf16", {Together, at::kBFloat16, 1e-2}},
             {"one by one, bf16", {OneByOne, at::kBFloat16, 1e-2}},
             {"decoupled, bf16", {Decoupled, at::kBFloat16, 1e-2}}});
    }
    void stepsAsTheFusedKernelDoes()
    {
        const auto& [way, type, bound] = row<UnfusedStep::Way, at::ScalarType, double>();
        constexpr UnfusedStep::Rates rates{.learningRate = 1e-2,
                                           .firstMomentDecay = 0.9,
                                           .secondMomentDecay = 0.95,
                                           .stabilizer = 1e-8,
                                           .weightDecay = 0.1};
        at::manual_seed(8);
        std::vector<UnfusedStep::Group> groups{{.decays = true}, {.decays = false}};
        for (UnfusedStep::Group& group : groups) {
            for (const at::Tensor& value :
                 {at::randn({7, 5}), at::randn({2, 3, 2, 2}).contiguous(at::MemoryFormat::ChannelsLast)}) {
                group.values.push_back(value.to(type));
                group.gradients.push_back(at::empty_like(group.values.back()));
                group.firstMoments.push_back(at::zeros_like(group.values.back()));
                group.secondMoments.push_back(at::zeros_like(group.values.back()));
            }
        }
        struct Kernels
        {
            std::vector<at::Tensor> values, first, second;
        };
        std::vector<Kernels> kernels;
        for (const UnfusedStep::Group& group : groups) {
            Kernels& kernel = kernels.emplace_back();
            for (const at::Tensor& value : group.values) {
                kernel.values.push_back(value.clone());
                kernel.first.push_back(at::zeros_like(value));
                kernel.second.push_back(at::zeros_like(value));
            }
        }
        const UnfusedStep step(groups, rates, way);
        const at::Tensor count = at::zeros({});
        const at::Tensor kernelCount = at::zeros({});
        for (int i = 0; i < 4; ++i) {
            kernelCount.add_(1);
            for (std::size_t g = 0; g < groups.size(); ++g) {
                const UnfusedStep::Group& group = groups[g];
                for (std::size_t j = 0; j < group.values.size(); ++j) {
                    at::Tensor(group.gradients[j]).normal_();
                    at::_fused_adamw_({kernels[g].values[j]}, {group.gradients[j]}, {kernels[g].first[j]},
                                      {kernels[g].second[j]}, {}, {kernelCount}, rates.learningRate,
                                      rates.firstMomentDecay, rates.secondMomentDecay,
                                      group.decays ? rates.weightDecay : 0.0, rates.stabilizer, false, false);
                }
            }
            step.run(count);
        }
        QCOMPARE(count.item<double>(), 4.0);
        for (std::size_t g = 0; g < groups.size(); ++g) {
            for (std::size_t j = 0; j < groups[g].values.size(); ++j) {
                const at::Tensor expected = kernels[g].values[j].to(at::kFloat);
                const at::Tensor difference = groups[g].values[j].to(at::kFloat) - expected;
                VERIFY_BELOW((difference.norm() / expected.norm()).item<double>(), bound);
            }
        }
    }

    // Master weights accumulate steps that bf16 would round away.
    void keepsMasterWeightsOfNarrowParameters()
    {
        const auto table = model::parameterTable(tinyGpt());
        FlatParameters narrow(table, model::Phase::Train, at::kCPU, {.type = at::kBFloat16});
        FlatParameters wide(table, model::Phase::Train, at::kCPU);
        for (std::size_t i = 0; i < wide.segments().size(); ++i) {
            at::Tensor(narrow.segments()[i].values).fill_(1.0);
            at::Tensor(wide.segments()[i].values).fill_(1.0);
        }
        OptimizerStep narrowStep({.kind = model::Optimizer::Sgd}, narrow);
        OptimizerStep wideStep({.kind = model::Optimizer::Sgd}, wide);
        for (int step = 0; step < 20; ++step) {
            narrow.completeGradients();
            wide.completeGradients();
            at::Tensor(narrow.gradients()).fill_(0.5);
            at::Tensor(wide.gradients()).fill_(0.5);
            narrowStep.run();
            wideStep.run();
        }
        const std::string name = table.front().name;
        const at::Tensor expected = wide.at(name).detach().to(at::kBFloat16);
        QVERIFY(expected.lt(0.99).all().item<bool>());
        QVERIFY(at::equal(narrow.at(name).detach(), expected));
    }

    void clipsOnlyLongGradients_data()
    {
        rows<double, double>({{"half as long as the gradients", {0.5, 0.5}}, {"twice as long", {2.0, 1.0}}});
    }
    void clipsOnlyLongGradients()
    {
        const auto& [share, expectedShare] = row<double, double>();
        const auto table = model::parameterTable(tinyGpt());
        FlatParameters parameters(table, model::Phase::Train, at::kCPU);
        fillGradients(parameters, 6);
        const at::Tensor gradients = parameters.gradients().clone();
        const at::Tensor before = parameters.at(table.front().name).detach().clone();
        const double norm = gradients.norm().item<double>();
        OptimizerStep optimizer({.kind = model::Optimizer::Sgd, .maxGradientNorm = share * norm}, parameters);
        optimizer.run();
        const at::Tensor moved = before - parameters.at(table.front().name).detach();
        const at::Tensor gradient = gradients.narrow(0, 0, before.numel()).view_as(before);
        const at::Tensor expected = 3e-4 * (expectedShare * gradient + 0.1 * before);
        QVERIFY(at::allclose(moved, expected, 1e-3, 1e-7));
    }

    void unscalesGradients_data()
    {
        rows<at::ScalarType, double>({{"fp32", {at::kFloat, 0.0}},
                                      {"fp32, clipped", {at::kFloat, 0.01}},
                                      {"masters of float16", {at::kHalf, 0.0}},
                                      {"masters of float16, clipped", {at::kHalf, 0.01}}});
    }
    void unscalesGradients()
    {
        const auto& [type, maxGradientNorm] = row<at::ScalarType, double>();
        constexpr double scale = 65536.0;
        const auto table = model::parameterTable(tinyGpt());
        const auto movedBy = [&, type = type, norm = maxGradientNorm](bool scales) {
            at::manual_seed(7);
            FlatParameters parameters(table, model::Phase::Train, at::kCPU, {.type = type});
            OptimizerStep optimizer(
                {.kind = model::Optimizer::Sgd, .maxGradientNorm = norm, .scalesLoss = scales}, parameters,
                1.0);
            const at::Tensor before = parameters.at(table.front().name).detach().to(at::kFloat, false, true);
            fillGradients(parameters, 6);
            // Small enough that scaled gradients do not overflow float16.
            at::Tensor(parameters.gradients()).mul_(scales ? scale * 0x1p-9 : 0x1p-9);
            optimizer.run();
            return before - parameters.at(table.front().name).detach();
        };
        const at::Tensor moved = movedBy(false);
        QVERIFY(moved.abs().max().item<double>() > 1e-6);
        // Near weights of about 0.02, values of float16 are 1.5e-5 apart.
        QVERIFY(at::allclose(movedBy(true), moved, 1e-3, type == at::kHalf ? 2e-5 : 1e-6));
    }

    // GradScaler skips a step with infinite gradients and halves the scale; 2000 steps with finite ones
    // double it.
    void skipsStepsWithInfiniteGradients()
    {
        const auto table = model::parameterTable(tinyGpt());
        FlatParameters parameters(table, model::Phase::Train, at::kCPU);
        OptimizerStep optimizer({.scalesLoss = true}, parameters);
        const at::Tensor before = parameters.at(table.front().name).detach().clone();
        const auto stateNamed = [&](const std::string& name) {
            for (const NamedTensor& tensor : optimizer.state()) {
                if (tensor.name == name)
                    return tensor.tensor.item<double>();
            }
            return -1.0;
        };
        QCOMPARE(optimizer.scaled(at::ones({})).item<double>(), 65536.0);
        fillGradients(parameters, 1);
        at::Tensor(parameters.gradients())[5].fill_(std::numeric_limits<float>::infinity());
        optimizer.run();
        QVERIFY(optimizer.hasLeftOutStep());
        QCOMPARE(stateNamed("scale"), 32768.0);
        QCOMPARE(stateNamed("step"), 0.0);
        QVERIFY(at::equal(parameters.at(table.front().name).detach(), before));
        for (int step = 0; step < 2000; ++step) {
            parameters.completeGradients();
            optimizer.run();
        }
        QVERIFY(!optimizer.hasLeftOutStep());
        QCOMPARE(stateNamed("scale"), 65536.0);
        QCOMPARE(stateNamed("step"), 2000.0);
        QCOMPARE(stateNamed("_growth_tracker"), 0.0);
    }
};

BATCHPEAK_TEST(OptimizerStepTest)
#include "tst_optimizer_step.moc"
