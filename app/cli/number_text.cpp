// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "number_text.h"

#include <QLocale>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace batchpeak::cli {

namespace {

/// Decimals that leave three figures of a number.
int decimalsForThreeFigures(double value)
{
    if (!(value > 0))
        return 0;
    return std::clamp(2 - static_cast<int>(std::floor(std::log10(value))), 0, 9);
}

QString grouped(double value, int decimals)
{
    // The C locale of Qt groups nothing; this one writes "2,115.5" whatever the user's own is.
    return QLocale(QLocale::English, QLocale::UnitedStates).toString(value, 'f', decimals);
}

} // namespace

QString groupedText(std::int64_t count)
{
    return QLocale(QLocale::English, QLocale::UnitedStates).toString(static_cast<qlonglong>(count));
}

QString parametersText(std::int64_t count)
{
    return count > 0 ? QStringLiteral("%1 parameters").arg(groupedText(count))
                     : QStringLiteral("parameters counted when loaded");
}

QString sequenceLengthText(std::int64_t tokens)
{
    return tokens > 1 ? QStringLiteral(", sequence length %1").arg(groupedText(tokens)) : QString();
}

QString bytesText(std::int64_t bytes)
{
    const QStringList units{QStringLiteral("B"), QStringLiteral("KiB"), QStringLiteral("MiB"),
                            QStringLiteral("GiB"), QStringLiteral("TiB")};
    double value = static_cast<double>(bytes);
    qsizetype unit = 0;
    while (value >= 1024 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    const int decimals = unit == 0 ? 0 : std::min(decimalsForThreeFigures(value), 2);
    return grouped(value, decimals) + QLatin1Char(' ') + units.at(unit);
}

QString rateText(double samplesPerSecond)
{
    return grouped(samplesPerSecond, decimalsForThreeFigures(samplesPerSecond));
}

QString speedText(double samplesPerSecond, double tokensPerSecond)
{
    const QString samples = QStringLiteral("%1 samples/s").arg(rateText(samplesPerSecond));
    return tokensPerSecond > 0 ? QStringLiteral("%1, %2 tokens/s").arg(samples, rateText(tokensPerSecond))
                               : samples;
}

QString lossText(double loss)
{
    if (std::isnan(loss))
        return QStringLiteral("not a number");
    return QString::number(loss, 'f', 4);
}

QString durationText(double seconds)
{
    const auto whole = static_cast<qint64>(std::llround(std::max(seconds, 0.0)));
    if (whole < 60)
        return QStringLiteral("%1 s").arg(whole);
    if (whole < 3600)
        return QStringLiteral("%1 min %2 s").arg(whole / 60).arg(whole % 60);
    return QStringLiteral("%1 h %2 min").arg(whole / 3600).arg(whole % 3600 / 60);
}

QString percentText(double share)
{
    return QString::number(share * 100, 'g', 3) + QStringLiteral(" %");
}

} // namespace batchpeak::cli
