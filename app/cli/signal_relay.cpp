// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "signal_relay.h"

#include <QSocketNotifier>

#include <algorithm>
#include <array>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace batchpeak::cli {

namespace {

// A person or a system asks for an end; who asks once more than passed on means at once.
constexpr std::array endSignals{SIGINT, SIGTERM};
// Nobody reads any more: the terminal, its connection or the reader of a pipe is gone. Shells and the kernel
// may both say so, and everything that is written says so again.
constexpr std::array hangUpSignals{SIGHUP, SIGPIPE};

// Read end and write end of the pipe from the handler to the event loop.
std::array<int, 2> wakeUpPipe{-1, -1};

// Signals of an end that are still to be passed on.
volatile std::sig_atomic_t signalsToPass = 0;

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
    for (const int other : hangUpSignals)
        sigaddset(&action.sa_mask, other);
    sigaction(signal, &action, nullptr);
}

// As nohup has it.
bool isIgnored(int signal)
{
    struct sigaction action
    {};
    sigaction(signal, nullptr, &action);
    return action.sa_handler == SIG_IGN;
}

// Only what POSIX allows in a handler: sigaction and write.
void relay(int signal)
{
    if (std::ranges::find(hangUpSignals, signal) != hangUpSignals.end()) {
        for (const int other : hangUpSignals)
            setAction(other, SIG_IGN);
    } else {
        signalsToPass = signalsToPass - 1;
        if (signalsToPass <= 0) {
            for (const int other : endSignals)
                setAction(other, SIG_DFL);
        }
    }
    const char byte = 0;
    [[maybe_unused]] const auto written = write(wakeUpPipe[1], &byte, 1);
}

} // namespace

SignalRelay::SignalRelay(int signalsPassed, QObject* parent) : QObject(parent)
{
    signalsToPass = signalsPassed;
    if (pipe2(wakeUpPipe.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        return;
    m_notifier = new QSocketNotifier(wakeUpPipe[0], QSocketNotifier::Read, this);
    connect(m_notifier, &QSocketNotifier::activated, this, [this] {
        char byte = 0;
        while (read(wakeUpPipe[0], &byte, 1) == 1)
            emit interrupted();
    });

    for (const int signal : endSignals)
        setAction(signal, relay);
    for (std::size_t place = 0; place < hangUpSignals.size(); ++place) {
        m_relaysHangUps[place] = !isIgnored(hangUpSignals[place]);
        if (m_relaysHangUps[place])
            setAction(hangUpSignals[place], relay);
    }
}

SignalRelay::~SignalRelay()
{
    for (const int signal : endSignals)
        setAction(signal, SIG_DFL);
    for (std::size_t place = 0; place < hangUpSignals.size(); ++place) {
        if (m_relaysHangUps[place])
            setAction(hangUpSignals[place], SIG_DFL);
    }
    for (int& end : wakeUpPipe) {
        if (end >= 0)
            close(end);
        end = -1;
    }
}

} // namespace batchpeak::cli
