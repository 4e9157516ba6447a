// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>

namespace batchpeak::engine {

/// Runs work on a thread of its own, one piece after another, so that its owner's event loop goes on while a
/// search thinks, a driver wakes its GPUs, or an interpreter starts on a network's disk.
///
/// Where the system has no thread to spare, the event loop runs the work. It does not know what is run, nor
/// what an answer leads to.
class BackgroundThread
{
public:
    /// \param patience  with work under way, when this is destroyed; nothing to wait for it however long it
    /// takes. Work that takes longer is left to itself, so it uses nothing that the owner may destroy.
    explicit BackgroundThread(std::optional<std::chrono::milliseconds> patience = std::chrono::seconds(2));
    /// Work that has not begun, and all answers that were not given yet, are dropped.
    ~BackgroundThread();
    Q_DISABLE_COPY_MOVE(BackgroundThread)

    /// \return whether there is one; where not, the next call tries again, as run() does
    bool makeThread();

    /// \param work  is called with a std::stop_token on the other thread. It returns the answer, or nothing,
    /// and does not throw.
    /// \param then  is called with that answer by the event loop of the thread that made this
    template<typename Work, typename Then>
    void run(Work work, Then then)
    {
        add([work = std::move(work), then = std::move(then)](const std::stop_token& stop) mutable -> Answer {
            if constexpr (std::is_void_v<std::invoke_result_t<Work&, const std::stop_token&>>) {
                work(stop);
                return then;
            } else {
                return [then, answer = work(stop)] { then(answer); };
            }
        });
    }

    /// Drops all that was asked for: what has not begun is not run, what is under way is asked to stop, and
    /// nothing is answered.
    void cancel();

    /// Whether something was asked for, and its answer was not given yet; false in the last answer itself.
    bool isBusy() const { return m_unanswered > 0; }

private:
    using Answer = std::function<void()>;
    using Task = std::function<Answer(const std::stop_token&)>;
    /// What the thread uses, which may outlive this.
    struct Shared;

    void add(Task task);
    void runHere();
    void giveAnswer(const Answer& answer);
    static void work(const std::shared_ptr<Shared>& shared);

    std::optional<std::chrono::milliseconds> m_patience;
    int m_unanswered = 0;
    /// How often the event loop is to run one.
    int m_runsHere = 0;
    /// What is still to be told goes with it.
    QObject m_receiver;
    std::shared_ptr<Shared> m_shared;
    std::stop_source m_stop;
    std::thread m_thread;
};

} // namespace batchpeak::engine
