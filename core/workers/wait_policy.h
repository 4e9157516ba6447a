// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

namespace batchpeak::engine {

/// How the threads of a worker on the processor wait for each other between two operations: spinning, as
/// PyTorch has it, where they have the processors for themselves; asleep where other programs compute, since
/// each would spin for one that has no processor then (docs/measurements.md, "Beside other programs").
///
/// It decides from readings, with a delay, so that a burst changes nothing. It starts no worker: libgomp
/// reads its environment once, so a changed mind takes a fresh process.
class WaitPolicy
{
public:
    /// Takes the reading before the first worker, which counts alone: spinning threads can hold up its first
    /// steps for seconds.
    /// \param otherProcessors  processors' worth of time that other programs take
    void begin(double otherProcessors);
    /// Takes a reading, about once a second.
    void look(double otherProcessors);

    bool sleeps() const { return m_sleeps; }
    /// "NAME=value", for a worker that is started now.
    QStringList environment() const;

private:
    bool m_sleeps = false;
    /// Readings in a row that speak for the other way.
    int m_contrary = 0;
};

} // namespace batchpeak::engine
