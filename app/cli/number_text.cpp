// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "number_text.h"

#include "engine/readable_text.h"

#include <QLocale>

#include <cmath>

namespace batchpeak::cli {

namespace {

// The C locale of Qt groups nothing; this one writes "2,115.5" whatever the user's own is.
const QLocale& terminalLocale()
{
    static const QLocale locale(QLocale::English, QLocale::UnitedStates);
    return locale;
}

} // namespace

QString groupedText(std::int64_t count)
{
    return engine::numberText(count, terminalLocale());
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
    return engine::memoryText(static_cast<double>(bytes), terminalLocale());
}

QString rateText(double samplesPerSecond)
{
    return engine::rateText(samplesPerSecond, terminalLocale());
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
    return engine::wholeDurationText(seconds);
}

QString percentText(double share)
{
    return QString::number(share * 100, 'g', 3) + QStringLiteral(" %");
}

} // namespace batchpeak::cli
