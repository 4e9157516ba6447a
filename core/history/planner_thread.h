// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial_planner.h"

#include <QObject>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>

namespace batchpeak::engine {

/// Owns a planner, and asks it on a thread of its own, so that however long the search takes for an update,
/// its owner's event loop goes on.
///
/// What it is asked is answered in order, one after another; where the system has no thread to spare, by that
/// event loop. It does not know what is asked, nor what an answer leads to. Destroying it waits for the work
/// that is being done; what was to come after that, and all answers that were not given yet, are dropped.
class PlannerThread : public QObject
{
    Q_OBJECT

public:
    explicit PlannerThread(TrialPlanner planner, QObject* parent = nullptr);

    /// \param work  is called with the planner, on the other thread: what it refers to must outlive this, and
    /// be left alone meanwhile. It returns the answer, or nothing, and does not throw.
    /// \param then  is called with that answer by the event loop of the owner's thread
    template<typename Work, typename Then>
    void ask(Work work, Then then)
    {
        add([work = std::move(work), then = std::move(then)](TrialPlanner& planner) -> Answer {
            if constexpr (std::is_void_v<std::invoke_result_t<Work, TrialPlanner&>>) {
                work(planner);
                return then;
            } else {
                return [then, answer = work(planner)] { then(answer); };
            }
        });
    }
    /// Something was asked, and its answer was not given yet; false in the last answer itself.
    bool isBusy() const { return m_unanswered > 0; }
    bool hasThread() const { return m_thread.joinable(); }

private:
    using Answer = std::function<void()>;
    using Question = std::function<Answer(TrialPlanner&)>;

    void add(Question question);
    void work(const std::stop_token& stop);
    void answerHere();
    void giveAnswer();

    TrialPlanner m_planner;
    int m_unanswered = 0;

    std::mutex m_mutex;
    std::condition_variable_any m_isAsked;
    std::deque<Question> m_questions;
    std::deque<Answer> m_answers;
    /// Ends before all that it uses.
    std::jthread m_thread;
};

} // namespace batchpeak::engine
