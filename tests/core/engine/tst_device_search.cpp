// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device_search.h"
#include "support/test_main.h"

#include <QTest>

#include <atomic>
#include <thread>

using namespace batchpeak;
using namespace batchpeak::engine;

class DeviceSearchTest : public QObject
{
    Q_OBJECT

private slots:
    void tellsOnItsOwnersThreadWhatAnotherFound()
    {
        std::thread::id searcher;
        DeviceSearch search([&searcher] {
            searcher = std::this_thread::get_id();
            return device::LocalDevices{.devices = {{.kind = "cpu"}}};
        });
        int found = 0;
        connect(&search, &DeviceSearch::found, this, [&](const device::LocalDevices& devices) {
            ++found;
            QCOMPARE(devices.devices.size(), std::size_t{1});
            QVERIFY(searcher != std::this_thread::get_id());
        });
        search.start();
        QTRY_COMPARE(found, 1);
        search.start();
        QTRY_COMPARE(found, 2);
    }

    void searchesOnceAtATime()
    {
        std::atomic<bool> mayEnd = false;
        std::atomic<int> searches = 0;
        DeviceSearch search([&] {
            ++searches;
            while (!mayEnd)
                std::this_thread::yield();
            return device::LocalDevices();
        });
        int found = 0;
        connect(&search, &DeviceSearch::found, this, [&found] { ++found; });
        search.start();
        search.start();
        mayEnd = true;
        QTRY_COMPARE(found, 1);
        QCOMPARE(searches.load(), 1);
    }

    void canEndInTheMiddle()
    {
        DeviceSearch search([] { return device::LocalDevices(); });
        connect(&search, &DeviceSearch::found, this, [] { QFAIL("Nobody waits for it any more."); });
        search.start();
    }
};

BATCHPEAK_TEST(DeviceSearchTest)
#include "tst_device_search.moc"
