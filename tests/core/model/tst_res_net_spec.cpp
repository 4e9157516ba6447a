// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_table.h"
#include "support/test_main.h"

#include <QTest>

#include <numeric>

using namespace batchpeak::model;

class ResNetSpecTest : public QObject
{
    Q_OBJECT

private slots:
    // As torchvision publishes them with its weights; buffers are two for each channel of a batch
    // normalisation and one for each of these.
    void countsWhatWasPublished_data()
    {
        QTest::addColumn<qint64>("depth");
        QTest::addColumn<qint64>("parameters");
        QTest::addColumn<qint64>("buffers");
        QTest::newRow("ResNet-18") << qint64{18} << qint64{11689512} << qint64{9620};
        QTest::newRow("ResNet-34") << qint64{34} << qint64{21797672} << qint64{17060};
        QTest::newRow("ResNet-50") << qint64{50} << qint64{25557032} << qint64{53173};
        QTest::newRow("ResNet-101") << qint64{101} << qint64{44549160} << qint64{105448};
        QTest::newRow("ResNet-152") << qint64{152} << qint64{60192808} << qint64{151579};
    }
    void countsWhatWasPublished()
    {
        QFETCH(qint64, depth);
        const ResNetSpec spec{.depth = depth};
        QTEST(qint64{parameterCount({.architecture = spec})}, "parameters");
        const std::vector<std::int64_t> channels = normalizedChannels(spec);
        const std::int64_t all = std::accumulate(channels.begin(), channels.end(), std::int64_t{0});
        QTEST(qint64{2 * all + static_cast<std::int64_t>(channels.size())}, "buffers");
    }

    void stridesOnceInEachStageButTheFirst()
    {
        std::vector<std::string> strided;
        for (const ResNetBlock& block : blocksOf({.depth = 50})) {
            if (block.stride == 2)
                strided.push_back(block.prefix);
        }
        const std::vector<std::string> expected{"stages.1.blocks.0.", "stages.2.blocks.0.",
                                                "stages.3.blocks.0."};
        QVERIFY(strided == expected);
    }

    void normalizesOverTheBatch()
    {
        const ModelSpec resNet{.family = "resnet", .architecture = ResNetSpec()};
        const ModelSpec vit{.family = "vit", .architecture = VisionTransformerSpec()};
        QVERIFY(normalizesOverBatch(resNet));
        QVERIFY(!normalizesOverBatch(vit));
        QVERIFY(!takesSequences(resNet));
    }

    void namesWhatCannotBe()
    {
        QVERIFY(!problemWith(ResNetSpec()));
        const auto depth = problemWith(ResNetSpec{.depth = 51});
        QVERIFY(depth && depth->find("51") != std::string::npos);
        const auto image = problemWith(ResNetSpec{.imageSize = 0});
        QVERIFY(image && image->find("image size") != std::string::npos);
    }
};

BATCHPEAK_TEST(ResNetSpecTest)
#include "tst_res_net_spec.moc"
