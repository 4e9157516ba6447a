// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/heap_thresholds.h"
#include "support/test_main.h"

#include <QTest>

#include <malloc.h>

#include <cstdlib>

using namespace batchpeak::network;

class HeapThresholdsTest : public QObject
{
    Q_OBJECT

private:
    static constexpr std::size_t kibibyte = 1024;
    static constexpr std::size_t mebibyte = 1024 * kibibyte;
    static constexpr std::size_t page = 4096;

    // Whether malloc requests a block of this size from the kernel.
    static bool isMapped(std::size_t bytes, HeapThresholds& thresholds)
    {
        const std::size_t before = mallinfo2().hblks;
        // "volatile" prevents the compiler from removing malloc() and free().
        void* volatile block = std::malloc(bytes);
        const bool mapped = mallinfo2().hblks > before;
        std::free(block);
        thresholds.freed(bytes);
        return mapped;
    }

private slots:
    void raisesTheThresholdOfEachSizeSeparately()
    {
        HeapThresholds thresholds;
        thresholds.begin(1);
        thresholds.freed(mebibyte);
        thresholds.freed(512 * kibibyte);
        QCOMPARE(thresholds.threshold(), mebibyte + page);
        thresholds.begin(2);
        QCOMPARE(thresholds.threshold(), 128 * kibibyte);
        thresholds.freed(3 * mebibyte);
        thresholds.begin(1);
        QCOMPARE(thresholds.threshold(), mebibyte + page);
        thresholds.begin(2);
        QCOMPARE(thresholds.threshold(), 3 * mebibyte + page);
        thresholds.forget();
        QCOMPARE(thresholds.threshold(), 128 * kibibyte);
        thresholds.begin(1);
        QCOMPARE(thresholds.threshold(), mebibyte + page);
    }

    void ignoresBlocksAboveTheMaximum()
    {
        HeapThresholds thresholds;
        thresholds.begin(1);
        thresholds.freed(32 * mebibyte);
        QCOMPARE(thresholds.threshold(), 128 * kibibyte);
        thresholds.freed(32 * mebibyte - page);
        QCOMPARE(thresholds.threshold(), 32 * mebibyte);
    }

    void setsTheThresholdOfMalloc()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("A sanitizer brings its own malloc.");
#endif
        HeapThresholds thresholds;
        thresholds.begin(1);
        QVERIFY(isMapped(8 * mebibyte, thresholds));
        QVERIFY(!isMapped(8 * mebibyte, thresholds));
        thresholds.begin(2);
        // Larger than the free part of the heap.
        QVERIFY(isMapped(16 * mebibyte, thresholds));
        QVERIFY(!isMapped(16 * mebibyte, thresholds));
    }
};

BATCHPEAK_TEST(HeapThresholdsTest)
#include "tst_heap_thresholds.moc"
