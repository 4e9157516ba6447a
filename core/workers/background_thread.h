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

/// Runs work on its own thread, one task after another, so that its owner's event loop continues while a
/// search computes, a driver wakes its GPUs, or an interpreter starts from a network disk.
///
/// If the system cannot create another thread, the event loop runs the work. The class does not know what the
/// work does or what its answers are used for.
class BackgroundThread
{
public:
    /// \param patience  longest wait in the destructor for work under way; std::nullopt waits without limit.
    ///        Work that takes longer is abandoned, so it must not use anything that the owner may destroy.
    explicit BackgroundThread(std::optional<std::chrono::milliseconds> patience = std::chrono::seconds(2));
    /// Drops work that has not begun, and all answers that were not delivered yet.
    ~BackgroundThread();
    Q_DISABLE_COPY_MOVE(BackgroundThread)

    /// \return whether there is a thread; if not, the next call of this function or of run() tries again
    bool makeThread();

    /// \param work  called with a std::stop_token on the other thread. It returns the answer, or nothing, and
    ///        does not throw.
    /// \param then  called with that answer by the event loop of the thread that created this object
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

    /// Drops all requested work: tasks that have not begun are not run, the task under way is asked to stop,
    /// and no answers are delivered.
    void cancel();

    /// Whether work was requested whose answer has not been delivered yet; false while the last answer is
    /// being delivered.
    bool isBusy() const { return m_unanswered > 0; }

private:
    using Answer = std::function<void()>;
    using Task = std::function<Answer(const std::stop_token&)>;
    /// State that the thread uses; it may outlive this object.
    struct Shared;

    void add(Task task);
    void runHere();
    /// Delivers the next answer of the thread, unless its task was canceled.
    void takeAnswer();
    void giveAnswer(const Answer& answer);
    static void work(const std::shared_ptr<Shared>& shared);

    std::optional<std::chrono::milliseconds> m_patience;
    int m_unanswered = 0;
    /// Number of tasks that the event loop has yet to run.
    int m_runsHere = 0;
    /// Context object of the answers; destroying it drops the answers that were not delivered yet.
    QObject m_receiver;
    std::shared_ptr<Shared> m_shared;
    std::stop_source m_stop;
    std::thread m_thread;
};

} // namespace batchpeak::engine
