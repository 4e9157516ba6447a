// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "readable_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace batchpeak::engine {

namespace {

constexpr double mebibyte = 1024.0 * 1024.0;
constexpr double gibibyte = 1024.0 * mebibyte;

// Nobody reads a number with more digits before its point.
constexpr double maxWrittenOut = 1e6;

QString translated(const char* text)
{
    return QCoreApplication::translate("batchpeak::engine", text);
}

// Returns the decimals that leave this many figures of a number, and all of those before its point.
int decimalsForFigures(int figures, double value)
{
    const double magnitude = std::abs(value);
    if (!(magnitude > 0.0))
        return 0;
    return std::clamp(figures - 1 - static_cast<int>(std::floor(std::log10(magnitude))), 0, 9);
}

} // namespace

QString numberText(std::int64_t number, const QLocale& locale)
{
    return locale.toString(static_cast<qlonglong>(number));
}

QString trialsText(int count)
{
    return count == 1 ? translated("1 trial") : translated("%1 trials").arg(count);
}

QString stepsText(int count)
{
    return count == 1 ? translated("1 step") : translated("%1 steps").arg(count);
}

QString bytesText(std::int64_t bytes, const QLocale& locale)
{
    return locale.formattedDataSize(bytes, 1, QLocale::DataSizeIecFormat);
}

ComparedBytes comparedBytesText(std::int64_t first, std::int64_t second, const QLocale& locale)
{
    constexpr int maxDecimals = 4;
    for (int decimals = 1; decimals <= maxDecimals; ++decimals) {
        const auto text = [&](std::int64_t bytes) {
            return locale.formattedDataSize(bytes, decimals, QLocale::DataSizeIecFormat);
        };
        if (first == second || text(first) != text(second))
            return {.first = text(first), .second = text(second)};
    }
    const auto exact = [&](std::int64_t bytes) { return translated("%1 B").arg(numberText(bytes, locale)); };
    return {.first = exact(first), .second = exact(second)};
}

MemoryUnit MemoryUnit::forBytes(double largest)
{
    if (largest > 0.0 && largest < 2.0 * gibibyte)
        return {.name = translated("MiB"), .bytes = mebibyte};
    return {.name = translated("GiB"), .bytes = gibibyte};
}

QString memoryText(double bytes, const MemoryUnit& unit, const QLocale& locale)
{
    const double value = unit.of(bytes);
    if (unit.bytes >= gibibyte)
        return locale.toString(value, 'f', value < 9.995 ? 2 : 1);
    return locale.toString(value, 'f', value < 99.95 ? 1 : 0);
}

QString memoryText(double bytes, const QLocale& locale)
{
    constexpr std::array units{
        QT_TRANSLATE_NOOP("batchpeak::engine", "%1 B"), QT_TRANSLATE_NOOP("batchpeak::engine", "%1 KiB"),
        QT_TRANSLATE_NOOP("batchpeak::engine", "%1 MiB"), QT_TRANSLATE_NOOP("batchpeak::engine", "%1 GiB"),
        QT_TRANSLATE_NOOP("batchpeak::engine", "%1 TiB")};
    double value = bytes;
    std::size_t unit = 0;
    while (value >= 1024.0 && unit + 1 < units.size()) {
        value /= 1024.0;
        ++unit;
    }
    const int decimals = unit == 0 ? 0 : std::min(decimalsForFigures(3, value), 2);
    return translated(units.at(unit)).arg(locale.toString(value, 'f', decimals));
}

QString rateText(double perSecond, const QLocale& locale)
{
    return locale.toString(perSecond, 'f', decimalsForFigures(3, perSecond));
}

QString comparedRateText(double perSecond, const QLocale& locale)
{
    return locale.toString(perSecond, 'f', decimalsForFigures(4, perSecond));
}

QString rateText(double perSecond, std::optional<double> relativeError, const QLocale& locale)
{
    if (!relativeError)
        return rateText(perSecond, locale);
    const double half = standardErrorsOf95Percent * *relativeError * perSecond;
    const int decimals = half >= 1.0  ? 0
                         : half > 0.0 ? std::clamp(-static_cast<int>(std::floor(std::log10(half))), 1, 3)
                                      : decimalsForFigures(3, perSecond);
    return QStringLiteral("%1 ± %2").arg(locale.toString(perSecond, 'f', decimals),
                                         locale.toString(half, 'f', decimals));
}

QString lossText(double loss, const QLocale& locale, int decimals)
{
    return locale.toString(loss, std::abs(loss) < maxWrittenOut ? 'f' : 'e', decimals);
}

QString factorText(double factor, const QLocale& locale)
{
    return QStringLiteral("%1×").arg(locale.toString(factor, 'f', 2));
}

QString percentText(double share, const QLocale& locale, int decimals)
{
    return translated("%1 %").arg(locale.toString(100.0 * share, 'f', decimals));
}

QString energyPerSampleText(double joulesPerSample, const QLocale& locale)
{
    struct Unit
    {
        double joules;
        const char* text;
    };
    constexpr Unit units[] = {{1e3, QT_TRANSLATE_NOOP("batchpeak::engine", "%1 kJ/sample")},
                              {1.0, QT_TRANSLATE_NOOP("batchpeak::engine", "%1 J/sample")},
                              {1e-3, QT_TRANSLATE_NOOP("batchpeak::engine", "%1 mJ/sample")},
                              {1e-6, QT_TRANSLATE_NOOP("batchpeak::engine", "%1 µJ/sample")}};
    // A value just below a unit rounds up to it.
    constexpr double roundsUp = 0.9995;
    const auto fits = [&](const Unit& unit) { return joulesPerSample >= roundsUp * unit.joules; };
    const auto* found = std::ranges::find_if(units, fits);
    const Unit& unit = found == std::end(units) ? *std::rbegin(units) : *found;
    const double value = joulesPerSample / unit.joules;
    const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return translated(unit.text).arg(locale.toString(value, 'f', decimals));
}

QString durationText(double seconds, const QLocale& locale)
{
    if (seconds >= 9.95)
        return wholeDurationText(seconds);
    return translated("%1 s").arg(locale.toString(std::max(seconds, 0.0), 'f', 1));
}

QString wholeDurationText(double seconds)
{
    const auto whole = static_cast<qint64>(std::llround(std::max(seconds, 0.0)));
    if (whole < 60)
        return translated("%1 s").arg(whole);
    if (whole < 3600)
        return translated("%1 min %2 s").arg(whole / 60).arg(whole % 60);
    return translated("%1 h %2 min").arg(whole / 3600).arg(whole % 3600 / 60);
}

QString durationText(std::chrono::milliseconds duration)
{
    using namespace std::chrono;
    if (duration < 1s)
        return translated("%1 ms").arg(duration.count());
    const auto whole = round<seconds>(duration);
    if (whole < 2min)
        return translated("%1 s").arg(whole.count());
    const auto wholeMinutes = round<minutes>(whole);
    if (wholeMinutes < 1h)
        return translated("%1 min").arg(wholeMinutes.count());
    return translated("%1 h %2 min").arg(wholeMinutes.count() / 60).arg(wholeMinutes.count() % 60);
}

QString momentText(const QDateTime& time, const QLocale& locale)
{
    const QDateTime local = time.toLocalTime();
    const QString clock = local.time().toString(QStringLiteral("HH:mm"));
    return local.date() == QDate::currentDate()
               ? clock
               : translated("%1 %2").arg(locale.toString(local.date(), QLocale::ShortFormat), clock);
}

QString dayAndTimeText(const QDateTime& time, const QLocale& locale)
{
    const QDateTime local = time.toLocalTime();
    const bool isThisYear = local.date().year() == QDate::currentDate().year();
    return locale.toString(local,
                           isThisYear ? QStringLiteral("d MMM, HH:mm") : QStringLiteral("d MMM yyyy, HH:mm"));
}

QString lastLineOf(const QByteArray& output)
{
    constexpr qsizetype maxQuoted = 300;
    return QString::fromUtf8(output.trimmed().split('\n').back().trimmed()).left(maxQuoted);
}

} // namespace batchpeak::engine
