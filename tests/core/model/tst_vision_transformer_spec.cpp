// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_table.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <functional>
#include <string>

using namespace batchpeak::model;

using Change = std::function<void(VisionTransformerSpec&)>;

namespace {

VisionTransformerSpec vit(std::int64_t hidden, std::int64_t layers, std::int64_t heads, std::int64_t patch)
{
    return {.patchSize = patch,
            .hiddenSize = hidden,
            .layers = layers,
            .heads = heads,
            .feedForwardSize = 4 * hidden};
}

} // namespace

class VisionTransformerSpecTest : public QObject
{
    Q_OBJECT

private slots:
    // Counts are those that torchvision publishes with the weights of vit_b_16, vit_b_32 and vit_l_16.
    void countsPublishedNetworks_data()
    {
        rows<VisionTransformerSpec, std::int64_t>({{"B/16", {vit(768, 12, 12, 16), 86567656}},
                                                   {"B/32", {vit(768, 12, 12, 32), 88224232}},
                                                   {"L/16", {vit(1024, 24, 16, 16), 304326632}}});
    }
    void countsPublishedNetworks()
    {
        const auto& [spec, expected] = row<VisionTransformerSpec, std::int64_t>();
        QCOMPARE(parameterCount({.architecture = spec}), expected);
    }

    void hasAPositionForEachPatchAndTheClass()
    {
        const VisionTransformerSpec spec = vit(768, 12, 12, 16);
        QCOMPARE(spec.patches(), 196);
        QCOMPARE(spec.positions(), 197);
        QVERIFY(!takesSequences({.architecture = spec}));
        QCOMPARE(defaultSequenceLength({.architecture = spec}), 1);
    }

    void namesInvalidValues_data()
    {
        rows<Change, std::string>(
            {{"sound", {[](VisionTransformerSpec&) {}, ""}},
             {"no classes", {[](VisionTransformerSpec& s) { s.classes = 0; }, "number of classes"}},
             {"no channels", {[](VisionTransformerSpec& s) { s.channels = 0; }, "image channels"}},
             {"patches that do not fill the image",
              {[](VisionTransformerSpec& s) { s.patchSize = 15; }, "not a multiple of the patch size 15"}},
             {"heads that do not divide",
              {[](VisionTransformerSpec& s) { s.heads = 5; }, "5 attention heads"}},
             {"gated", {[](VisionTransformerSpec& s) { s.activation = Activation::SwiGlu; }, "gated"}},
             {"drops all", {[](VisionTransformerSpec& s) { s.attentionDropout = 1; }, "dropout"}}});
    }
    void namesInvalidValues()
    {
        const auto& [change, named] = row<Change, std::string>();
        VisionTransformerSpec spec = vit(768, 12, 12, 16);
        change(spec);
        const auto problem = problemWith(ModelSpec{.family = "vit", .architecture = spec});
        QCOMPARE(problem.has_value(), !named.empty());
        if (problem)
            QVERIFY2(problem->find(named) != std::string::npos, problem->c_str());
    }
};

BATCHPEAK_TEST(VisionTransformerSpecTest)
#include "tst_vision_transformer_spec.moc"
