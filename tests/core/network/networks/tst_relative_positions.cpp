// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/networks/position_embeddings.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <ATen/ATen.h>

#include <QTest>

#include <cmath>

using namespace batchpeak::network;

namespace {

// Returns the buckets as transformers and T5's own code compute them, in fp32 tensors.
at::Tensor bucketsByTensors(const RelativeBuckets& buckets, const at::Tensor& offsets)
{
    const std::int64_t count = buckets.bidirectional ? buckets.count / 2 : buckets.count;
    const at::Tensor first =
        buckets.bidirectional ? (offsets > 0).to(at::kLong) * count : at::zeros_like(offsets);
    const at::Tensor distance =
        buckets.bidirectional ? offsets.abs() : -at::minimum(offsets, at::zeros_like(offsets));
    const std::int64_t exact = count / 2;
    const double range = std::log(static_cast<double>(buckets.maxDistance) / static_cast<double>(exact));
    const at::Tensor wide =
        exact + ((distance.to(at::kFloat) / exact).log() / range * (count - exact)).to(at::kLong);
    return first + at::where(distance < exact, distance, wide.clamp_max(count - 1));
}

} // namespace

class RelativePositionsTest : public QObject
{
    Q_OBJECT

private slots:
    void assignsBucketsAsT5Does_data()
    {
        rows<int, int, bool>({{"encoder", {32, 128, true}},
                              {"decoder", {32, 128, false}},
                              {"few buckets, encoder", {8, 20, true}},
                              {"few buckets, decoder", {4, 5, false}},
                              {"many buckets", {64, 1000, true}}});
    }
    void assignsBucketsAsT5Does()
    {
        const auto& [count, maxDistance, bidirectional] = row<int, int, bool>();
        const RelativeBuckets buckets{
            .count = count, .maxDistance = maxDistance, .bidirectional = bidirectional};
        const at::Tensor offsets = at::arange(-1100, 1101, at::kLong);
        const at::Tensor expected = bucketsByTensors(buckets, offsets);
        for (std::int64_t i = 0; i < offsets.size(0); ++i) {
            const auto offset = offsets[i].item<std::int64_t>();
            const auto bucket = expected[i].item<std::int64_t>();
            QVERIFY2(relativeBucket(buckets, offset) == bucket,
                     qPrintable(QStringLiteral("offset %1: %2 in place of %3")
                                    .arg(offset)
                                    .arg(relativeBucket(buckets, offset))
                                    .arg(bucket)));
        }
    }

    void tabulatesEveryPair()
    {
        const RelativeBuckets buckets{.count = 8, .maxDistance = 20, .bidirectional = true};
        const at::Tensor table = relativeBucketTable(buckets, 5, 9, at::kCPU);
        QCOMPARE(table.scalar_type(), at::kInt);
        QCOMPARE(table.size(0), 5);
        QCOMPARE(table.size(1), 9);
        for (std::int64_t query = 0; query < 5; ++query) {
            for (std::int64_t key = 0; key < 9; ++key)
                QCOMPARE(table[query][key].item<std::int64_t>(), relativeBucket(buckets, key - query));
        }
    }
};

BATCHPEAK_TEST(RelativePositionsTest)
#include "tst_relative_positions.moc"
