// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_table.h"
#include "support/test_main.h"

#include <QTest>

#include <functional>

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
    // As torchvision publishes them with the weights of vit_b_16, vit_b_32 and vit_l_16.
    void countsWhatWasPublished_data()
    {
        QTest::addColumn<VisionTransformerSpec>("spec");
        QTest::addColumn<qint64>("expected");
        QTest::newRow("B/16") << vit(768, 12, 12, 16) << qint64{86567656};
        QTest::newRow("B/32") << vit(768, 12, 12, 32) << qint64{88224232};
        QTest::newRow("L/16") << vit(1024, 24, 16, 16) << qint64{304326632};
    }
    void countsWhatWasPublished()
    {
        QFETCH(VisionTransformerSpec, spec);
        QTEST(qint64{parameterCount({.architecture = spec})}, "expected");
    }

    void hasAPositionForEachPatchAndTheClass()
    {
        const VisionTransformerSpec spec = vit(768, 12, 12, 16);
        QCOMPARE(spec.patches(), 196);
        QCOMPARE(spec.positions(), 197);
        QVERIFY(!takesSequences({.architecture = spec}));
        QCOMPARE(usualSequenceLength({.architecture = spec}), 1);
    }

    void namesWhatCannotBe_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* name, const Change& change, const char* named) {
            QTest::newRow(name) << change << QString::fromLatin1(named);
        };
        row(
            "sound", [](VisionTransformerSpec&) {}, "");
        row(
            "no classes", [](VisionTransformerSpec& s) { s.classes = 0; }, "number of classes");
        row(
            "no channels", [](VisionTransformerSpec& s) { s.channels = 0; }, "image channels");
        row(
            "patches that do not fill the image", [](VisionTransformerSpec& s) { s.patchSize = 15; },
            "not a multiple of the patch size 15");
        row(
            "heads that do not divide", [](VisionTransformerSpec& s) { s.heads = 5; }, "5 attention heads");
        row(
            "gated", [](VisionTransformerSpec& s) { s.activation = Activation::SwiGlu; }, "gated");
        row(
            "drops all", [](VisionTransformerSpec& s) { s.attentionDropout = 1; }, "dropout");
    }
    void namesWhatCannotBe()
    {
        QFETCH(Change, change);
        QFETCH(QString, named);
        VisionTransformerSpec spec = vit(768, 12, 12, 16);
        change(spec);
        const auto problem = problemWith(ModelSpec{.family = "vit", .architecture = spec});
        QCOMPARE(problem.has_value(), !named.isEmpty());
        if (problem)
            QVERIFY2(QString::fromStdString(*problem).contains(named), problem->c_str());
    }
};

BATCHPEAK_TEST(VisionTransformerSpecTest)
#include "tst_vision_transformer_spec.moc"
