// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "terminal_text.h"

#include "text/escaped_text.h"
#include "text/readable_text.h"
#include "text/tuning_text.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace batchpeak::cli {

namespace {

// Qt's C locale does not group digits; this locale writes "2,115.5" whatever the user's own locale is.
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

QString parametersText(std::int64_t count, std::int64_t frozen)
{
    return engine::parametersText(count, frozen, terminalLocale());
}

std::vector<QStringList> tuningRows(const model::Tuning& tuning)
{
    std::vector<QStringList> rows;
    const auto add = [&rows](const QString& name, const QString& text) {
        if (!text.isEmpty())
            rows.push_back({name, text});
    };
    add(QStringLiteral("adapter"), engine::adapterText(tuning, terminalLocale()));
    add(QStringLiteral("trained in full"), engine::trainedPartsText(tuning));
    add(QStringLiteral("frozen weights"), engine::frozenWeightsText(tuning));
    add(QStringLiteral("quantization-aware"), engine::fakeQuantizationText(tuning, terminalLocale()));
    return rows;
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

QString rateText(double samplesPerSecond, double relativeError)
{
    return QStringLiteral("%1 ± %2").arg(rateText(samplesPerSecond),
                                         rateText(samplesPerSecond * relativeError));
}

QString speedText(double samplesPerSecond, double tokensPerSecond, const QString& mark)
{
    const QString samples = QStringLiteral("%1%2 samples/s").arg(mark, rateText(samplesPerSecond));
    return tokensPerSecond > 0
               ? QStringLiteral("%1, %2%3 tokens/s").arg(samples, mark, rateText(tokensPerSecond))
               : samples;
}

QString lossText(double loss)
{
    if (std::isnan(loss))
        return QStringLiteral("NaN");
    return engine::lossText(loss, terminalLocale(), 4);
}

QString durationText(double seconds)
{
    return engine::wholeDurationText(seconds);
}

QString percentText(double share)
{
    return QString::number(share * 100, 'g', 3) + QStringLiteral(" %");
}

QString countText(std::int64_t count, const QString& noun)
{
    return QStringLiteral("%1 %2%3").arg(groupedText(count), noun,
                                         count == 1 ? QString() : QStringLiteral("s"));
}

QString batchText(const config::BatchPlan& plan)
{
    const QString key = QString::fromStdString(plan.globalBatchKey);
    const bool isFormula = key.contains(QLatin1Char(' '));
    const QString batch =
        key + (isFormula ? QStringLiteral(" = ") : QStringLiteral(" ")) + groupedText(plan.globalBatchSize);
    if (plan.knowsDevices)
        return QStringLiteral("%1 on %2").arg(batch, countText(plan.devices, QStringLiteral("device")));
    return batch +
           (plan.isOverAllDevices ? QStringLiteral(" over all devices") : QStringLiteral(" on one device"));
}

QStringList alignedLines(const std::vector<QStringList>& rowsOfAnyText)
{
    // The width of a column is that of its text with control characters made visible.
    std::vector<QStringList> rows = rowsOfAnyText;
    for (QStringList& row : rows)
        std::ranges::transform(row, row.begin(), engine::escapeControls);

    std::vector<qsizetype> widths;
    for (const QStringList& row : rows) {
        widths.resize(std::max(widths.size(), static_cast<std::size_t>(row.size())));
        for (qsizetype column = 0; column < row.size(); ++column)
            widths[column] = std::max(widths[column], row.at(column).size());
    }

    QStringList lines;
    for (const QStringList& row : rows) {
        QString line;
        for (qsizetype column = 0; column < row.size(); ++column)
            line += row.at(column).leftJustified(widths[column] + 2);
        while (line.endsWith(QLatin1Char(' ')))
            line.chop(1);
        lines << line;
    }
    return lines;
}

} // namespace batchpeak::cli
