// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot.h"

#include <QLocale>
#include <QString>

namespace batchpeak::engine {

/// How surely an exploration ended, what believing its answer may cost, and what going on could gain.

/// "0.8 % of the speed", "less than 0.1 % of the speed": what the recommended size is expected to lose to the
/// best one. Empty for 0, which a search tells that does not reckon it.
QString expectedLossText(double share, const QLocale& locale = QLocale());

/// "telling 24 from 28 apart would take about 40 min more and could gain 0.9 %"
QString prospectText(const search::Prospect& prospect, const QLocale& locale = QLocale());

/// "time budget (20 s) reached", "trial budget (64) reached": the one that ended an exploration.
QString budgetText(const Snapshot& snapshot);

/// How an exploration that has ended did so, and where the search can tell it, what going on would take, as
/// full sentences.
QString endingText(const Snapshot& snapshot, const QLocale& locale = QLocale());

} // namespace batchpeak::engine
