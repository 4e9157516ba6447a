// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_document.h"
#include "config/fidelity.h"
#include "config/networks/hub_models.h"
#include "config/smaller_run.h"
#include "model/parameter_table.h"
#include "support/error_of.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

ConfigContents contentsOf(const model::ModelSpec& spec)
{
    return {.model = spec,
            .train = BatchPlan{.globalBatchSize = 8},
            .sequenceLength = 2048,
            .precision = model::Precision::Bf16,
            .optimizer = model::Optimizer::Sgd};
}

const model::ModelSpec& modelOf(const ConfigContents& contents)
{
    return std::get<model::ModelSpec>(contents.model);
}

} // namespace

/// Tests configs whose network is made smaller.
class SmallerRunTest : public QObject
{
    Q_OBJECT

private slots:
    void shrinksEveryKnownNetwork()
    {
        for (const HubModel& known : hubModels()) {
            std::vector<Warning> warnings;
            const Network network = namedModel(known.ids.front(), {}, warnings);
            const auto* spec = std::get_if<model::ModelSpec>(&network);
            QVERIFY2(spec, known.ids.front().c_str());
            const model::ModelSpec small = modelOf(smallerRunOf(contentsOf(*spec)));
            QVERIFY2(!model::problemWith(small), known.ids.front().c_str());
            QVERIFY2(model::parameterCount(small) < 3'000'000, known.ids.front().c_str());
            QCOMPARE(small.family, spec->family);
        }
    }

    void keepsTheRun()
    {
        std::vector<Warning> warnings;
        const Network network = namedModel("meta-llama/Llama-3.2-1B", {}, warnings);
        const ConfigContents small = smallerRunOf(contentsOf(std::get<model::ModelSpec>(network)));
        QCOMPARE(small.sequenceLength, std::int64_t{64});
        QCOMPARE(small.train->globalBatchSize, std::int64_t{8});
        QCOMPARE(small.precision, model::Precision::Bf16);
        QCOMPARE(small.optimizer, model::Optimizer::Sgd);
    }

    void isLabeledAsAnotherRun()
    {
        std::vector<Warning> warnings;
        const Network network = namedModel("meta-llama/Llama-3.2-1B", {}, warnings);
        const ConfigContents whole = contentsOf(std::get<model::ModelSpec>(network));
        QVERIFY(!isOfSmallerNetwork(fidelityOf(whole)));
        const Fidelity label = fidelityOf(smallerRunOf(whole));
        QVERIFY(isOfSmallerNetwork(label));
        QCOMPARE(toText(label), std::string("another run, with a smaller network"));
    }

    void keepsAnUnsupportedNetwork()
    {
        const ConfigContents whole{.model = UnsupportedModel{.sentence = "It is not run."}};
        const ConfigContents small = smallerRunOf(whole);
        QCOMPARE(std::get<UnsupportedModel>(small.model).sentence, std::string("It is not run."));
        QVERIFY(small.replaced.empty());
    }

    void refusesATorchScriptModule()
    {
        const model::ModelSpec script{.family = "torchscript",
                                      .architecture = model::ScriptSpec{.file = "a.pt"}};
        VERIFY_CONTAINS(test::errorOf([&] { (void)smallerRunOf(contentsOf(script)); }), "leave out --shrink");
    }
};

BATCHPEAK_TEST(SmallerRunTest)
#include "tst_smaller_run.moc"
