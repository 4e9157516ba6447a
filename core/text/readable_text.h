// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QLocale>
#include <QString>

#include <chrono>
#include <cstdint>
#include <optional>

namespace batchpeak::engine {

/// Numbers, memory, rates and times as people read them, in their own locale. What scripts read has a fixed
/// form: that of the events, and of the terminal, is not decided here.

/// Half of the 95 % interval of a mean, in standard errors, for a normal distribution.
inline constexpr double standardErrorsOf95Percent = 1.96;

/// "1,536"
QString numberText(std::int64_t number, const QLocale& locale = QLocale());

/// "1 trial", "17 trials"; without a translation Qt would write "1 trials".
QString trialsText(int count);
/// "1 step", "12 steps"
QString stepsText(int count);

/// Bytes within a sentence: "5.5 GiB", binary units, one decimal.
QString bytesText(std::int64_t bytes, const QLocale& locale = QLocale());

/// Two numbers of bytes that a sentence compares, each in as many decimals as show that they differ, or in
/// bytes: "18.41 MiB" and "18.38 MiB", "19,293,696 B" and "19,293,184 B".
struct ComparedBytes
{
    QString first;
    QString second;
};
ComparedBytes comparedBytesText(std::int64_t first, std::int64_t second, const QLocale& locale = QLocale());

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
QString memoryText(double bytes, const MemoryUnit& unit, const QLocale& locale = QLocale());
/// "19.1 GiB", "800 MiB", "512 B": three figures, for a number that stands alone, in a unit of its own.
QString memoryText(double bytes, const QLocale& locale = QLocale());

/// "2,266", "12.3", "0.0451": at least three figures.
QString rateText(double perSecond, const QLocale& locale = QLocale());
/// "12,346", "58.34": at least four, as many as the quotient of two rates needs to be checked.
QString comparedRateText(double perSecond, const QLocale& locale = QLocale());
/// "2,266 ± 38", the value with as many decimals as its interval has use for. Without an error, the
/// value alone.
/// \param relativeError  standard error relative to the value; the interval shown is the 95 % one
QString rateText(double perSecond, std::optional<double> relativeError, const QLocale& locale = QLocale());

/// "2.413"; "1.000E+308" of one that no longer says anything.
QString lossText(double loss, const QLocale& locale = QLocale(), int decimals = 3);

/// "1.20×"
QString factorText(double factor, const QLocale& locale = QLocale());

/// A share in percent: "0.8 %", or with as many decimals as it is known to.
QString percentText(double share, const QLocale& locale = QLocale(), int decimals = 1);

/// "12.3 J/sample", "450 mJ/sample": three figures, in the unit that leaves the fewest zeros.
QString energyPerSampleText(double joulesPerSample, const QLocale& locale = QLocale());

/// A duration that was measured: "4.1 s", "48 s", "1 min 12 s", "2 h 5 min".
QString durationText(double seconds, const QLocale& locale = QLocale());
/// The same in whole seconds: "4 s".
QString wholeDurationText(double seconds);
/// Of a limit that was set: "450 ms", "12 s", "5 min", "1 h 30 min", rounded to what a person cares for.
QString durationText(std::chrono::milliseconds duration);

/// "14:09" in local time, and before that the day in the locale's short form where it is another than today.
QString momentText(const QDateTime& time, const QLocale& locale = QLocale());

/// "28 Nov, 14:09" in local time, with the year where that is another than today's.
QString dayAndTimeText(const QDateTime& time, const QLocale& locale = QLocale());

} // namespace batchpeak::engine
