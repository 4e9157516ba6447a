// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "signal_relay.h"

#include <QSocketNotifier>

#include <array>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace batchpeak::cli {

namespace {

// A person or a system asks for an end; who asks once more than passed on means at once.
constexpr std::array endSignals{SIGINT, SIGTERM};

// Read end and write end of the pipe from the handler to the event loop.
std::array<int, 2> wakeUpPipe{-1, -1};

// Signals of an end that are still to be passed on.
volatile std::sig_atomic_t signalsToPass = 0;

// What the present relay has heard.
volatile std::sig_atomic_t isAskedToEnd = 0;
volatile std::sig_atomic_t isTerminated = 0;
volatile std::sig_atomic_t isHungUp = 0;
volatile std::sig_atomic_t isUnread = 0;

// As nohup has it.
bool isIgnored(int signal)
{
    struct sigaction action
    {};
    sigaction(signal, nullptr, &action);
    return action.sa_handler == SIG_IGN;
}

// By whoever started the program: later Qt ignores it too.
const bool ignoresReaders = isIgnored(SIGPIPE);

void setAction(int signal, void (*handler)(int))
{
    struct sigaction action
    {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    // None comes in between while another is counted.
    sigemptyset(&action.sa_mask);
    for (const int other : endSignals)
        sigaddset(&action.sa_mask, other);
    sigaddset(&action.sa_mask, SIGHUP);
    sigaction(signal, &action, nullptr);
}

// Only what POSIX allows in a handler, here and in what calls it: sigaction and write.
void wakeUp()
{
    const char byte = 0;
    [[maybe_unused]] const auto written = write(wakeUpPipe[1], &byte, 1);
}

/// Nobody reads any more. The kernel, shells and everything that is written say so, each again and again.
/// \param heard  what says so
void takeHangUp(volatile std::sig_atomic_t& heard)
{
    const bool isNew = isAskedToEnd == 0 && isHungUp == 0 && isUnread == 0;
    heard = 1;
    if (isNew)
        wakeUp();
}

void relayHangUp(int signal)
{
    setAction(signal, SIG_IGN);
    takeHangUp(isHungUp);
}

void relayEnd(int signal)
{
    const bool belongsToHangUp = signal == SIGTERM && isHungUp != 0 && isTerminated == 0;
    isAskedToEnd = 1;
    if (signal == SIGTERM)
        isTerminated = 1;
    signalsToPass = signalsToPass - 1;
    if (signalsToPass <= 0) {
        for (const int other : endSignals)
            setAction(other, SIG_DFL);
    }
    if (!belongsToHangUp)
        wakeUp();
}

} // namespace

SignalRelay::SignalRelay(int signalsPassed, QObject* parent) : QObject(parent)
{
    signalsToPass = signalsPassed;
    isAskedToEnd = 0;
    isTerminated = 0;
    isHungUp = 0;
    isUnread = 0;
    if (pipe2(wakeUpPipe.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        return;
    m_notifier = new QSocketNotifier(wakeUpPipe[0], QSocketNotifier::Read, this);
    connect(m_notifier, &QSocketNotifier::activated, this, [this] {
        char byte = 0;
        while (read(wakeUpPipe[0], &byte, 1) == 1)
            emit interrupted();
    });

    for (const int signal : endSignals)
        setAction(signal, relayEnd);
    m_relaysHangUps = !isIgnored(SIGHUP);
    if (m_relaysHangUps)
        setAction(SIGHUP, relayHangUp);
    // It would come from the input of a worker that is gone as well. QProcess counts on its being ignored
    // from its first write on, so that it stays so.
    setAction(SIGPIPE, SIG_IGN);
}

SignalRelay::~SignalRelay()
{
    for (const int signal : endSignals)
        setAction(signal, SIG_DFL);
    if (m_relaysHangUps)
        setAction(SIGHUP, SIG_DFL);
    for (int& end : wakeUpPipe) {
        if (end >= 0)
            close(end);
        end = -1;
    }
}

void SignalRelay::noteThatReaderIsGone()
{
    if (!ignoresReaders && wakeUpPipe[1] >= 0)
        takeHangUp(isUnread);
}

} // namespace batchpeak::cli
