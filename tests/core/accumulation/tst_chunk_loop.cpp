// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "accumulation/chunk_loop.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <stdexcept>
#include <vector>

using namespace batchpeak::accumulation;

namespace {

std::vector<Chunk> chunksOf(std::int64_t batch, std::int64_t microBatchSize)
{
    std::vector<Chunk> chunks;
    forEachChunk(batch, microBatchSize, [&](const Chunk& chunk) { chunks.push_back(chunk); });
    return chunks;
}

} // namespace

class ChunkLoopTest : public QObject
{
    Q_OBJECT

private slots:
    void cuts_data();
    void cuts();
    void coversEachSampleOnce();
    void leavesAtAnException();
};

void ChunkLoopTest::cuts_data()
{
    QTest::addColumn<std::int64_t>("batch");
    QTest::addColumn<std::int64_t>("size");
    QTest::addColumn<std::vector<Chunk>>("chunks");
    const auto row = [](const char* name, std::int64_t batch, std::int64_t size,
                        const std::vector<Chunk>& chunks) { QTest::newRow(name) << batch << size << chunks; };
    row("whole", 4, 4, {{.first = 0, .samples = 4, .weight = 1.0}});
    row("larger than the batch", 4, 9, {{.first = 0, .samples = 4, .weight = 1.0}});
    row("one sample", 1, 1, {{.first = 0, .samples = 1, .weight = 1.0}});
    row("divides", 8, 4,
        {{.first = 0, .samples = 4, .weight = 0.5}, {.first = 4, .samples = 4, .weight = 0.5}});
    row("spread evenly, no remainder of one", 10, 8,
        {{.first = 0, .samples = 5, .weight = 0.5}, {.first = 5, .samples = 5, .weight = 0.5}});
    row("larger ones first", 10, 4,
        {{.first = 0, .samples = 4, .weight = 0.4},
         {.first = 4, .samples = 3, .weight = 0.3},
         {.first = 7, .samples = 3, .weight = 0.3}});
    row("one at a time", 2, 1,
        {{.first = 0, .samples = 1, .weight = 0.5}, {.first = 1, .samples = 1, .weight = 0.5}});
}

void ChunkLoopTest::cuts()
{
    QFETCH(std::int64_t, batch);
    QFETCH(std::int64_t, size);
    QFETCH(std::vector<Chunk>, chunks);
    QCOMPARE(chunksOf(batch, size), chunks);
}

void ChunkLoopTest::coversEachSampleOnce()
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
            // As few as there can be, and none more than one sample away from another.
            QCOMPARE(static_cast<std::int64_t>(chunks.size()), (batch + size - 1) / size);
            const auto [least, most] = std::ranges::minmax(chunks, {}, &Chunk::samples);
            QVERIFY(most.samples - least.samples <= 1);
        }
    }
}

void ChunkLoopTest::leavesAtAnException()
{
    int calls = 0;
    const auto third = [&](const Chunk&) {
        if (++calls == 3)
            throw std::runtime_error("out of memory");
    };
    QVERIFY_EXCEPTION_THROWN(forEachChunk(10, 2, third), std::runtime_error);
    QCOMPARE(calls, 3);
}

BATCHPEAK_TEST(ChunkLoopTest)
#include "tst_chunk_loop.moc"
