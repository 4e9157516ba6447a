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
/// form: the form of the events, and of the terminal, is not decided here.

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

/// Two numbers of bytes that a sentence compares, each with as many decimals as are needed to show that they
/// differ, or in bytes: "18.41 MiB" and "18.38 MiB", "19,293,696 B" and "19,293,184 B".
struct ComparedBytes
{
    QString first;
    QString second;
};
ComparedBytes comparedBytesText(std::int64_t first, std::int64_t second, const QLocale& locale = QLocale());

/// The unit in which one window shows memory: the same for all its numbers, so that they can be compared.
struct MemoryUnit
{
    QString name;
    double bytes = 1.0;
    bool operator==(const MemoryUnit&) const = default;

    /// Returns GiB, or MiB if the largest number to show is below 2 GiB.
    static MemoryUnit forBytes(double largest);
    double of(double count) const { return count / bytes; }
};

/// "59.7", "0.84", "312": as many digits as a reader needs to compare.
QString memoryText(double bytes, const MemoryUnit& unit, const QLocale& locale = QLocale());
/// "19.1 GiB", "800 MiB", "512 B": three figures, for a number that stands alone, in a unit of its own.
QString memoryText(double bytes, const QLocale& locale = QLocale());

/// "2,266", "12.3", "0.0451": at least three figures.
QString rateText(double perSecond, const QLocale& locale = QLocale());
/// "12,346", "58.34": at least four figures, as many as are needed to check the quotient of two rates.
QString comparedRateText(double perSecond, const QLocale& locale = QLocale());
/// "2,266 ± 38": the value with as many decimals as its interval justifies. Without an error, only the value.
/// \param relativeError  standard error relative to the value; the interval shown is the 95 % one
QString rateText(double perSecond, std::optional<double> relativeError, const QLocale& locale = QLocale());

/// "2.413"; "1.000E+308" for a loss that no longer means anything.
QString lossText(double loss, const QLocale& locale = QLocale(), int decimals = 3);

/// "1.20×"
QString factorText(double factor, const QLocale& locale = QLocale());

/// A share in percent: "0.8 %", or with as many decimals as are known.
QString percentText(double share, const QLocale& locale = QLocale(), int decimals = 1);

/// "12.3 J/sample", "450 mJ/sample": three figures, in the unit that leaves the fewest zeros.
QString energyPerSampleText(double joulesPerSample, const QLocale& locale = QLocale());

/// A duration that was measured: "4.1 s", "48 s", "1 min 12 s", "2 h 5 min".
QString durationText(double seconds, const QLocale& locale = QLocale());
/// The same in whole seconds: "4 s".
QString wholeDurationText(double seconds);
/// A limit that was set: "450 ms", "12 s", "5 min", "1 h 30 min", rounded to what matters to a person.
QString durationText(std::chrono::milliseconds duration);

/// "14:09" in local time, preceded by the day in the locale's short form if it is not today.
QString momentText(const QDateTime& time, const QLocale& locale = QLocale());

/// "28 Nov, 14:09" in local time, with the year if it is not the current one.
QString dayAndTimeText(const QDateTime& time, const QLocale& locale = QLocale());

/// Returns the last line that a program wrote, which mostly says why it ended, cut to a length for a
/// sentence.
QString lastLineOf(const QByteArray& output);

} // namespace batchpeak::engine
