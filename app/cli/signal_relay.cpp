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

// Signals with which a person or the system requests an end. One more signal than are passed on ends the
// program at once.
constexpr std::array endSignals{SIGINT, SIGTERM};

// Read end and write end of the pipe from the handler to the event loop.
std::array<int, 2> wakeUpPipe{-1, -1};

// Number of end signals that are still to be passed on.
volatile std::sig_atomic_t signalsToPass = 0;

// Signals and reports that the current relay has received.
volatile std::sig_atomic_t isAskedToEnd = 0;
volatile std::sig_atomic_t isTerminated = 0;
volatile std::sig_atomic_t isHungUp = 0;
volatile std::sig_atomic_t isUnread = 0;

// Whether the signal is ignored, as after nohup.
bool isIgnored(int signal)
{
    struct sigaction action
    {};
    sigaction(signal, nullptr, &action);
    return action.sa_handler == SIG_IGN;
}

// Whether whoever started the program ignores SIGPIPE. It is read early, since Qt ignores SIGPIPE too later.
const bool ignoresReaders = isIgnored(SIGPIPE);

void setAction(int signal, void (*handler)(int))
{
    struct sigaction action
    {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    // No other signal interrupts while one is counted.
    sigemptyset(&action.sa_mask);
    for (const int other : endSignals)
        sigaddset(&action.sa_mask, other);
    sigaddset(&action.sa_mask, SIGHUP);
    sigaction(signal, &action, nullptr);
}

// This function and its callers use only what POSIX allows in a signal handler: sigaction and write.
void wakeUp()
{
    const char byte = 0;
    [[maybe_unused]] const auto written = write(wakeUpPipe[1], &byte, 1);
}

/// Passes on that nobody reads any more. The kernel, shells and every failed write report it, each
/// repeatedly.
/// \param heard  flag of what reports it
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
    // SIGPIPE would also come from the input of a worker that is gone. From its first write on, QProcess
    // relies on the signal being ignored, so it stays ignored.
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
