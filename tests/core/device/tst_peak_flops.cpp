// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/peak_flops.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;

class PeakFlopsTest : public QObject
{
    Q_OBJECT

private slots:
    // The numbers are TFLOPS in fp32, TF32 and bf16; 0 if the GPU does not support that precision.
    void returnsThePeakOfAGpu_data()
    {
        rows<std::string, double, double, double>(
            {{"Volta has neither", {"Tesla V100-SXM2-16GB", 15.7, 0.0, 0.0}},
             {"drivers renamed it", {"A100-SXM4-40GB", 19.5, 156.0, 312.0}},
             {"SXM", {"NVIDIA A100-SXM4-80GB", 19.5, 156.0, 312.0}},
             {"H100 by its memory", {"NVIDIA H100 80GB HBM3", 66.9, 494.7, 989.4}},
             {"H100 on a card", {"NVIDIA H100 PCIe", 51.2, 378.0, 756.0}},
             {"one name in another", {"NVIDIA L40", 90.5, 90.5, 181.05}},
             {"the longer one", {"NVIDIA L40S", 91.6, 183.0, 362.05}},
             {"H200", {"NVIDIA H200", 67.0, 494.5, 989.5}},
             {"for players", {"NVIDIA GeForce RTX 4090", 82.6, 82.6, 165.2}}});
    }
    void returnsThePeakOfAGpu()
    {
        const auto& [name, fp32, tf32, bf16] = row<std::string, double, double, double>();
        const auto peak = device::peakFlopsOf(name);
        QVERIFY(peak);
        QCOMPARE(peak->fp32, fp32 * 1e12);
        QCOMPARE(peak->tf32, tf32 * 1e12);
        QCOMPARE(peak->bf16, bf16 * 1e12);
    }

    void returnsNothingForOtherNames_data()
    {
        rows<std::string>({{"a part of one", "NVIDIA A100-SXM4-40GB MIG 1g.5gb"},
                           {"a virtual one", "NVIDIA A10-24Q"},
                           {"a mobile one", "NVIDIA GeForce RTX 4090 Laptop GPU"},
                           {"a changed one", "NVIDIA GeForce RTX 4090 D"},
                           {"one of three models", "NVIDIA H100"},
                           {"a processor", "AMD EPYC 9B14"},
                           {"nothing", ""}});
    }
    void returnsNothingForOtherNames() { QVERIFY(!device::peakFlopsOf(row<std::string>())); }
};

BATCHPEAK_TEST(PeakFlopsTest)
#include "tst_peak_flops.moc"
