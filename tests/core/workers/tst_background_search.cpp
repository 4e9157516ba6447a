// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/no_threads.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "workers/background_search.h"

#include <QTest>

#include <atomic>
#include <chrono>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

using batchpeak::engine::BackgroundSearch;

class BackgroundSearchTest : public QObject
{
    Q_OBJECT

private slots:
    void tellsOnItsOwnersThreadWhatAnotherFound()
    {
        std::atomic<std::thread::id> searcher;
        int found = 0;
        BackgroundSearch<int> search([&](int value) {
            QVERIFY(searcher.load() != std::this_thread::get_id());
            found = value;
        });
        const auto startFor = [&](int value) {
            search.start([&searcher, value](const std::stop_token&) {
                searcher = std::this_thread::get_id();
                return value;
            });
        };
        startFor(1);
        QVERIFY(search.isUnderWay());
        TRY_COMPARE(found, 1);
        QVERIFY(!search.isUnderWay());
        startFor(2);
        TRY_COMPARE(found, 2);
    }

    void tellsTheNewestAlone()
    {
        std::vector<int> found;
        std::atomic<int> searches = 0;
        BackgroundSearch<int> search([&](int value) { found.push_back(value); });
        search.start([&](const std::stop_token& token) {
            ++searches;
            while (!token.stop_requested())
                std::this_thread::yield();
            return 1;
        });
        const auto startFor = [&](int value) {
            search.start([&searches, value](const std::stop_token&) {
                ++searches;
                return value;
            });
        };
        startFor(2);
        startFor(3);
        TRY_COMPARE(found, std::vector<int>{3});
        QCOMPARE(searches.load(), 2);
    }

    void endsWithoutADriverThatHoldsIt()
    {
        // They outlive this function where the thread does.
        const auto answer = std::make_shared<std::binary_semaphore>(0);
        const auto hasEnded = std::make_shared<std::atomic<bool>>(false);
        {
            BackgroundSearch<int> search([](int) { QFAIL("Nobody waits for it any more."); },
                                         std::chrono::milliseconds(20));
            search.start([=](const std::stop_token&) {
                answer->acquire();
                *hasEnded = true;
                return 1;
            });
        }
        QVERIFY(!hasEnded->load());
        answer->release();
        TRY_VERIFY(hasEnded->load());
        QCoreApplication::processEvents();
    }

    void searchesWithoutAThreadToo()
    {
        std::vector<int> found;
        BackgroundSearch<int> search([&](int value) { found.push_back(value); });
        const auto startFor = [&](int value) {
            search.start([value](const std::stop_token&) { return value; });
        };
        {
            const batchpeak::test::NoThreads none;
            startFor(1);
            QVERIFY(search.isUnderWay() && found.empty());
            TRY_COMPARE(found, std::vector<int>{1});
        }
        startFor(2);
        TRY_COMPARE(found, (std::vector<int>{1, 2}));
        const batchpeak::test::NoThreads none;
        startFor(3);
        TRY_COMPARE(found, (std::vector<int>{1, 2, 3}));
    }

    void canEndInTheMiddle()
    {
        BackgroundSearch<int> search([](int) { QFAIL("Nobody waits for it any more."); });
        search.start([](const std::stop_token& token) {
            while (!token.stop_requested())
                std::this_thread::yield();
            return 1;
        });
    }
};

BATCHPEAK_TEST(BackgroundSearchTest)
#include "tst_background_search.moc"
