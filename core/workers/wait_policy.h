// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

namespace batchpeak::engine {

/// How the threads of a worker on the CPU wait for each other between two operations. They spin, which is
/// PyTorch's default, if they have the processors to themselves. They sleep if other programs compute, since
/// each would otherwise spin for a thread that has no processor (docs/measurements.md, "Beside other
/// programs").
///
/// It decides from readings, with a delay, so that a burst changes nothing. It does not start workers:
/// libgomp reads its environment only once, so a new decision needs a fresh process.
class WaitPolicy
{
public:
    /// Takes the reading before the first worker. This single reading decides: spinning threads can delay the
    /// worker's first steps by seconds.
    /// \param otherProcessors  processor time that other programs take, in processors
    void begin(double otherProcessors);
    /// Takes a reading; call it about once a second.
    void look(double otherProcessors);

    bool sleeps() const { return m_sleeps; }
    /// Returns the environment for a worker that is started now, as "NAME=value".
    QStringList environment() const;

private:
    bool m_sleeps = false;
    /// Number of consecutive readings that favor the other way of waiting.
    int m_contrary = 0;
};

} // namespace batchpeak::engine
