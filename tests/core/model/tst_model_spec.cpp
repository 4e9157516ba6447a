// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/model_spec.h"
#include "model/run_kind.h"
#include "support/test_main.h"

#include <QTest>

#include <functional>

using namespace batchpeak::model;

using Change = std::function<void(DecoderSpec&)>;

class ModelSpecTest : public QObject
{
    Q_OBJECT

private slots:
    void namesWhatCannotBe_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("named");
        QTest::newRow("sound") << Change([](DecoderSpec&) {}) << QString();
        QTest::newRow("no layers") << Change([](DecoderSpec& s) { s.layers = 0; })
                                   << QStringLiteral("layers");
        QTest::newRow("negative size")
            << Change([](DecoderSpec& s) { s.hiddenSize = -8; }) << QStringLiteral("hidden size");
        QTest::newRow("heads do not divide") << Change([](DecoderSpec& s) { s.heads = s.keyValueHeads = 3; })
                                             << QStringLiteral("not a multiple of the 3 attention heads");
        QTest::newRow("heads with a size of their own")
            << Change([](DecoderSpec& s) { s.heads = s.keyValueHeads = 3, s.headSize = 5; }) << QString();
        QTest::newRow("negative head size")
            << Change([](DecoderSpec& s) { s.headSize = -1; }) << QStringLiteral("The head size is -1");
        QTest::newRow("groups do not divide heads with a size of their own")
            << Change([](DecoderSpec& s) { s.headSize = 5, s.keyValueHeads = 3; })
            << QStringLiteral("3 key-value heads");
        QTest::newRow("groups do not divide")
            << Change([](DecoderSpec& s) { s.keyValueHeads = 3; }) << QStringLiteral("3 key-value heads");
        QTest::newRow("rotates more than a head")
            << Change([](DecoderSpec& s) { s.rotaryDimensions = 6; }) << QStringLiteral("head size, 4");
        QTest::newRow("rotates more than a head that is larger than its share")
            << Change([](DecoderSpec& s) { s.headSize = 6, s.rotaryDimensions = 8; })
            << QStringLiteral("head size, 6");
        QTest::newRow("rotates as much as a head that is larger than its share")
            << Change([](DecoderSpec& s) { s.headSize = 6, s.rotaryDimensions = 6; }) << QString();
        QTest::newRow("rotates heads of an odd size")
            << Change([](DecoderSpec& s) { s.headSize = 5, s.positionEmbedding = PositionEmbedding::Rotary; })
            << QStringLiteral("rotary dimension 5 must be an even number");
        QTest::newRow("fewer experts than a token takes")
            << Change([](DecoderSpec& s) { s.experts = 2, s.expertsPerToken = 3; })
            << QStringLiteral("3 of 2 experts");
        QTest::newRow("drops all") << Change([](DecoderSpec& s) { s.dropout = 1; })
                                   << QStringLiteral("dropout");
    }
    void namesWhatCannotBe()
    {
        QFETCH(Change, change);
        QFETCH(QString, named);
        DecoderSpec spec{.vocabularySize = 16,
                         .hiddenSize = 8,
                         .layers = 1,
                         .heads = 2,
                         .keyValueHeads = 2,
                         .feedForwardSize = 16,
                         .maxPositions = 4};
        change(spec);
        const auto problem = problemWith(ModelSpec{.family = "gpt2", .architecture = spec});
        QCOMPARE(problem.has_value(), !named.isEmpty());
        if (problem)
            QVERIFY2(QString::fromStdString(*problem).contains(named), problem->c_str());
    }

    void wordsGoBothWays()
    {
        for (const Precision precision :
             {Precision::Fp32, Precision::Tf32, Precision::Bf16, Precision::PureBf16})
            QCOMPARE(precisionFromText(toText(precision)), precision);
        for (const Phase phase : {Phase::Train, Phase::Eval})
            QCOMPARE(phaseFromText(toText(phase)), phase);
        QVERIFY(!precisionFromText("fp64"));
    }
};

BATCHPEAK_TEST(ModelSpecTest)
#include "tst_model_spec.moc"
