// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/in_parts.h"
#include "support/no_threads.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <numeric>
#include <optional>
#include <vector>

using namespace batchpeak;

/// Tests work that is done in parallel, each item exactly once.
class InPartsTest : public QObject
{
    Q_OBJECT

private slots:
    void doesEachItemOnce_data()
    {
        rows<std::size_t, bool>({{"none", {0, false}},
                                 {"fewer than parts", {2, false}},
                                 {"many", {1001, false}},
                                 {"without a thread to spare", {1001, true}}});
    }
    void doesEachItemOnce()
    {
        const auto& [count, lacksThreads] = row<std::size_t, bool>();
        std::optional<test::NoThreads> none;
        if (lacksThreads)
            none.emplace();
        std::vector<int> done(count);
        search::inParts(count, [&](std::size_t first, std::size_t last) {
            for (std::size_t item = first; item < last; ++item)
                ++done[item];
        });
        QCOMPARE(done, std::vector<int>(count, 1));
    }
};

BATCHPEAK_TEST(InPartsTest)
#include "tst_in_parts.moc"
