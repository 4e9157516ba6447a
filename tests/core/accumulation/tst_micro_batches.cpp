// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "accumulation/micro_batches.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

using namespace batchpeak::accumulation;

namespace {

struct Spreading
{
    std::int64_t batch, size;
    EvenSpread spread;
};

struct Cutting
{
    std::int64_t batch, size;
    std::vector<Chunk> chunks;
};

std::vector<Chunk> chunksOf(std::int64_t batch, std::int64_t microBatchSize)
{
    std::vector<Chunk> chunks;
    forEachChunk(batch, microBatchSize, [&](const Chunk& chunk) { chunks.push_back(chunk); });
    return chunks;
}

} // namespace

class MicroBatchesTest : public QObject
{
    Q_OBJECT

private slots:
    void spreadsEvenly_data()
    {
        rows<Spreading>({{"divides", {12, 4, {.size = 4, .ofSize = 3}}},
                         {"uneven", {10, 4, {.size = 3, .ofSize = 2, .ofOneMore = 1}}},
                         {"one at a time", {5, 1, {.size = 1, .ofSize = 5}}},
                         {"larger than the batch", {5, 8, {.size = 5, .ofSize = 1}}},
                         {"all but one", {9, 8, {.size = 4, .ofSize = 1, .ofOneMore = 1}}}});
    }
    void spreadsEvenly()
    {
        const auto& [batch, size, spread] = row<Spreading>();
        QCOMPARE(evenSpread(batch, size), spread);
        QCOMPARE(evenSpread(batch, size).microBatches(), spread.ofSize + spread.ofOneMore);
        QCOMPARE(spread.ofSize * spread.size + spread.ofOneMore * (spread.size + 1), batch);
    }

    void cuts_data()
    {
        rows<Cutting>(
            {{"whole", {4, 4, {{.first = 0, .samples = 4, .weight = 1.0}}}},
             {"larger than the batch", {4, 9, {{.first = 0, .samples = 4, .weight = 1.0}}}},
             {"one sample", {1, 1, {{.first = 0, .samples = 1, .weight = 1.0}}}},
             {"divides",
              {8, 4, {{.first = 0, .samples = 4, .weight = 0.5}, {.first = 4, .samples = 4, .weight = 0.5}}}},
             {"spread evenly, no remainder of one",
              {10,
               8,
               {{.first = 0, .samples = 5, .weight = 0.5}, {.first = 5, .samples = 5, .weight = 0.5}}}},
             {"larger ones first",
              {10,
               4,
               {{.first = 0, .samples = 4, .weight = 0.4},
                {.first = 4, .samples = 3, .weight = 0.3},
                {.first = 7, .samples = 3, .weight = 0.3}}}},
             {"one at a time",
              {2,
               1,
               {{.first = 0, .samples = 1, .weight = 0.5}, {.first = 1, .samples = 1, .weight = 0.5}}}}});
    }
    void cuts()
    {
        const auto& [batch, size, chunks] = row<Cutting>();
        QCOMPARE(chunksOf(batch, size), chunks);
    }

    void coversEachSampleOnce()
    {
        for (std::int64_t batch = 1; batch <= 60; ++batch) {
            for (std::int64_t size = 1; size <= 64; ++size) {
                std::int64_t next = 0;
                double weights = 0.0;
                const std::vector<Chunk> chunks = chunksOf(batch, size);
                for (const Chunk& chunk : chunks) {
                    QCOMPARE(chunk.first, next);
                    QVERIFY(chunk.samples >= 1 && chunk.samples <= size);
                    QCOMPARE(chunk.weight, static_cast<double>(chunk.samples) / static_cast<double>(batch));
                    next += chunk.samples;
                    weights += chunk.weight;
                }
                QCOMPARE(next, batch);
                QVERIFY(std::abs(weights - 1.0) < 1e-12);
                // The number of chunks is minimal, and their sizes differ by one sample at most.
                QCOMPARE(static_cast<std::int64_t>(chunks.size()), (batch + size - 1) / size);
                const auto [min, max] = std::ranges::minmax(chunks, {}, &Chunk::samples);
                QVERIFY(max.samples - min.samples <= 1);
            }
        }
    }

    void stopsAtAnException()
    {
        int calls = 0;
        const auto third = [&](const Chunk&) {
            if (++calls == 3)
                throw std::runtime_error("out of memory");
        };
        QVERIFY_EXCEPTION_THROWN(forEachChunk(10, 2, third), std::runtime_error);
        QCOMPARE(calls, 3);
    }
};

BATCHPEAK_TEST(MicroBatchesTest)
#include "tst_micro_batches.moc"
