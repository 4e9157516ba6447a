// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLocale>
#include <QString>

#include <chrono>
#include <cstdint>

namespace batchpeak::engine {

/// "5.5 GiB": binary units, one decimal.
QString bytesText(std::int64_t bytes, const QLocale& locale = QLocale());

/// "12.3 J/sample", "450 mJ/sample": three figures, in the unit that leaves the fewest zeros.
QString energyPerSampleText(double joulesPerSample, const QLocale& locale = QLocale());

/// "450 ms", "12 s", "5 min", "1 h 30 min": rounded to what a person cares for.
QString durationText(std::chrono::milliseconds duration);

} // namespace batchpeak::engine
