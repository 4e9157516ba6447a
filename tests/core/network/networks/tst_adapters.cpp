// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_table.h"
#include "network/networks/adapters.h"
#include "network/networks/network_factory.h"
#include "network_comparison.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "tiny_networks.h"
#include "tiny_tunings.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::network;

namespace {

/// A network with adapters, and the same network with the adapters merged into its matrices.
struct Pair
{
    Pair(const model::Architecture& architecture, const model::Tuning& tuning)
        : spec{.family = "tiny", .architecture = architecture},
          table(model::parameterTable(spec, tuning)),
          adapted(table, model::Phase::Train, at::kCPU, {.tuning = tuning}),
          merged(model::parameterTable(spec), model::Phase::Train, at::kCPU)
    {
        fill();
        merge(tuning);
        const NetworkOptions options{.sequenceLength = 16, .targetLength = 9, .trains = true};
        ofAdapted = makeNetwork(spec, adapted, options);
        ofMerged = makeNetwork(spec, merged, options);
    }

    at::Tensor valuesOf(const std::string& name) const
    {
        const QuantizedMatrix* quantized = adapted.quantized(name);
        return quantized ? quantized->dequantized(at::kFloat) : adapted.at(name).detach();
    }

    /// With zeros, a missing parameter would not change the loss.
    void fill()
    {
        at::manual_seed(11);
        for (const model::Parameter& row : table) {
            const at::Tensor values = at::randn(row.shape) * 0.25;
            adapted.set(row.name, row.name.ends_with(".magnitude") ? values.abs() + 0.5 : values);
        }
    }

    void merge(const model::Tuning& tuning)
    {
        const at::NoGradGuard noGradients;
        for (const model::Parameter& row : merged.table()) {
            at::Tensor values = valuesOf(row.name).clone();
            const std::string name = row.name.substr(0, row.name.rfind('.'));
            const auto adapters = row.name.ends_with(".weight") ? adaptersOf(adapted, name) : nullptr;
            for (const Adapter& part : adapters ? adapters->parts : std::vector<Adapter>()) {
                at::Tensor rows = values.narrow(0, part.firstRow, part.rows);
                rows.add_(at::mm(part.b, part.a), model::adapterScale(tuning));
                if (part.magnitude.defined())
                    rows.mul_((part.magnitude / rows.norm(2, 1)).unsqueeze(1));
            }
            merged.set(row.name, values);
        }
    }

    double lossOf(const Network& network, const Batch& batch) const
    {
        return network.loss(batch, 1.0).item<double>();
    }

    model::ModelSpec spec;
    std::vector<model::Parameter> table;
    FlatParameters adapted;
    FlatParameters merged;
    std::unique_ptr<Network> ofAdapted;
    std::unique_ptr<Network> ofMerged;
};

bool canHave(const model::Architecture& architecture, const model::Tuning& tuning)
{
    return !model::problemWith({.family = "tiny", .architecture = architecture}, tuning);
}

/// A tied output has no separate matrix that could be merged.
bool sharesOutput(const model::Architecture& architecture)
{
    return std::visit(
        [](const auto& spec) {
            if constexpr (requires { spec.tiedEmbeddings; })
                return spec.tiedEmbeddings;
            return false;
        },
        architecture);
}

} // namespace

class AdaptersTest : public QObject
{
    Q_OBJECT

private:
    static void addPairs()
    {
        const auto add = rows<model::Architecture, model::Tuning>();
        for (const NamedNetwork& network : tinyNetworks()) {
            for (const auto& [name, tuning] : tinyTunings()) {
                const bool isOutput = tuning.targets.front().projection == model::Projection::Output;
                if (canHave(network.architecture, tuning) &&
                    !(isOutput && sharesOutput(network.architecture)))
                    add(std::string(network.name) + ", " + name, {network.architecture, tuning});
            }
        }
    }

private slots:
    void initTestCase() { prepareLibtorch(); }

    void computeAsMergedMatricesDo_data() { addPairs(); }
    void computeAsMergedMatricesDo()
    {
        const auto& [architecture, tuning] = row<model::Architecture, model::Tuning>();
        const Pair pair(architecture, tuning);
        const Batch batch = pair.ofMerged->makeBatch(3, 16);
        const double expected = pair.lossOf(*pair.ofMerged, batch);
        const double actual = pair.lossOf(*pair.ofAdapted, batch);
        QVERIFY2(std::abs(actual / expected - 1.0) < 1e-5,
                 qPrintable(QString::number(actual / expected - 1.0)));
    }

    void haveTheOnlyGradients_data() { addPairs(); }
    void haveTheOnlyGradients()
    {
        const auto& [architecture, tuning] = row<model::Architecture, model::Tuning>();
        const Pair pair(architecture, tuning);
        const Batch batch = pair.ofMerged->makeBatch(3, 16);
        pair.ofAdapted->loss(batch, 1.0).backward();
        for (const model::Parameter& row : pair.table) {
            if (row.role == model::ParameterRole::Quantized)
                continue;
            const at::Tensor gradient = pair.adapted.at(row.name).grad();
            QCOMPARE(gradient.defined(), row.isTrained());
            if (row.isTrained())
                QVERIFY2(gradient.abs().sum().item<double>() > 0.0, row.name.c_str());
        }
    }

    // d loss / d A = scale B^T (d loss / d W), and d loss / d B = scale (d loss / d W) A^T.
    void haveTheGradientsOfTheirMatrix_data()
    {
        const auto add = rows<model::Architecture, model::Tuning>();
        for (const NamedNetwork& network : tinyNetworks()) {
            for (const char* name : {"LoRA", "LoRA, all linear", "QLoRA"}) {
                const auto tunings = tinyTunings();
                const auto found = std::ranges::find_if(
                    tunings, [name](const auto& each) { return std::string(each.name) == name; });
                if (canHave(network.architecture, found->tuning))
                    add(std::string(network.name) + ", " + name, {network.architecture, found->tuning});
            }
        }
    }
    void haveTheGradientsOfTheirMatrix()
    {
        const auto& [architecture, tuning] = row<model::Architecture, model::Tuning>();
        const Pair pair(architecture, tuning);
        const Batch batch = pair.ofMerged->makeBatch(3, 16);
        pair.ofMerged->loss(batch, 1.0).backward();
        pair.ofAdapted->loss(batch, 1.0).backward();
        const at::NoGradGuard noGradients;
        for (const model::Parameter& row : pair.merged.table()) {
            const std::string name = row.name.substr(0, row.name.rfind('.'));
            const auto adapters = row.name.ends_with(".weight") ? adaptersOf(pair.adapted, name) : nullptr;
            for (const Adapter& part : adapters ? adapters->parts : std::vector<Adapter>()) {
                const at::Tensor gradient =
                    pair.merged.at(row.name).grad().narrow(0, part.firstRow, part.rows) * adapters->scale;
                QVERIFY2(relativeDifference(part.a.grad(), at::mm(part.b.t(), gradient)) < 1e-3,
                         name.c_str());
                QVERIFY2(relativeDifference(part.b.grad(), at::mm(gradient, part.a.t())) < 1e-3,
                         name.c_str());
            }
        }
    }

    void haveTheSameGradientsWithCheckpointing_data() { addPairs(); }
    void haveTheSameGradientsWithCheckpointing()
    {
        const auto& [architecture, tuning] = row<model::Architecture, model::Tuning>();
        const Pair pair(architecture, tuning);
        const Batch batch = pair.ofMerged->makeBatch(3, 16);
        const auto gradients = [&](bool checkpoints) {
            FlatParameters& parameters = const_cast<FlatParameters&>(pair.adapted);
            parameters.clearGradients();
            const auto network = makeNetwork(pair.spec, pair.adapted,
                                             {.sequenceLength = 16,
                                              .targetLength = 9,
                                              .trains = true,
                                              .checkpoints = checkpoints,
                                              .trainsAdapters = true});
            network->loss(batch, 1.0).backward();
            parameters.completeGradients();
            return parameters.gradients().clone();
        };
        QVERIFY(relativeDifference(gradients(true), gradients(false)) < 1e-5);
    }

    // PEFT draws a new dropout mask for the inputs of each adapter, and none for those of the matrix itself.
    void applyDropoutOnlyToTheirInputs()
    {
        model::Tuning tuning = lora(allLinear());
        tuning.dropout = 0.5;
        const Pair pair(tinyLlama(), tuning);
        const Batch batch = pair.ofMerged->makeBatch(3, 16);
        const double first = pair.lossOf(*pair.ofAdapted, batch);
        QVERIFY(first != pair.lossOf(*pair.ofAdapted, batch));
        pair.ofAdapted->setTrains(false);
        const double whole = pair.lossOf(*pair.ofAdapted, batch);
        QVERIFY(std::abs(whole / pair.lossOf(*pair.ofMerged, batch) - 1.0) < 1e-5);
    }

    void trainCopiesAndFreezeOriginals_data()
    {
        rows<model::DecoderSpec, std::vector<std::string>, std::vector<std::string>>(
            {{"output", {tinyLlama(), {"output."}, {"original.output.weight"}}},
             {"embedding of a shared one", {tinyGpt(), {"embed_tokens."}, {"output.weight"}}},
             {"output of a shared one", {tinyGpt(), {"output."}, {"embed_tokens.weight"}}},
             {"both of a shared one",
              {tinyGpt(), {"embed_tokens.", "output."}, {"original.embed_tokens.weight"}}}});
    }
    void trainCopiesAndFreezeOriginals()
    {
        const auto& [spec, parts, frozen] =
            row<model::DecoderSpec, std::vector<std::string>, std::vector<std::string>>();
        model::Tuning tuning = lora();
        tuning.trainedParts = parts;
        const Pair pair(spec, tuning);
        for (const std::string& name : frozen)
            QVERIFY2(!pair.adapted.at(name).requires_grad(), name.c_str());
        const Batch batch = pair.ofMerged->makeBatch(3, 16);
        pair.ofAdapted->loss(batch, 1.0).backward();
        for (const std::string& part : parts)
            QVERIFY(pair.adapted.at(part + "weight").grad().abs().sum().item<double>() > 0.0);
    }

    void leaveFrozenPartsWithoutGradients()
    {
        const model::Tuning tuning{.trainedParts = {"layers.1.", "final_norm."}};
        const Pair pair(tinyGpt(), tuning);
        const Batch batch = pair.ofMerged->makeBatch(3, 16);
        pair.ofAdapted->loss(batch, 1.0).backward();
        pair.ofMerged->loss(batch, 1.0).backward();
        for (const model::Parameter& row : pair.table) {
            const bool isTrained = row.name.starts_with("layers.1.") || row.name.starts_with("final_norm.");
            QCOMPARE(pair.adapted.at(row.name).grad().defined(), isTrained);
            if (isTrained)
                QVERIFY(relativeDifference(pair.adapted.at(row.name).grad(),
                                           pair.merged.at(row.name).grad()) < 1e-5);
        }
    }
};

BATCHPEAK_TEST(AdaptersTest)
#include "tst_adapters.moc"
