// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner_thread.h"

#include "workers/spare_thread.h"

namespace batchpeak::engine {

PlannerThread::PlannerThread(TrialPlanner planner, QObject* parent)
    : QObject(parent),
      m_planner(std::move(planner)),
      m_thread(spareThread<std::jthread>([this](const std::stop_token& stop) { work(stop); }))
{}

void PlannerThread::add(Question question)
{
    ++m_unanswered;
    {
        const std::scoped_lock lock(m_mutex);
        m_questions.push_back(std::move(question));
    }
    if (hasThread())
        m_isAsked.notify_one();
    else
        QMetaObject::invokeMethod(this, &PlannerThread::answerHere, Qt::QueuedConnection);
}

void PlannerThread::answerHere()
{
    const Question question = std::move(m_questions.front());
    m_questions.pop_front();
    m_answers.push_back(question(m_planner));
    giveAnswer();
}

void PlannerThread::work(const std::stop_token& stop)
{
    std::unique_lock lock(m_mutex);
    while (m_isAsked.wait(lock, stop, [this] { return !m_questions.empty(); }) && !stop.stop_requested()) {
        const Question question = std::move(m_questions.front());
        m_questions.pop_front();
        lock.unlock();
        Answer answer = question(m_planner);
        lock.lock();
        m_answers.push_back(std::move(answer));
        QMetaObject::invokeMethod(this, &PlannerThread::giveAnswer, Qt::QueuedConnection);
    }
}

void PlannerThread::giveAnswer()
{
    Answer answer;
    {
        const std::scoped_lock lock(m_mutex);
        answer = std::move(m_answers.front());
        m_answers.pop_front();
    }
    --m_unanswered;
    // The last of this: whoever is answered may destroy it.
    answer();
}

} // namespace batchpeak::engine
