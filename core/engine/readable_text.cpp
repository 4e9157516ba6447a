// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "readable_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <iterator>

namespace batchpeak::engine {

namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("batchpeak::engine", text);
}

} // namespace

QString bytesText(std::int64_t bytes, const QLocale& locale)
{
    return locale.formattedDataSize(bytes, 1, QLocale::DataSizeIecFormat);
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
    // Just below a unit rounds up to it.
    constexpr double roundsUp = 0.9995;
    const auto fits = [&](const Unit& unit) { return joulesPerSample >= roundsUp * unit.joules; };
    const auto* found = std::ranges::find_if(units, fits);
    const Unit& unit = found == std::end(units) ? *std::rbegin(units) : *found;
    const double value = joulesPerSample / unit.joules;
    const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return translated(unit.text).arg(locale.toString(value, 'f', decimals));
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

} // namespace batchpeak::engine
