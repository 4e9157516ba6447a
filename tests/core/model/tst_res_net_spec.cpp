// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_table.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <numeric>

using namespace batchpeak::model;

class ResNetSpecTest : public QObject
{
    Q_OBJECT

private slots:
    // Counts are those that torchvision publishes with its weights. Buffers are two values for each channel
    // of a batch normalization, and one for each batch normalization.
    void countsPublishedNetworks_data()
    {
        rows<std::int64_t, std::int64_t, std::int64_t>({{"ResNet-18", {18, 11689512, 9620}},
                                                        {"ResNet-34", {34, 21797672, 17060}},
                                                        {"ResNet-50", {50, 25557032, 53173}},
                                                        {"ResNet-101", {101, 44549160, 105448}},
                                                        {"ResNet-152", {152, 60192808, 151579}}});
    }
    void countsPublishedNetworks()
    {
        const auto& [depth, parameters, buffers] = row<std::int64_t, std::int64_t, std::int64_t>();
        const ResNetSpec spec{.depth = depth};
        QCOMPARE(parameterCount({.architecture = spec}), parameters);
        const std::vector<std::int64_t> channels = normalizedChannels(spec);
        const std::int64_t all = std::accumulate(channels.begin(), channels.end(), std::int64_t{0});
        QCOMPARE(2 * all + static_cast<std::int64_t>(channels.size()), buffers);
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

    void namesInvalidValues()
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
