// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLocale>
#include <QString>

#include <cstdint>
#include <optional>

namespace batchpeak::ui {

/// Half of the 95 % interval of a mean, in standard errors, for a normal distribution.
inline constexpr double standardErrorsOf95Percent = 1.96;

/// The unit in which one window shows memory: one for all its numbers, so that they can be compared.
struct MemoryUnit
{
    QString name;
    double bytes = 1.0;
    bool operator==(const MemoryUnit&) const = default;

    /// GiB, or MiB where the largest number to show is below 2 GiB.
    static MemoryUnit forBytes(double largest);
    double of(double count) const { return count / bytes; }
};

/// "59.7", "0.84", "312": as many digits as a reader compares by.
QString memoryText(double count, const MemoryUnit& unit, const QLocale& locale = QLocale());

/// "19.1 GiB": a number that stands alone, in a unit of its own.
QString memoryTextWithUnit(double count, const QLocale& locale = QLocale());

/// "2,266": at least three significant digits.
QString rateText(double value, const QLocale& locale = QLocale());

/// "2,266 ± 38", the value with as many decimals as its interval has use for. Without an error, the
/// value alone.
/// \param relativeError  standard error relative to the value; the interval shown is the 95 % one
QString rateText(double value, std::optional<double> relativeError, const QLocale& locale = QLocale());

/// "1.20×"
QString factorText(double factor, const QLocale& locale = QLocale());

/// "1 trial", "17 trials"; without a translation Qt would write "1 trials".
QString trialsText(int count);
/// "1 step", "12 steps"
QString stepsText(int count);

/// "4.1 s", "48 s", "1 min 12 s", "2 h 5 min"
QString durationText(double seconds, const QLocale& locale = QLocale());

} // namespace batchpeak::ui
