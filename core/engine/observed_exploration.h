// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "event.h"

#include <QDateTime>
#include <QObject>

namespace batchpeak::engine {

/// An exploration that can be looked at: one of this program, or one whose events are read.
class ObservedExploration : public QObject
{
    Q_OBJECT

public:
    using Event = engine::Event;

    using QObject::QObject;

    virtual const Snapshot& snapshot() const = 0;
    /// Returns the time at which the newest event occurred.
    virtual QDateTime eventTime() const;

signals:
    void occurred(const batchpeak::engine::Event& event);
    /// Emitted when something in the snapshot has changed, possibly hundreds of times a second: draw on a
    /// timer.
    void snapshotChanged(const batchpeak::engine::Snapshot& snapshot);
};

} // namespace batchpeak::engine
