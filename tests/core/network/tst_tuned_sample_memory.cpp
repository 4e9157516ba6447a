// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_table.h"
#include "step_memory_support.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "tiny_networks.h"
#include "tiny_tunings.h"

#include <QTest>

#include <cmath>
#include <string>

using namespace batchpeak;
using namespace batchpeak::network;
using trial::LoadRequest;

/// Tests the prediction of a sample's memory for networks with adapters, frozen weights and rounded weights.
/// tst_step_memory tests fully trained networks, and memory that does not grow with the samples.
class TunedSampleMemoryTest : public QObject
{
    Q_OBJECT

private:
    /// Adds the most frequent tunings of each network, and all tunings of two networks.
    template<typename Add>
    static void addTunings(const Add& add, const NamedNetwork& network)
    {
        using model::Precision;
        const std::string name = network.name;
        for (const auto& [kind, tuning] : tinyTunings()) {
            const bool isAll = name == "GPT" || name == "LLaMA";
            const bool isDefault = std::string(kind) == "LoRA, all linear" || std::string(kind) == "DoRA";
            const model::ModelSpec spec{.family = "tiny", .architecture = deeper(network.architecture)};
            if (!(isAll || isDefault) || model::problemWith(spec, tuning))
                continue;
            model::Tuning narrow = tuning;
            if (narrow.frozenWeights == model::FrozenWeights::Same)
                narrow.frozenWeights = model::FrozenWeights::Bf16;
            const std::string start = name + ", " + kind;
            add(start, requestFor(network.architecture, {.tuning = tuning}));
            add(start + ", bf16",
                requestFor(network.architecture, {.precision = Precision::Bf16, .tuning = narrow}));
            add(start + ", checkpointed",
                requestFor(network.architecture,
                           {.options = {.activationCheckpointing = true}, .tuning = tuning}));
            if (!isDefault)
                continue;
            add(start + ", fp32 beside bf16", requestFor(network.architecture, {.tuning = narrow}));
            narrow.dropout = 0.1;
            add(start + ", plain bf16, dropout",
                requestFor(network.architecture, {.precision = Precision::PlainBf16, .tuning = narrow}));
            add(start + ", fp32 beside bf16, dropout", requestFor(network.architecture, {.tuning = narrow}));
        }
    }

    template<typename Add>
    static void addRoundings(const Add& add, const model::DecoderSpec& decoder)
    {
        for (const auto& [kind, tuning] : tinyRoundings())
            add(std::string("rounded, ") + kind, requestFor(decoder, {.tuning = tuning}));
        const model::Tuning usual = tinyRoundings().front().tuning;
        add("rounded, plain bf16",
            requestFor(decoder, {.precision = model::Precision::PlainBf16, .tuning = usual}));
        add("rounded, checkpointed",
            requestFor(decoder, {.options = {.activationCheckpointing = true}, .tuning = usual}));
    }

private slots:
    void predictsTheMemoryOfASample_data()
    {
        const auto add = rows<LoadRequest>();
        for (const NamedNetwork& network : tinyNetworks())
            addTunings(add, network);
        addRoundings(add, tinyLlama());
    }
    void predictsTheMemoryOfASample() { VERIFY_BELOW(std::abs(errorOfSample(row<LoadRequest>())), 2.0); }
};

BATCHPEAK_TEST(TunedSampleMemoryTest)
#include "tst_tuned_sample_memory.moc"
