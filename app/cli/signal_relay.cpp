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

constexpr std::array relayedSignals{SIGINT, SIGTERM};

// Read end and write end of the pipe from the handler to the event loop.
std::array<int, 2> wakeUpPipe{-1, -1};

// Signals that are still to be passed on.
volatile std::sig_atomic_t signalsToPass = 0;

void restoreDefaults()
{
    struct sigaction action
    {};
    action.sa_handler = SIG_DFL;
    sigemptyset(&action.sa_mask);
    for (const int signal : relayedSignals)
        sigaction(signal, &action, nullptr);
}

// Only what POSIX allows in a handler: sigaction and write.
void relay(int)
{
    signalsToPass = signalsToPass - 1;
    if (signalsToPass <= 0)
        restoreDefaults();
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

    struct sigaction action
    {};
    action.sa_handler = relay;
    // Neither signal comes in between while the other is counted.
    sigemptyset(&action.sa_mask);
    for (const int signal : relayedSignals)
        sigaddset(&action.sa_mask, signal);
    action.sa_flags = SA_RESTART;
    for (const int signal : relayedSignals)
        sigaction(signal, &action, nullptr);
}

SignalRelay::~SignalRelay()
{
    restoreDefaults();
    for (int& end : wakeUpPipe) {
        if (end >= 0)
            close(end);
        end = -1;
    }
}

} // namespace batchpeak::cli
