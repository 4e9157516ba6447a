// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/scripted_strategy.h"
#include "history/planner_thread.h"
#include "support/no_threads.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QTest>
#include <QThread>

#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

using namespace batchpeak;
using engine::PlannerThread;
using engine::TrialPlanner;

namespace {

TrialPlanner plannerOf(std::vector<std::int64_t> sizes)
{
    return {std::make_unique<test::ScriptedStrategy>(test::ScriptedStrategy::Script{.sizes = sizes}), 10};
}

} // namespace

/// What is asked of a planner on its own thread, and when it is answered.
class PlannerThreadTest : public QObject
{
    Q_OBJECT

private slots:
    void answersInOrderOnTheOwnersThread()
    {
        PlannerThread thread(plannerOf({1, 2, 4}));
        std::vector<std::int64_t> sizes;
        for (int asked = 0; asked < 3; ++asked) {
            thread.ask(
                [](TrialPlanner& planner) {
                    const bool isElsewhere = QThread::currentThread() != qApp->thread();
                    return isElsewhere ? planner.next(QStringLiteral("cpu"))->size : 0;
                },
                [&](std::int64_t size) {
                    QCOMPARE(QThread::currentThread(), qApp->thread());
                    sizes.push_back(size);
                });
        }
        TRY_COMPARE(sizes.size(), 3U);
        QCOMPARE(sizes, (std::vector<std::int64_t>{1, 2, 4}));
    }

    void isBusyUntilTheLastAnswer()
    {
        PlannerThread thread(plannerOf({}));
        std::vector<bool> busy{thread.isBusy()};
        for (int asked = 0; asked < 2; ++asked)
            thread.ask([](TrialPlanner& /*planner*/) {}, [&] { busy.push_back(thread.isBusy()); });
        busy.push_back(thread.isBusy());
        TRY_COMPARE(busy, (std::vector{false, true, true, false}));
        QVERIFY(!thread.isBusy());
    }

    void isAskedByAnAnswer()
    {
        PlannerThread thread(plannerOf({}));
        int answer = 0;
        thread.ask([](TrialPlanner& /*planner*/) { return 1; },
                   [&](int first) {
                       thread.ask([first](TrialPlanner& /*planner*/) { return first + 1; },
                                  [&](int second) { answer = second; });
                   });
        TRY_COMPARE(answer, 2);
    }

    void answersWithoutAThreadToo()
    {
        const test::NoThreads none;
        PlannerThread thread(plannerOf({1, 2}));
        QVERIFY(!thread.hasThread());
        std::vector<std::int64_t> sizes;
        const auto askNext = [&](const auto& then) {
            thread.ask([](TrialPlanner& planner) { return planner.next(QStringLiteral("cpu"))->size; },
                       [&sizes, then](std::int64_t size) {
                           sizes.push_back(size);
                           then();
                       });
        };
        askNext([&] { askNext([] {}); });
        QVERIFY(thread.isBusy() && sizes.empty());
        TRY_COMPARE(sizes, (std::vector<std::int64_t>{1, 2}));
        QVERIFY(!thread.isBusy());
    }

    void doesNotHoldUpItsOwner()
    {
        std::binary_semaphore mayEnd(0);
        PlannerThread thread(plannerOf({}));
        bool isAnswered = false;
        thread.ask([&](TrialPlanner& /*planner*/) { mayEnd.acquire(); }, [&] { isAnswered = true; });
        bool wentOn = false;
        QMetaObject::invokeMethod(
            this, [&] { wentOn = true; }, Qt::QueuedConnection);
        TRY_VERIFY(wentOn);
        QVERIFY(thread.isBusy() && !isAnswered);
        mayEnd.release();
        TRY_VERIFY(isAnswered);
    }

    void dropsWhatIsUnansweredWhenDestroyed()
    {
        std::binary_semaphore hasBegun(0);
        std::binary_semaphore mayEnd(0);
        bool isDone = false;
        int answers = 0;
        auto thread = std::make_unique<PlannerThread>(plannerOf({}));
        thread->ask([](TrialPlanner& /*planner*/) {}, [&] { ++answers; });
        thread->ask(
            [&](TrialPlanner& /*planner*/) {
                hasBegun.release();
                mayEnd.acquire();
                isDone = true;
            },
            [&] { ++answers; });
        hasBegun.acquire();
        const std::jthread later([&] { mayEnd.release(); });
        thread.reset();
        QVERIFY(isDone);
        QCoreApplication::processEvents();
        QCOMPARE(answers, 0);
    }
};

BATCHPEAK_TEST(PlannerThreadTest)
#include "tst_planner_thread.moc"
