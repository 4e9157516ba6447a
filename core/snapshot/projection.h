// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"

#include <QLocale>
#include <QString>

#include <cstdint>
#include <optional>

namespace batchpeak::engine {

/// The size that is probably fastest on more processes than took the steps of the trials. It is a projection,
/// not a measurement.
struct Projection
{
    std::int64_t processes = 0;
    std::int64_t microBatchSize = 0;
    double samplesPerSecond = 0.0;
    bool operator==(const Projection&) const = default;
};

/// Largest number of processes for which there is a projection; beyond it, all-reduces are seldom plain
/// rings.
inline constexpr std::int64_t mostProjected = 1024;

/// Returns the time of one round of messages around a ring of processes [s], in which each passes its share
/// of \p bytes to the next one (Patarasuk and Yuan, doi.org/10.1016/j.jpdc.2008.09.002): (p - 1) (alpha + n /
/// p beta). An all-reduce takes two of them, a gather or a reduce-scatter one.
double ringSeconds(const trial::Link& link, double bytes, std::int64_t processes);

/// Returns the projection for the devices of the config, from the times of the trials and the link between
/// their processes. More processes exchange the same gradients over a link of the same kind, and nothing of
/// what that takes longer is hidden behind computation: once in an optimizer step if each process has the
/// whole network, else, with two gathers and a reduce-scatter of the network, in each micro-batch.
/// \return nothing if the trials took their steps on as many processes or by themselves, or nothing ran
std::optional<Projection> projectionOf(const Snapshot& snapshot);

/// Returns the projection with its assumptions, as sentences; empty if there is none.
QString projectionText(const Snapshot& snapshot, const QLocale& locale = QLocale());

} // namespace batchpeak::engine
