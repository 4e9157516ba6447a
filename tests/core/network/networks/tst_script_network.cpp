// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/budget_allocator.h"
#include "network/failure.h"
#include "network/networks/script_network.h"
#include "network_comparison.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "tiny_scripts.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <caffe2/serialize/inline_container.h>

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace batchpeak;
using namespace batchpeak::network;

namespace {

constexpr std::int64_t samples = 4;
constexpr std::int64_t classes = 5;

} // namespace

class ScriptNetworkTest : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    std::string pathOf(const char* name) const
    {
        return m_folder.filePath(QString::fromLatin1(name)).toStdString();
    }

    /// Returns the error message of loading a file; empty if it loads.
    static QString problemOf(const std::string& file)
    {
        try {
            loadScript(file, at::kCPU, true);
        } catch (const std::invalid_argument& error) {
            return QString::fromUtf8(error.what());
        }
        return {};
    }

    static QString refusalOf(const model::ScriptSpec& spec)
    {
        const FlatParameters parameters(scriptParameters(spec.file), model::Phase::Train, at::kCPU);
        const ScriptNetwork network(spec, parameters, {.trains = true});
        try {
            network.loss(network.makeBatch(samples, 1), samples);
        } catch (const UnsupportedStep& error) {
            return QString::fromUtf8(error.what());
        }
        return {};
    }

private slots:
    void initTestCase()
    {
        prepareLibtorch();
        saveScript(pathOf("logits.pt"), logitsForward, classes);
        saveScript(pathOf("loss.pt"), lossForward, classes);
    }

    void countsTrainedParametersOnce()
    {
        std::vector<std::string> names;
        std::int64_t elements = 0;
        for (const model::Parameter& parameter : scriptParameters(pathOf("logits.pt"))) {
            names.push_back(parameter.name);
            elements += parameter.elements();
        }
        QCOMPARE(names.size(), std::size_t{3});
        QCOMPARE(elements, 16 * 12 + classes * 16 + classes);
        // Sizes of the counter and the frozen scale.
        std::vector<std::int64_t> bytes = ScriptNetwork::bufferBytes({.file = pathOf("logits.pt")}, {});
        std::ranges::sort(bytes);
        const std::vector<std::int64_t> expected{4, 64};
        QVERIFY(bytes == expected);
    }

    void trainsTheModuleOfTheFile()
    {
        const std::string file = pathOf("logits.pt");
        const FlatParameters parameters(scriptParameters(file), model::Phase::Train, at::kCPU);
        const ScriptNetwork network(scriptSpec(file, classes), parameters, {.trains = true});
        const torch::jit::Module original = loadScript(file, at::kCPU, true);
        const Batch batch = network.makeBatch(samples, 1);
        QCOMPARE(batch.countedTargets, samples);

        const at::Tensor up = original.attr("up").toTensor();
        const at::Tensor down = original.attr("down").toTensor();
        const at::Tensor bias = original.attr("bias").toTensor();
        const at::Tensor logits =
            at::matmul(at::matmul(batch.inputs[0], up.t()).clamp_min(0), down.t()) + bias;
        const at::Tensor right = logits.gather(1, batch.targets).squeeze(1);
        const at::Tensor expected = (logits.logsumexp(1) - right).mean();
        expected.backward();

        const at::Tensor loss = network.loss(batch, samples);
        QVERIFY(std::abs((loss / expected).item<double>() - 1) < 1e-5);
        loss.backward();
        for (const auto& [name, gradient] :
             {std::pair{"up", up.grad()}, std::pair{"down", down.grad()}, std::pair{"bias", bias.grad()}})
            QVERIFY2(at::allclose(parameters.at(name).grad(), gradient, 1e-4, 1e-6), name);
    }

    void averagesALossOverTheGlobalBatch()
    {
        const std::string file = pathOf("loss.pt");
        const FlatParameters parameters(scriptParameters(file), model::Phase::Train, at::kCPU);
        const ScriptNetwork network(scriptSpec(file), parameters, {.trains = true});
        const Batch batch = network.makeBatch(samples, 1);
        const double whole = network.loss(batch, samples).item<double>();
        const double first = network.loss(batch.slice(0, 3), samples).item<double>();
        const double second = network.loss(batch.slice(3, 1), samples).item<double>();
        QVERIFY(std::abs((first + second) / whole - 1) < 1e-5);
    }

    void runsTheModuleInEvaluationMode()
    {
        const at::NoGradGuard noGradients;
        const std::string file = pathOf("counts.pt");
        saveScript(file,
                   "def forward(self, x):\n    if self.training:\n        return x.sum() + 1000000.0\n"
                   "    return self.bias.sum() + 7.0\n",
                   classes);
        const FlatParameters parameters(scriptParameters(file), model::Phase::Eval, at::kCPU);
        const ScriptNetwork network(scriptSpec(file), parameters, {});
        QCOMPARE(network.loss(network.makeBatch(samples, 1), samples).item<float>(), 7.0f);
    }

    void makesTheDeclaredInputs()
    {
        const std::string file = pathOf("embeds.pt");
        saveScript(file,
                   "def forward(self, tokens, scale):\n"
                   "    return self.down[tokens].sum(-1).mean() * scale.pow(2).mean()\n",
                   classes);
        model::ScriptSpec spec = scriptSpec(file);
        spec.inputs = {{.shape = {9}, .type = model::ScriptInputType::Int64, .upperBound = classes},
                       {.shape = {}}};
        const FlatParameters parameters(scriptParameters(file), model::Phase::Train, at::kCPU);
        const ScriptNetwork network(spec, parameters, {.trains = true});
        const Batch batch = network.makeBatch(samples, 1);
        QCOMPARE(batch.inputs[0].sizes().vec(), (std::vector<std::int64_t>{samples, 9}));
        QCOMPARE(batch.inputs[1].sizes().vec(), (std::vector<std::int64_t>{samples}));
        QVERIFY(batch.inputs[0].max().item<std::int64_t>() < classes);
        QVERIFY(std::isfinite(network.loss(batch, samples).item<double>()));
    }

    void quotesTheErrorOfTheModule_data()
    {
        const QString logits = QString::fromStdString(logitsForward);
        const auto add = rows<Text, qint64, qint64, Text>();
        add("another shape", {logits, 13, {classes}, "shapes cannot be multiplied (4x13 and 12x16)"});
        add("more classes", {logits, 12, {classes + 1}, "not logits of 6 classes"});
        add("no loss", {logits, 12, 0, "a loss is one number"});
        add("more arguments", {"def forward(self, x, y):\n    return x.sum() + y.sum()\n", 12, 0,
                               "missing value for argument 'y'"});
        add("two values", {"def forward(self, x):\n    return x.sum(), self.bias\n", 12, 0, "of type Tuple"});
    }
    void quotesTheErrorOfTheModule()
    {
        const auto& [forward, size, declared, named] = row<Text, qint64, qint64, Text>();
        const std::string file = pathOf("refuses.pt");
        saveScript(file, forward.toStdString(), classes);
        model::ScriptSpec spec = scriptSpec(file, declared);
        spec.inputs.front().shape = {size};
        const QString refusal = refusalOf(spec);
        VERIFY_CONTAINS(refusal, named);
        QVERIFY2(!refusal.contains(QStringLiteral("Traceback")), qPrintable(refusal));
        VERIFY_CONTAINS(refusal, QString::fromStdString(file));
    }

    void passesOnMemoryFailures()
    {
        const std::string file = pathOf("logits.pt");
        const FlatParameters parameters(scriptParameters(file), model::Phase::Train, at::kCPU);
        const ScriptNetwork network(scriptSpec(file, classes), parameters, {.trains = true});
        const Batch batch = network.makeBatch(samples, 1);
        BudgetAllocator::installed().failAllocation(1);
        bool failed = false;
        try {
            network.loss(batch, samples);
        } catch (const UnsupportedStep&) {
            QFAIL("taken for a shape");
        } catch (const std::exception& error) {
            failed = true;
            QCOMPARE(classifyFailureText(messageOf(error)).outcome, trial::Outcome::OutOfMemory);
        }
        BudgetAllocator::installed().failAllocation(0);
        QVERIFY(failed);
    }

    void refusesFilesWithoutAScript()
    {
        VERIFY_CONTAINS(problemOf(pathOf("absent.pt")), "does not exist");
        VERIFY_CONTAINS(problemOf(m_folder.path().toStdString()), "no regular file");
        QFile text(m_folder.filePath(QStringLiteral("text.pt")));
        QVERIFY(text.open(QIODevice::WriteOnly));
        text.write("def forward(x): return x\n");
        text.close();
        const QString problem = problemOf(pathOf("text.pt"));
        VERIFY_CONTAINS(problem, "no file of torch.jit.save");
        QVERIFY2(!problem.contains(QStringLiteral("frame #")), qPrintable(problem));
    }

    void refusesAFileOfANewerTorch()
    {
        {
            caffe2::serialize::PyTorchStreamWriter writer(pathOf("future.pt"));
            writer.writeRecord("data.pkl", "x", 1);
            writer.setMinVersion(1000);
            writer.writeEndOfFile();
        }
        const QString problem = problemOf(pathOf("future.pt"));
        VERIFY_CONTAINS(problem, "newer torch");
    }

    void refusesToTrainAFrozenModule()
    {
        torch::jit::Module module("Fixed");
        module.register_buffer("weight", at::ones({1}));
        module.define("def forward(self, x):\n    return x.sum() * self.weight\n");
        module.save(pathOf("frozen.pt"));
        const model::ScriptSpec spec = scriptSpec(pathOf("frozen.pt"));
        const FlatParameters parameters(scriptParameters(spec.file), model::Phase::Train, at::kCPU);
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, ScriptNetwork(spec, parameters, {.trains = true}));
    }

    void refusesParametersOfSixteenBits()
    {
        torch::jit::Module module("Half");
        module.register_parameter("weight", at::ones({1}, at::kHalf).requires_grad_(true), false);
        module.define("def forward(self, x):\n    return x.sum() * self.weight\n");
        module.save(pathOf("half.pt"));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, scriptParameters(pathOf("half.pt")));
    }
};

BATCHPEAK_TEST(ScriptNetworkTest)
#include "tst_script_network.moc"
