// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_row.h"

#include "engine/readable_text.h"
#include "trial/trial_flags.h"

#include <QCoreApplication>

namespace batchpeak::ui {

namespace {

using engine::TrialSnapshot;
using engine::TrialState;

// A sentence says it better.
const QString repetitionFlag =
    QString::fromUtf8(trial::flag::repetition.data(), trial::flag::repetition.size());

struct Verdict
{
    Glyph glyph = Glyph::Check;
    Tone tone = Tone::Muted;
    QString word;
};

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(TrialRow)
};

// Of a trial that measured something, the one thing that a reader must know first.
Verdict verdictOnOk(const TrialSnapshot& trial, bool best, bool recommended)
{
    if (trial.thrashes)
        return {Glyph::Warning, Tone::Warn, Words::tr("thrashes")};
    if (!trial.withinHeadroom)
        return {Glyph::Warning, Tone::Warn, Words::tr("over headroom")};
    if (best)
        return recommended ? Verdict{Glyph::Star, Tone::Good, Words::tr("best")}
                           : Verdict{Glyph::Star, Tone::Warn, Words::tr("leading")};
    if (trial.disturbed)
        return {Glyph::Warning, Tone::Muted, Words::tr("ok, disturbed")};
    if (trial.abandoned)
        return {Glyph::Check, Tone::Muted, Words::tr("ok, cut short")};
    if (trial.repetition > 0)
        return {Glyph::Check, Tone::Muted, Words::tr("ok, repeated")};
    return {Glyph::Check, Tone::Muted, Words::tr("ok")};
}

Verdict verdictOn(const TrialSnapshot& trial, bool best, bool recommended)
{
    switch (trial.state) {
    case TrialState::Running:
        return {Glyph::Play, Tone::Warn, trial.timedSteps == 0 ? Words::tr("warm-up") : Words::tr("running")};
    case TrialState::Ok:
        return verdictOnOk(trial, best, recommended);
    case TrialState::OutOfMemory:
        return {Glyph::Cross, Tone::Bad, Words::tr("OOM")};
    case TrialState::Unsupported:
        return {Glyph::Barred, Tone::Muted, Words::tr("unsupported")};
    case TrialState::Failed:
        return {Glyph::Warning, Tone::Muted, Words::tr("failed")};
    case TrialState::Timeout:
        return {Glyph::Clock, Tone::Muted, Words::tr("timed out")};
    case TrialState::Cancelled:
        return {Glyph::Stop, Tone::Muted, Words::tr("cancelled")};
    case TrialState::Crashed:
        break;
    }
    return {Glyph::Warning, Tone::Muted, Words::tr("crashed")};
}

} // namespace

TrialRow trialRowOf(const TrialSnapshot& trial, bool best, bool recommended, const engine::MemoryUnit& unit)
{
    const QLocale locale;
    const QString none = QStringLiteral("–");
    const Verdict verdict = verdictOn(trial, best, recommended);
    const bool measured = trial.samplesPerSecond.has_value() &&
                          (trial.state == TrialState::Ok || trial.state == TrialState::Running);
    const bool peakKnown = measured && trial.peakReservedBytes.value_or(0) > 0;

    TrialRow row{.glyph = verdict.glyph, .tone = verdict.tone, .best = best};
    row.texts[TrialRow::Number] = engine::numberText(trial.number, locale);
    row.texts[TrialRow::Size] = engine::numberText(trial.microBatchSize, locale);
    row.texts[TrialRow::Result] = verdict.word;
    row.texts[TrialRow::Rate] =
        measured ? engine::rateText(*trial.samplesPerSecond, trial.relativeError, locale) : none;
    row.texts[TrialRow::Memory] =
        peakKnown ? engine::memoryText(static_cast<double>(*trial.peakReservedBytes), unit, locale) : none;
    row.texts[TrialRow::Took] =
        trial.wallSeconds > 0.0 ? engine::durationText(trial.wallSeconds, locale) : none;
    row.texts[TrialRow::Device] = trial.device;

    QStringList notes;
    if (trial.state == TrialState::OutOfMemory)
        notes << Words::tr("Out of memory");
    if (!trial.withinHeadroom)
        notes << Words::tr("It fits the device, but reaches into the headroom that is kept free");
    if (trial.thrashes)
        notes << Words::tr("It fits only by emptying the allocator's cache again and again");
    if (trial.repetition > 0)
        notes << Words::tr("Repetition %1 of a trial that something disturbed").arg(trial.repetition);
    for (const QString& flag : trial.flags) {
        if (flag != repetitionFlag)
            notes << flag;
    }
    if (trial.joulesPerSample)
        notes << engine::energyPerSampleText(*trial.joulesPerSample, locale);
    if (!trial.text.isEmpty())
        notes << trial.text;
    row.toolTip = notes.join(QLatin1Char('\n'));
    return row;
}

} // namespace batchpeak::ui
