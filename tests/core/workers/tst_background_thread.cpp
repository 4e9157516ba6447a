// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/no_threads.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "workers/background_thread.h"

#include <QTest>
#include <QThread>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <semaphore>
#include <thread>
#include <vector>

using batchpeak::engine::BackgroundThread;
using Stop = std::stop_token;

namespace {

void waitForStop(const Stop& stop)
{
    while (!stop.stop_requested())
        std::this_thread::yield();
}

} // namespace

/// Tests which work runs on another thread, and when its result arrives.
class BackgroundThreadTest : public QObject
{
    Q_OBJECT

private slots:
    void answersInOrderOnTheOwnersThread()
    {
        BackgroundThread thread;
        std::vector<int> answers;
        for (int asked = 1; asked <= 3; ++asked) {
            thread.run(
                [asked](const Stop&) { return QThread::currentThread() == qApp->thread() ? 0 : asked; },
                [&](int answer) {
                    QCOMPARE(QThread::currentThread(), qApp->thread());
                    answers.push_back(answer);
                });
        }
        TRY_COMPARE(answers, (std::vector{1, 2, 3}));
    }

    void isBusyUntilTheLastAnswer()
    {
        BackgroundThread thread;
        std::vector<bool> busy{thread.isBusy()};
        for (int asked = 0; asked < 2; ++asked)
            thread.run([](const Stop&) {}, [&] { busy.push_back(thread.isBusy()); });
        busy.push_back(thread.isBusy());
        TRY_COMPARE(busy, (std::vector{false, true, true, false}));
        QVERIFY(!thread.isBusy());
    }

    void acceptsWorkFromAnAnswer()
    {
        BackgroundThread thread;
        int answer = 0;
        thread.run([](const Stop&) { return 1; },
                   [&](int first) {
                       thread.run([first](const Stop&) { return first + 1; },
                                  [&](int second) { answer = second; });
                   });
        TRY_COMPARE(answer, 2);
    }

    void doesNotBlockItsOwner()
    {
        std::binary_semaphore mayEnd(0);
        BackgroundThread thread;
        bool isAnswered = false;
        thread.run([&](const Stop&) { mayEnd.acquire(); }, [&] { isAnswered = true; });
        bool hasContinued = false;
        QMetaObject::invokeMethod(
            this, [&] { hasContinued = true; }, Qt::QueuedConnection);
        TRY_VERIFY(hasContinued);
        QVERIFY(thread.isBusy() && !isAnswered);
        mayEnd.release();
        TRY_VERIFY(isAnswered);
    }

    void deliversNoAnswerOfCanceledWork()
    {
        BackgroundThread thread;
        std::vector<int> answers;
        std::atomic<int> runs = 0;
        const auto take = [&](int answer) { answers.push_back(answer); };
        thread.run(
            [&](const Stop& stop) {
                ++runs;
                waitForStop(stop);
                return 1;
            },
            take);
        TRY_COMPARE(runs.load(), 1);
        const auto countedRun = [&runs](int value) {
            return [&runs, value](const Stop&) {
                ++runs;
                return value;
            };
        };
        thread.run(countedRun(2), take);
        thread.cancel();
        QVERIFY(!thread.isBusy());
        thread.run(countedRun(3), take);
        TRY_COMPARE(answers, std::vector{3});
        QCOMPARE(runs.load(), 2);
    }

    /// The answer is already queued in the event loop when it is canceled.
    void dropsAQueuedAnswer()
    {
        BackgroundThread thread;
        std::vector<int> answers;
        const auto take = [&](int answer) { answers.push_back(answer); };
        std::binary_semaphore hasEnded(0);
        thread.run([](const Stop&) { return 1; }, take);
        thread.run(
            [&](const Stop&) {
                hasEnded.release();
                return 2;
            },
            take);
        hasEnded.acquire();
        thread.cancel();
        thread.run([](const Stop&) { return 3; }, take);
        TRY_COMPARE(answers, std::vector{3});
        QVERIFY(!thread.isBusy());
    }

    void runsInTheEventLoopWithoutAThread()
    {
        BackgroundThread thread;
        std::vector<int> answers;
        const auto ask = [&](int value, const auto& then) {
            thread.run([value](const Stop&) { return value; },
                       [&answers, then](int answer) {
                           answers.push_back(answer);
                           then();
                       });
        };
        const auto nothing = [] {};
        {
            const batchpeak::test::NoThreads none;
            QVERIFY(!thread.makeThread());
            ask(9, nothing);
            thread.cancel();
            ask(1, [&] { ask(2, nothing); });
            QVERIFY(thread.isBusy() && answers.empty());
            TRY_COMPARE(answers, (std::vector{1, 2}));
            ask(3, nothing);
        }
        // The order is kept although a thread could be created by now.
        QVERIFY(!thread.makeThread());
        ask(4, nothing);
        TRY_COMPARE(answers, (std::vector{1, 2, 3, 4}));
        QVERIFY(thread.makeThread() && !thread.isBusy());
        const batchpeak::test::NoThreads none;
        ask(5, nothing);
        TRY_COMPARE(answers.back(), 5);
    }

    void abandonsABlockedCallOfADriver()
    {
        // The thread may outlive this function, so it shares these objects.
        const auto hasBegun = std::make_shared<std::binary_semaphore>(0);
        const auto answer = std::make_shared<std::binary_semaphore>(0);
        const auto hasEnded = std::make_shared<std::atomic<bool>>(false);
        {
            BackgroundThread thread(std::chrono::milliseconds(20));
            thread.run(
                [=](const Stop&) {
                    hasBegun->release();
                    answer->acquire();
                    *hasEnded = true;
                },
                [] { QFAIL("Nobody waits for it any more."); });
            hasBegun->acquire();
        }
        QVERIFY(!hasEnded->load());
        answer->release();
        TRY_VERIFY(hasEnded->load());
        QCoreApplication::processEvents();
    }

    void requestsRunningWorkToStop()
    {
        BackgroundThread thread(std::nullopt);
        thread.run(waitForStop, [] { QFAIL("Nobody waits for it any more."); });
    }

    /// Running work may use objects that the owner destroys next.
    void waitsForRunningWorkWithoutATimeout()
    {
        std::binary_semaphore hasBegun(0);
        std::binary_semaphore mayEnd(0);
        bool isDone = false;
        int answers = 0;
        auto thread = std::make_unique<BackgroundThread>(std::nullopt);
        thread->run([](const Stop&) {}, [&] { ++answers; });
        thread->run(
            [&](const Stop&) {
                hasBegun.release();
                mayEnd.acquire();
                isDone = true;
            },
            [&] { ++answers; });
        thread->run([](const Stop&) { QFAIL("It had not begun."); }, [&] { ++answers; });
        hasBegun.acquire();
        const std::jthread later([&] { mayEnd.release(); });
        thread.reset();
        QVERIFY(isDone);
        QCoreApplication::processEvents();
        QCOMPARE(answers, 0);
    }

    void canBeDestroyedByAnAnswer()
    {
        auto thread = std::make_unique<BackgroundThread>();
        thread->run([](const Stop&) {}, [&] { thread.reset(); });
        TRY_VERIFY(!thread);
    }
};

BATCHPEAK_TEST(BackgroundThreadTest)
#include "tst_background_thread.moc"
