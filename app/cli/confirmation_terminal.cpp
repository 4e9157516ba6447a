// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "confirmation_terminal.h"

#include "confirmation_text.h"
#include "console.h"
#include "exit_code.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace batchpeak::cli {

namespace {

using training::ConfirmationRun;
using training::ConfirmationSnapshot;

// Often enough to look live, seldom enough to cost nothing over a slow connection.
constexpr std::chrono::milliseconds redrawInterval{100};

int exitCodeFor(const ConfirmationSnapshot& snapshot)
{
    if (!snapshot.failure.isEmpty())
        return exitCode::noTrials;
    if (snapshot.isStopped)
        return exitCode::interrupted;
    const bool nothingFits = std::ranges::all_of(snapshot.sizes, &training::ConfirmedSize::ranOutOfMemory);
    return nothingFits ? exitCode::nothingFits : exitCode::success;
}

} // namespace

ConfirmationTerminal::ConfirmationTerminal(ConfirmationRun& run, Console& console)
    : m_run(run), m_console(console)
{
    connect(&run, &ConfirmationRun::finished, this, &ConfirmationTerminal::end);
    connect(&run, &ConfirmationRun::said, this, [this](engine::LogLevel level, const QString& text) {
        if (level != engine::LogLevel::Info)
            m_console.remark(QStringLiteral("warning: ") + text);
    });
    if (console.showsLiveLine()) {
        connect(&m_redraw, &QTimer::timeout, this,
                [this] { m_console.setLiveLine(confirmationLiveLine(m_run.snapshot())); });
        m_redraw.start(redrawInterval);
    }
}

void ConfirmationTerminal::interrupt()
{
    if (!std::exchange(m_interrupted, true))
        m_console.remark(QStringLiteral("ending after this step; Ctrl-C once more ends at once"));
    m_run.stop();
}

void ConfirmationTerminal::end()
{
    m_redraw.stop();
    m_console.setLiveLine({});
    const ConfirmationSnapshot& snapshot = m_run.snapshot();
    if (snapshot.stepsDone > 0 || snapshot.failure.isEmpty()) {
        for (const QString& line : confirmationLines(snapshot))
            m_console.answer(line);
    }
    if (!snapshot.failure.isEmpty())
        printError(snapshot.failure);
    emit ended(exitCodeFor(snapshot));
}

} // namespace batchpeak::cli
