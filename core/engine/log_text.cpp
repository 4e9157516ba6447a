// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "log_text.h"

#include "snapshot/ending_text.h"
#include "store/exploration_store.h"
#include "text/comparison_text.h"
#include "text/fidelity_text.h"
#include "text/readable_text.h"
#include "text/translated.h"

#include <algorithm>

namespace batchpeak::engine {

namespace {

// Every device holds a little for its driver or its operating system.
constexpr double worthSaying = 0.05;

// Together with store::keptLogLines, this limits a log to 8 MB, whatever a worker writes.
constexpr qsizetype keptCharacters = 4000;

QString wordFor(trial::Outcome outcome)
{
    switch (outcome) {
    case trial::Outcome::Ok:
        return Translated::tr("ran");
    case trial::Outcome::OutOfMemory:
        return Translated::tr("ran out of memory");
    case trial::Outcome::Unsupported:
        return Translated::tr("is not supported by the device");
    case trial::Outcome::Failed:
        return Translated::tr("failed");
    case trial::Outcome::Timeout:
        return Translated::tr("timed out");
    case trial::Outcome::Cancelled:
        return Translated::tr("was canceled");
    case trial::Outcome::Crashed:
        return Translated::tr("crashed");
    }
    return {};
}

/// "8 ran"
QString whatEnded(const trial::TrialRecord& trial, const QLocale& locale)
{
    const QString outcome = trial.outcome ? wordFor(*trial.outcome) : Translated::tr("runs");
    QString size = Translated::tr("%1 %2", "a size and what became of it")
                       .arg(numberText(trial.microBatchSize, locale), outcome);
    if (!trial.isComparison())
        return size;
    const QString compared = comparedText(trial, locale);
    if (trial.microBatchSize > 0)
        return Translated::tr("%1, which %2", "what was compared, and what became of a size")
            .arg(compared, outcome);
    return trial.outcome == trial::Outcome::Ok
               ? compared
               : Translated::tr("%1: it %2", "what was compared, and what became of it")
                     .arg(compared, outcome);
}

QString ageText(std::chrono::seconds age)
{
    if (age < std::chrono::minutes(1))
        return Translated::tr("moments old");
    const auto days = std::chrono::duration_cast<std::chrono::hours>(age).count() / 24;
    return days > 1 ? Translated::tr("%n day(s) old", nullptr, static_cast<int>(days))
                    : Translated::tr("%1 old").arg(durationText(std::chrono::milliseconds(age)));
}

} // namespace

QString programText(const DeviceSnapshot& device)
{
    if (device.program.isEmpty() || device.program.startsWith(QLatin1String("batchpeak-worker")))
        return {};
    return device.framework.isEmpty()
               ? Translated::tr("%1 runs the trials on %2.").arg(device.program, device.id)
               : Translated::tr("%1 runs the trials on %2, with %3.")
                     .arg(device.program, device.id, device.framework);
}

QString recalledText(const Recalled& recalled)
{
    return Translated::tr(
               "Reusing %1 of exploration %2, %3. The size that it found is measured first; --fresh "
               "ignores them.")
        .arg(trialsText(recalled.trials))
        .arg(recalled.exploration)
        .arg(ageText(recalled.age));
}

QString forgottenText()
{
    return Translated::tr("The trials of the earlier exploration are dropped: this one measures otherwise.");
}

QString readyText(const DeviceSnapshot& device, const QLocale& locale)
{
    const QString name = device.name.isEmpty() ? device.id : device.name;
    if (device.limitBytes == 0)
        return Translated::tr("%1 is ready: %2, of unknown memory.").arg(device.id, name);
    QString text = Translated::tr("%1 is ready: %2, %3 of %4 may be used.")
                       .arg(device.id, name, bytesText(device.usableBytes, locale),
                            bytesText(std::max(device.totalBytes, device.limitBytes), locale));
    if (device.heldByOthersBytes >= worthSaying * static_cast<double>(device.totalBytes)) {
        text +=
            QLatin1Char(' ') +
            Translated::tr("Other programs hold %1 of it.").arg(bytesText(device.heldByOthersBytes, locale));
    }
    if (const QString program = programText(device); !program.isEmpty())
        text += QLatin1Char(' ') + program;
    if (!device.allocatorSettings.isEmpty()) {
        text += QLatin1Char(' ') +
                Translated::tr("Your allocator settings apply: %1.").arg(device.allocatorSettings);
    }
    return text;
}

QString startText(const trial::TrialRecord& trial, const QLocale& locale)
{
    if (trial.isComparison())
        return Translated::tr("Trial %1: %2 on %3.")
            .arg(trial.number)
            .arg(comparingText(comparedSizes(trial), locale), QString::fromStdString(trial.device));
    if (trial.isVerification)
        return Translated::tr("Trial %1: size %2 on %3, in a fresh process.")
            .arg(trial.number)
            .arg(numberText(trial.microBatchSize, locale), QString::fromStdString(trial.device));
    if (trial.repetition > 0)
        return Translated::tr("Trial %1: size %2 on %3, retry.")
            .arg(trial.number)
            .arg(numberText(trial.microBatchSize, locale), QString::fromStdString(trial.device));
    return Translated::tr("Trial %1: size %2 on %3.")
        .arg(trial.number)
        .arg(numberText(trial.microBatchSize, locale), QString::fromStdString(trial.device));
}

QString endText(const trial::TrialRecord& trial, const config::Fidelity& fidelity, const QLocale& locale)
{
    QStringList parts{Translated::tr("Trial %1: %2").arg(trial.number).arg(whatEnded(trial, locale))};
    if (trial.samplesPerSecond)
        parts.append(
            Translated::tr("%1%2 samples/s")
                .arg(speedMark(fidelity), rateText(*trial.samplesPerSecond, trial.relativeError, locale)));
    if (trial.peakReservedBytes)
        parts.append(Translated::tr("peak %1").arg(memoryMark(fidelity) +
                                                   bytesText(*trial.peakReservedBytes, locale)));
    if (trial.joulesPerSample)
        parts.append(speedMark(fidelity) + energyPerSampleText(*trial.joulesPerSample, locale));
    parts += flagsOf(trial);
    const QString text = parts.join(QLatin1String(", ")) + QLatin1Char('.');
    return trial.text.empty() ? text : text + QLatin1Char(' ') + QString::fromStdString(trial.text);
}

QString repetitionText(const trial::TrialRecord& trial, const QLocale& locale)
{
    const QString size = numberText(trial.microBatchSize, locale);
    if (trial.disturbed)
        return Translated::tr("Trial %1 was disturbed; retrying size %2.").arg(trial.number).arg(size);
    return Translated::tr("Retrying size %1.").arg(size);
}

QString largerAllTheSameText(const std::vector<trial::TrialRecord>& before, const trial::TrialRecord& next,
                             const QLocale& locale)
{
    using trial::Outcome;
    const auto hasFailed = [](const trial::TrialRecord& trial) {
        return trial.outcome == Outcome::Failed || trial.outcome == Outcome::Unsupported ||
               trial.outcome == Outcome::Crashed;
    };
    if (before.empty() || !std::ranges::all_of(before, hasFailed) ||
        next.microBatchSize <= before.back().microBatchSize)
        return {};
    return Translated::tr("A micro-batch of %1 does not run; %2 is tried, which may.")
        .arg(numberText(before.back().microBatchSize, locale), numberText(next.microBatchSize, locale));
}

QString leftOutText(const trial::TrialRecord& trial, const QLocale& locale)
{
    return Translated::tr("Size %1 broke down twice and is left out.")
        .arg(numberText(trial.microBatchSize, locale));
}

QString noMoreRepetitionsText(const QString& device)
{
    return Translated::tr(
               "Most of the last trials on %1 were disturbed, so disturbed trials are no longer "
               "retried and times are less precise. Stop other programs there for a better result.")
        .arg(device);
}

QString recommendationText(const search::Recommendation& recommendation, const QLocale& locale)
{
    const QString text = Translated::tr("Recommended: %1, confidence %2 of 100")
                             .arg(numberText(recommendation.size, locale))
                             .arg(recommendation.confidence);
    const QString loss = expectedLossText(recommendation.expectedLoss, locale);
    return loss.isEmpty() ? text + QLatin1Char('.') : Translated::tr("%1, expected loss %2.").arg(text, loss);
}

QStringList flagsOf(const trial::TrialRecord& trial)
{
    QStringList flags;
    for (const std::string& flag : trial.flags)
        flags.append(QString::fromStdString(flag));
    return flags;
}

LogLevel levelOf(const trial::TrialRecord& trial)
{
    if (trial.isRunning())
        return LogLevel::Info;
    switch (*trial.outcome) {
    case trial::Outcome::Ok:
    case trial::Outcome::OutOfMemory:
    case trial::Outcome::Cancelled:
        return LogLevel::Info;
    case trial::Outcome::Unsupported:
    case trial::Outcome::Failed:
    case trial::Outcome::Timeout:
    case trial::Outcome::Crashed:
        break;
    }
    return LogLevel::Warning;
}

void addLine(std::vector<LogLine>& log, LogLevel level, const QString& text)
{
    const QString note = Translated::tr("Lines of the log are cut after %1 characters.").arg(keptCharacters);
    const auto add = [&](LogLevel itsLevel, const QString& line) {
        // The note stays once it is in the log, so that it is not added again.
        while (log.size() >= store::keptLogLines)
            log.erase(log.begin() + (log.front().text == note ? 1 : 0));
        log.push_back({.time = QDateTime::currentDateTimeUtc(), .level = itsLevel, .text = line});
    };
    if (text.size() <= keptCharacters)
        return add(level, text);
    add(level, text.left(keptCharacters) + QStringLiteral(" …"));
    if (std::ranges::find(log, note, &LogLine::text) == log.end())
        add(LogLevel::Warning, note);
}

} // namespace batchpeak::engine
