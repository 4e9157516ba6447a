// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/rows.h"
#include "support/test_main.h"
#include "training/batch_sequence.h"

#include <QTest>

#include <limits>

using namespace batchpeak;
using training::BatchSequence;
using training::DataPosition;
using training::RunLength;

namespace {

/// Returns epoch and first sample of each batch of \p batchSize until the end, such as "0:0 0:4 1:0".
QString walk(BatchSequence sequence, std::int64_t batchSize)
{
    QStringList batches;
    while (!sequence.isOver(batchSize) && batches.size() < 100) {
        if (!sequence.epochHolds(batchSize)) {
            sequence.beginEpoch();
            continue;
        }
        const DataPosition& position = sequence.position();
        batches.append(QStringLiteral("%1:%2").arg(position.epoch).arg(position.samplesDone));
        sequence.stepDone(batchSize);
    }
    return batches.join(QLatin1Char(' '));
}

} // namespace

class BatchSequenceTest : public QObject
{
    Q_OBJECT

private slots:
    void goesThroughItsEpochs_data()
    {
        rows<int, int, int, int, Text>({{"one epoch", {8, 4, 0, 1, "0:0 0:4"}},
                                        {"the rest is left out", {11, 4, 0, 2, "0:0 0:4 1:0 1:4"}},
                                        {"steps end first", {8, 4, 3, 9, "0:0 0:4 1:0"}},
                                        {"epochs end first", {8, 4, 9, 1, "0:0 0:4"}},
                                        {"steps alone", {4, 4, 3, 0, "0:0 1:0 2:0"}}});
    }
    void goesThroughItsEpochs()
    {
        const auto& [samples, batchSize, steps, epochs, batches] = row<int, int, int, int, Text>();
        RunLength length;
        if (steps > 0)
            length.steps = steps;
        if (epochs > 0)
            length.epochs = epochs;
        const BatchSequence sequence(samples, length);
        QCOMPARE(walk(sequence, batchSize), batches);
        QCOMPARE(sequence.stepsInAll(batchSize), batches.split(QLatin1Char(' ')).size());
    }

    void resumesAtAPosition()
    {
        const BatchSequence sequence(12, {.epochs = 3}, {.step = 4, .epoch = 1, .samplesDone = 4});
        QCOMPARE(walk(sequence, 4), QStringLiteral("1:4 1:8 2:0 2:4 2:8"));
        QCOMPARE(sequence.stepsInAll(4), 9);
    }

    void countsFewerStepsOfLargerBatches()
    {
        BatchSequence sequence(16, {.epochs = 2});
        QCOMPARE(sequence.stepsInAll(4), 8);
        for (int step = 0; step < 4; ++step)
            sequence.stepDone(4);
        sequence.beginEpoch();
        QCOMPARE(sequence.stepsInAll(8), 6);
    }

    void acceptsAbsurdNumbersOfEpochs()
    {
        constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
        QCOMPARE(BatchSequence(1'000'000, {.epochs = max}).stepsInAll(1), max);
        QCOMPARE(BatchSequence(1'000'000, {.steps = 7, .epochs = max}).stepsInAll(1), 7);
    }
};

BATCHPEAK_TEST(BatchSequenceTest)
#include "tst_batch_sequence.moc"
