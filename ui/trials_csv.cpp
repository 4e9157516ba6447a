// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trials_csv.h"

#include "engine/trial_record.h"

#include <QLocale>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

namespace batchpeak::ui {

namespace {

using engine::TrialSnapshot;
using engine::TrialState;

QString number(double value)
{
    return QLocale::c().toString(value, 'g', QLocale::FloatingPointShortest);
}

QString number(std::int64_t value)
{
    return QString::number(value);
}

template<typename Value>
QString numberIfKnown(const std::optional<Value>& value)
{
    return value ? number(*value) : QString();
}

// Words of a user's own program may hold anything.
QString quotedIfNeeded(const QString& text)
{
    const bool isPlain = std::ranges::none_of(text, [](QChar c) {
        return c == QLatin1Char(',') || c == QLatin1Char('"') || c == QLatin1Char('\n') ||
               c == QLatin1Char('\r');
    });
    if (isPlain)
        return text;
    return QLatin1Char('"') + QString(text).replace(QLatin1Char('"'), QLatin1String("\"\"")) +
           QLatin1Char('"');
}

QString lineOf(const QStringList& fields)
{
    QStringList quoted;
    for (const QString& field : fields)
        quoted << quotedIfNeeded(field);
    return quoted.join(QLatin1Char(',')) + QLatin1String("\r\n");
}

QStringList fieldsOf(const TrialSnapshot& trial)
{
    const std::string_view outcome = trial::toText(engine::outcomeOf(trial.state));
    return {QString::number(trial.number),
            trial.device,
            number(trial.microBatchSize),
            QString::fromUtf8(outcome.data(), static_cast<qsizetype>(outcome.size())),
            numberIfKnown(trial.secondsPerStep),
            numberIfKnown(trial.samplesPerSecond),
            numberIfKnown(trial.relativeError),
            numberIfKnown(trial.peakAllocatedBytes),
            numberIfKnown(trial.peakReservedBytes),
            QString::number(trial.timedSteps),
            number(trial.wallSeconds),
            trial.flags.join(QLatin1String("; ")),
            trial.text,
            numberIfKnown(trial.joulesPerSample)};
}

} // namespace

QByteArray trialsCsv(const std::vector<TrialSnapshot>& trials)
{
    QString text = lineOf(
        {QStringLiteral("trial"), QStringLiteral("device"), QStringLiteral("micro_batch_size"),
         QStringLiteral("outcome"), QStringLiteral("seconds_per_step"), QStringLiteral("samples_per_second"),
         QStringLiteral("relative_error"), QStringLiteral("peak_allocated_bytes"),
         QStringLiteral("peak_reserved_bytes"), QStringLiteral("steps"), QStringLiteral("wall_seconds"),
         QStringLiteral("flags"), QStringLiteral("text"), QStringLiteral("joules_per_sample")});
    for (const TrialSnapshot& trial : trials) {
        if (trial.state != TrialState::Running)
            text += lineOf(fieldsOf(trial));
    }
    return text.toUtf8();
}

} // namespace batchpeak::ui
