// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "text/tuning_text.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::engine;
using model::Tuning;

namespace {

const QLocale english(QLocale::English, QLocale::UnitedStates);

Tuning adapters()
{
    return {.adapter = model::AdapterKind::Lora,
            .rank = 16,
            .alpha = 32.0,
            .dropout = 0.05,
            .targets = {{.projection = model::Projection::Query, .layers = {}},
                        {.projection = model::Projection::AttentionOutput, .layers = {}}}};
}

Tuning everything()
{
    Tuning tuning = adapters();
    tuning.adapter = model::AdapterKind::Dora;
    tuning.rankStabilized = true;
    tuning.targets.front().layers = {0, 3};
    tuning.trainedParts = {"output.", "layers.30."};
    tuning.frozenWeights = model::FrozenWeights::Nf4;
    return tuning;
}

Tuning partly()
{
    return {.trainedParts = {"layers.30.", "output.weight"}, .frozenWeights = model::FrozenWeights::Bf16};
}

/// Returns a tuning that rounds all layers, including embeddings.
Tuning rounded()
{
    return {.fakeQuantization = {.weights = model::FakeQuantizedWeights::Int4,
                                 .groupSize = 256,
                                 .activations = model::FakeQuantizedActivations::Int8,
                                 .embeddings = true,
                                 .sharedOutput = true}};
}

/// Returns a tuning with adapters that rounds only the layers with adapters.
Tuning roundedWithAdapters()
{
    Tuning tuning = adapters();
    tuning.fakeQuantization = {.weights = model::FakeQuantizedWeights::Int4,
                               .activations = model::FakeQuantizedActivations::Int8,
                               .adaptedLayers = true};
    return tuning;
}

Tuning asTorchtune()
{
    Tuning tuning = adapters();
    tuning.frozenWeights = model::FrozenWeights::TorchaoNf4;
    return tuning;
}

Tuning narrowFloats()
{
    return {.fakeQuantization = {.weights = model::FakeQuantizedWeights::Nvfp4,
                                 .activations = model::FakeQuantizedActivations::Nvfp4}};
}

struct ExpectedTexts
{
    Tuning tuning;
    Text adapter;
    Text parts;
    Text frozen;
    Text word;
};

} // namespace

class TuningTextTest : public QObject
{
    Q_OBJECT

private slots:
    void describesTrainedParts_data()
    {
        rows<ExpectedTexts>(
            {{"all", {{}, "", "", "", ""}},
             {"adapters",
              {adapters(), "LoRA of rank 16, alpha 32, dropout 0.05, on query and attention output", "",
               "same dtype as trained weights", "LoRA 16"}},
             {"all that there is to say",
              {everything(),
               "DoRA of rank 16, alpha 32, rank-stabilized, dropout 0.05, on query in layers 0 and 3; "
               "attention output",
               "output and layers.30", "nf4 with double quantization", "DoRA 16 on nf4"}},
             {"as torchtune holds it",
              {asTorchtune(), "LoRA of rank 16, alpha 32, dropout 0.05, on query and attention output", "",
               "nf4 of torchao", "LoRA 16 on torchao-nf4"}},
             {"some parts",
              {partly(), "", "layers.30 and output.weight", "bf16", "partly trained on bf16"}}});
    }
    void describesTrainedParts()
    {
        const auto& [tuning, adapter, parts, frozen, word] = row<ExpectedTexts>();
        QCOMPARE(adapterText(tuning, english), adapter);
        QCOMPARE(trainedPartsText(tuning), parts);
        QCOMPARE(frozenWeightsText(tuning), frozen);
        QCOMPARE(tuningWord(tuning), word);
    }

    void describesRounding_data()
    {
        rows<Tuning, Text, Text>(
            {{"nothing", {adapters(), "", "LoRA 16"}},
             {"all layers",
              {rounded(), "int4 weights in groups of 256, int8 activations, embeddings too", "QAT int4"}},
             {"beside adapters",
              {roundedWithAdapters(),
               "int4 weights in groups of 32, int8 activations, in layers with an adapter",
               "LoRA 16, QAT int4"}},
             {"narrow floats", {narrowFloats(), "nvfp4 weights, nvfp4 activations", "QAT nvfp4"}},
             {"whole rows",
              {{.fakeQuantization = {.weights = model::FakeQuantizedWeights::Int8, .groupSize = 0}},
               "int8 weights by rows",
               "QAT int8"}}});
    }
    void describesRounding()
    {
        const auto& [tuning, text, word] = row<Tuning, Text, Text>();
        QCOMPARE(fakeQuantizationText(tuning, english), text);
        QCOMPARE(tuningWord(tuning), word);
    }

    void namesFewLayersAndCountsMany()
    {
        Tuning tuning = adapters();
        tuning.targets.pop_back();
        tuning.targets.front().layers = {30};
        QVERIFY(adapterText(tuning, english).endsWith(QLatin1String("on query in layer 30")));
        tuning.targets.front().layers = {1, 2, 3, 4, 5, 6, 7};
        QVERIFY(adapterText(tuning, english).endsWith(QLatin1String("on query in 7 layers")));
    }

    void countsParameters_data()
    {
        rows<qint64, qint64, Text>(
            {{"all trained", {124439808, 0, "124,439,808 parameters"}},
             {"some frozen",
              {6742609920, 6738415616, "trainable 4,194,304 of 6,742,609,920 parameters, 0.06 %"}},
             {"not known", {0, 0, "parameters counted when loaded"}}});
    }
    void countsParameters()
    {
        const auto& [all, frozen, text] = row<qint64, qint64, Text>();
        QCOMPARE(parametersText(all, frozen, english), text);
    }

    void restoresTuningsFromRecords_data()
    {
        rows<Tuning>({{"all", Tuning()},
                      {"adapters", adapters()},
                      {"beside torchao's weights", asTorchtune()},
                      {"everything", everything()},
                      {"some parts", partly()},
                      {"rounded", rounded()},
                      {"rounded beside adapters", roundedWithAdapters()}});
    }
    void restoresTuningsFromRecords()
    {
        const auto& tuning = row<Tuning>();
        QVERIFY(tuningFromRecord(tuningRecord(tuning)) == tuning);
        QCOMPARE(tuningRecord(tuning).isEmpty(), model::isUntuned(tuning));
    }

    void writesDifferentRecordsForDifferentTunings()
    {
        Tuning other = adapters();
        other.rank = 17;
        QVERIFY(tuningRecord(other) != tuningRecord(adapters()));
        QVERIFY(tuningFromRecord(QStringLiteral("no JSON")) == Tuning());
    }
};

BATCHPEAK_TEST(TuningTextTest)
#include "tst_tuning_text.moc"
