// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/architecture_fields.h"
#include "model/parameter_table.h"
#include "model/tuning.h"
#include "support/test_main.h"

#include <QTest>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace batchpeak::model;

namespace {

template<typename Member>
using Named = std::vector<std::pair<std::string, Member*>>;

/// Pointers to the numbers of a network or a tuning, with the names that files use for them.
struct Numbers
{
    Named<std::int64_t> sizes;
    Named<double> numbers;
    Named<std::vector<std::int64_t>> lists;
};

/// Finds the numbers that visitFields() visits.
class NumberFinder
{
public:
    explicit NumberFinder(Numbers& found) : m_found(found) {}

    void value(const char* name, std::int64_t& member) { m_found.sizes.emplace_back(name, &member); }
    void value(const char* name, double& member) { m_found.numbers.emplace_back(name, &member); }
    void value(const char*, bool&) {}
    void value(const char*, std::string&) {}
    template<typename Word>
    void word(const char*, Word&)
    {}
    void sizes(const char* name, std::vector<std::int64_t>& member)
    {
        m_found.lists.emplace_back(name, &member);
    }
    void texts(const char*, std::vector<std::string>&) {}
    template<typename Element>
    void list(const char*, std::vector<Element>& member)
    {
        for (Element& element : member)
            visitFields(element, *this);
    }

private:
    Numbers& m_found;
};

template<typename Holder>
Numbers numbersOf(Holder& holder)
{
    Numbers found;
    visitFields(holder, NumberFinder(found));
    return found;
}

std::optional<std::string> problemOf(const Tuning& tuning)
{
    return problemWith(tuning);
}

template<typename Spec>
std::optional<std::string> problemOf(const Spec& spec)
{
    return problemWith(ModelSpec{.architecture = spec});
}

using Limits = std::numeric_limits<std::int64_t>;

/// Sets each number to each of the values, with which no program can calculate.
///
/// \param member  the list of numbers to set, such as Numbers::sizes
/// \return names of the numbers for which no problem is reported
template<typename Holder, typename Members, typename Value>
QStringList withoutBound(const Holder& sound, Members member, const std::vector<Value>& values)
{
    QStringList names;
    Holder counted = sound;
    for (std::size_t i = 0; i < (numbersOf(counted).*member).size(); ++i) {
        for (const Value& value : values) {
            Holder changed = sound;
            const auto [name, place] = (numbersOf(changed).*member)[i];
            *place = value;
            if (!problemOf(changed))
                names << QString::fromStdString(name);
        }
    }
    names.removeDuplicates();
    return names;
}

template<typename Holder>
QStringList withoutBound(const Holder& sound)
{
    using Floats = std::numeric_limits<double>;
    return withoutBound(sound, &Numbers::sizes, std::vector{Limits::max(), Limits::min()}) +
           withoutBound(sound, &Numbers::numbers,
                        std::vector{Floats::quiet_NaN(), Floats::infinity(), -Floats::infinity()}) +
           withoutBound(sound, &Numbers::lists,
                        std::vector<std::vector<std::int64_t>>{{Limits::max()}, {Limits::min()}});
}

/// Returns a decoder that uses every feature of decoders.
DecoderSpec decoder()
{
    DecoderSpec spec{.vocabularySize = 64,
                     .hiddenSize = 8,
                     .layers = 4,
                     .heads = 2,
                     .keyValueHeads = 1,
                     .feedForwardSize = 16,
                     .maxPositions = 32,
                     .positionOffset = 2};
    spec.unrotatedLayers = {1};
    spec.attentionWindow = 4;
    spec.windowedLayers = {2};
    spec.experts = 4;
    spec.sharedExpertSize = 8;
    spec.denseLayers = 1;
    spec.denseFeedForwardSize = 8;
    return spec;
}

} // namespace

/// Tests that each number from a file is checked before any calculation with it, so that neither a mistake
/// nor a malicious value causes an overflow.
class SizeBoundsTest : public QObject
{
    Q_OBJECT

private slots:
    void limitDecoders() { checkAll(decoder()); }
    void limitEncoders()
    {
        checkAll(EncoderSpec{.vocabularySize = 64,
                             .hiddenSize = 8,
                             .layers = 1,
                             .heads = 2,
                             .feedForwardSize = 16,
                             .maxPositions = 32,
                             .tokenDropout = true});
    }
    void limitEncoderDecoders()
    {
        checkAll(EncoderDecoderSpec{.vocabularySize = 64,
                                    .hiddenSize = 8,
                                    .encoderLayers = 1,
                                    .decoderLayers = 1,
                                    .heads = 2,
                                    .headSize = 4,
                                    .feedForwardSize = 16});
    }
    void limitVisionTransformers()
    {
        checkAll(VisionTransformerSpec{.hiddenSize = 8, .layers = 1, .heads = 2, .feedForwardSize = 16});
    }
    void limitResidualNetworks() { checkAll(ResNetSpec()); }
    void limitTorchScriptModules()
    {
        const ScriptSpec spec{.file = "net.pt",
                              .inputs = {{.shape = {3}, .type = ScriptInputType::Int64, .upperBound = 8}},
                              .output = ScriptOutput::Logits,
                              .classes = 4};
        QVERIFY(!problemOf(spec));
        // Integers may have any bound, as nothing is calculated with it.
        QCOMPARE(withoutBound(spec), QStringList{QStringLiteral("upper_bound")});
    }
    void limitNetworksOfTransformers() { checkAll(TransformersSpec{.type = "other", .config = "{}"}); }
    void limitTunings()
    {
        checkAll(Tuning{.adapter = AdapterKind::Lora,
                        .targets = {{.projection = Projection::Query}},
                        .fakeQuantization = {.weights = FakeQuantizedWeights::Int4}},
                 // Layers of targets are only compared with the numbers of layers.
                 {QStringLiteral("layers")});
    }

    void limitTheProductsOfImageSizes()
    {
        constexpr std::int64_t largest = 1 << 16;
        QVERIFY(!problemOf(ResNetSpec{.channels = largest, .imageSize = largest}));
        QVERIFY(problemOf(ResNetSpec{.channels = largest + 1}));
        QVERIFY(problemOf(ResNetSpec{.imageSize = largest + 1}));
    }

private:
    template<typename Holder>
    static void checkAll(const Holder& sound, const QStringList& exceptions = {})
    {
        const auto problem = problemOf(sound);
        QVERIFY2(!problem, problem.value_or("").c_str());
        QCOMPARE(withoutBound(sound), exceptions);
    }
};

BATCHPEAK_TEST(SizeBoundsTest)
#include "tst_size_bounds.moc"
