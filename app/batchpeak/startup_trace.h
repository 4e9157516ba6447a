// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <chrono>

namespace batchpeak {

/// Prints on stderr how long the window took from the start of main to the end of its first paint, if the
/// environment variable BATCHPEAK_TRACE_STARTUP is 1.
class StartupTrace : public QObject
{
    Q_OBJECT

public:
    /// \param window  object that is watched until its first paint
    StartupTrace(QObject* window, std::chrono::steady_clock::time_point startOfMain);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    std::chrono::steady_clock::time_point m_startOfMain;
};

} // namespace batchpeak
