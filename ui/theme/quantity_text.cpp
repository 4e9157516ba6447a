// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "quantity_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace batchpeak::ui {

namespace {

constexpr double mebibyte = 1024.0 * 1024.0;
constexpr double gibibyte = 1024.0 * mebibyte;

// Decimals with which a number of this magnitude keeps three significant digits.
int decimalsOf(double value)
{
    const double magnitude = std::abs(value);
    if (magnitude >= 100.0 || magnitude == 0.0)
        return 0;
    return std::clamp(2 - static_cast<int>(std::floor(std::log10(magnitude))), 1, 4);
}

} // namespace

MemoryUnit MemoryUnit::forBytes(double largest)
{
    if (largest > 0.0 && largest < 2.0 * gibibyte)
        return {.name = QCoreApplication::translate("Quantity", "MiB"), .bytes = mebibyte};
    return {.name = QCoreApplication::translate("Quantity", "GiB"), .bytes = gibibyte};
}

QString memoryText(double count, const MemoryUnit& unit, const QLocale& locale)
{
    const double value = unit.of(count);
    if (unit.bytes >= gibibyte)
        return locale.toString(value, 'f', value < 9.995 ? 2 : 1);
    return locale.toString(value, 'f', value < 99.95 ? 1 : 0);
}

QString memoryTextWithUnit(double count, const QLocale& locale)
{
    const MemoryUnit unit = MemoryUnit::forBytes(count);
    return QCoreApplication::translate("Quantity", "%1 %2").arg(memoryText(count, unit, locale), unit.name);
}

QString rateText(double value, const QLocale& locale)
{
    return locale.toString(value, 'f', decimalsOf(value));
}

QString rateText(double value, std::optional<double> relativeError, const QLocale& locale)
{
    if (!relativeError)
        return rateText(value, locale);
    const double half = standardErrorsOf95Percent * *relativeError * value;
    const int decimals = half >= 1.0
                             ? 0
                             : (half > 0.0 ? std::clamp(-static_cast<int>(std::floor(std::log10(half))), 1, 3)
                                           : decimalsOf(value));
    return QStringLiteral("%1 ± %2").arg(locale.toString(value, 'f', decimals),
                                         locale.toString(half, 'f', decimals));
}

QString factorText(double factor, const QLocale& locale)
{
    return QStringLiteral("%1×").arg(locale.toString(factor, 'f', 2));
}

QString trialsText(int count)
{
    return count == 1 ? QCoreApplication::translate("Quantity", "1 trial")
                      : QCoreApplication::translate("Quantity", "%1 trials").arg(count);
}

QString stepsText(int count)
{
    return count == 1 ? QCoreApplication::translate("Quantity", "1 step")
                      : QCoreApplication::translate("Quantity", "%1 steps").arg(count);
}

QString durationText(double seconds, const QLocale& locale)
{
    if (seconds < 9.95)
        return QCoreApplication::translate("Quantity", "%1 s")
            .arg(locale.toString(std::max(seconds, 0.0), 'f', 1));
    const auto whole = static_cast<qint64>(std::llround(seconds));
    if (whole < 60)
        return QCoreApplication::translate("Quantity", "%1 s").arg(whole);
    if (whole < 3600)
        return QCoreApplication::translate("Quantity", "%1 min %2 s").arg(whole / 60).arg(whole % 60);
    return QCoreApplication::translate("Quantity", "%1 h %2 min").arg(whole / 3600).arg(whole % 3600 / 60);
}

} // namespace batchpeak::ui
