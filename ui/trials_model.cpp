// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trials_model.h"

#include "engine/comparison_text.h"
#include "engine/readable_text.h"
#include "trial/contrast.h"
#include "trial/trial_record.h"

#include <utility>

namespace batchpeak::ui {

namespace {

using trial::ComparedRecord;
using trial::Outcome;
using trial::TrialRecord;

struct Verdict
{
    Glyph glyph = Glyph::Check;
    Tone tone = Tone::Muted;
    QString word;
};

// Of a trial that measured something, the one thing that a reader must know first.
Verdict verdictOnOk(const TrialRecord& trial, bool best, bool recommended)
{
    if (trial.thrashes)
        return {Glyph::Warning, Tone::Warn, TrialsModel::tr("thrashes")};
    if (!trial.withinHeadroom)
        return {Glyph::Warning, Tone::Warn, TrialsModel::tr("over headroom")};
    if (best)
        return recommended ? Verdict{Glyph::Star, Tone::Good, TrialsModel::tr("best")}
                           : Verdict{Glyph::Star, Tone::Warn, TrialsModel::tr("leading")};
    if (trial.disturbed)
        return {Glyph::Warning, Tone::Muted, TrialsModel::tr("ok, disturbed")};
    if (trial.abandoned)
        return {Glyph::Check, Tone::Muted, TrialsModel::tr("ok, cut short")};
    if (trial.repetition > 0)
        return {Glyph::Check, Tone::Muted, TrialsModel::tr("ok, repeated")};
    return {Glyph::Check, Tone::Muted, TrialsModel::tr("ok")};
}

/// Of a trial that measured nothing, or not all that it should.
Verdict verdictOnFailure(Outcome outcome)
{
    switch (outcome) {
    case Outcome::OutOfMemory:
        return {Glyph::Cross, Tone::Bad, TrialsModel::tr("OOM")};
    case Outcome::Unsupported:
        return {Glyph::Barred, Tone::Muted, TrialsModel::tr("unsupported")};
    case Outcome::Failed:
        return {Glyph::Warning, Tone::Muted, TrialsModel::tr("failed")};
    case Outcome::Timeout:
        return {Glyph::Clock, Tone::Muted, TrialsModel::tr("timed out")};
    case Outcome::Cancelled:
        return {Glyph::Stop, Tone::Muted, TrialsModel::tr("cancelled")};
    case Outcome::Crashed:
    case Outcome::Ok:
        break;
    }
    return {Glyph::Warning, Tone::Muted, TrialsModel::tr("crashed")};
}

Verdict verdictOn(const TrialRecord& trial, bool best, bool recommended)
{
    if (trial.isRunning())
        return {Glyph::Play, Tone::Warn,
                trial.timedSteps == 0 ? TrialsModel::tr("warm-up") : TrialsModel::tr("running")};
    return trial.outcome == Outcome::Ok ? verdictOnOk(trial, best, recommended)
                                        : verdictOnFailure(*trial.outcome);
}

/// Of one size of a comparison.
/// \param contrast  nothing where fewer than two sizes were visited
Verdict verdictOn(const TrialRecord& trial, const ComparedRecord& size,
                  const std::optional<trial::Contrast>& contrast)
{
    if (trial.isRunning())
        return {Glyph::Play, Tone::Warn, TrialsModel::tr("comparing")};
    // What ended it is that size's alone, where it is any size's.
    const bool isSpoilt = trial.outcome != Outcome::Ok;
    if (isSpoilt && (trial.microBatchSize == 0 || trial.microBatchSize == size.microBatchSize))
        return verdictOnFailure(*trial.outcome);
    if (trial.thrashes)
        return {Glyph::Warning, Tone::Warn, TrialsModel::tr("thrashes")};
    const Glyph glyph = trial.disturbed ? Glyph::Warning : Glyph::Compare;
    if (isSpoilt || !contrast)
        return {glyph, Tone::Muted, TrialsModel::tr("cut short")};
    if (contrast->leader == size.microBatchSize)
        return {glyph, Tone::Plain,
                (contrast->isClear() ? TrialsModel::tr("leads %1") : TrialsModel::tr("level, %1"))
                    .arg(engine::leadText(*contrast))};
    return {glyph, Tone::Muted, TrialsModel::tr("compared")};
}

QString toolTipOf(const TrialRecord& trial)
{
    QStringList notes;
    if (trial.isComparison())
        notes << engine::comparedText(trial);
    if (trial.outcome == Outcome::OutOfMemory)
        notes << TrialsModel::tr("Out of memory");
    if (!trial.withinHeadroom)
        notes << TrialsModel::tr("It fits the device, but reaches into the headroom that is kept free");
    if (trial.thrashes)
        notes << TrialsModel::tr("It fits only by emptying the allocator's cache again and again");
    if (trial.repetition > 0)
        notes << TrialsModel::tr("Repetition %1 of a trial that something disturbed").arg(trial.repetition);
    for (const std::string& flag : trial.flags) {
        // A sentence says it better.
        if (flag != trial::flag::repetition)
            notes << QString::fromStdString(flag);
    }
    if (trial.joulesPerSample)
        notes << engine::energyPerSampleText(*trial.joulesPerSample);
    if (!trial.text.empty())
        notes << QString::fromStdString(trial.text);
    return notes.join(QLatin1Char('\n'));
}

const QString none = QStringLiteral("–");

QString peakText(std::optional<std::int64_t> bytes, const engine::MemoryUnit& unit)
{
    return bytes.value_or(0) > 0 ? engine::memoryText(static_cast<double>(*bytes), unit) : none;
}

QString tookText(const TrialRecord& trial)
{
    return trial.wallSeconds > 0.0 ? engine::durationText(trial.wallSeconds) : none;
}

/// \param recommended  the recommendation is not merely "leading"
TableRow rowOf(const TrialRecord& trial, bool best, bool recommended, const engine::MemoryUnit& unit)
{
    const Verdict verdict = verdictOn(trial, best, recommended);
    const bool measured =
        trial.samplesPerSecond.has_value() && (trial.outcome == Outcome::Ok || trial.isRunning());
    return {.texts = {engine::numberText(trial.number), engine::numberText(trial.microBatchSize),
                      verdict.word,
                      measured ? engine::rateText(*trial.samplesPerSecond, trial.relativeError) : none,
                      measured ? peakText(trial.peakReservedBytes, unit) : none, tookText(trial),
                      QString::fromStdString(trial.device)},
            .glyph = verdict.glyph,
            .tone = verdict.tone,
            .isBold = best,
            .toolTip = toolTipOf(trial)};
}

/// A row for each size, with what the comparison says of it; the first one has the time of all.
void addRowsOf(const TrialRecord& comparison, const engine::MemoryUnit& unit, std::vector<TableRow>& rows)
{
    const auto contrast = trial::contrastOf(comparison.compared);
    const QString toolTip = toolTipOf(comparison);
    QString took = tookText(comparison);
    for (const ComparedRecord& size : comparison.compared) {
        const Verdict verdict = verdictOn(comparison, size, contrast);
        rows.push_back(
            {.texts = {engine::numberText(comparison.number), engine::numberText(size.microBatchSize),
                       verdict.word,
                       size.samplesPerSecond ? engine::rateText(*size.samplesPerSecond, size.relativeError)
                                             : none,
                       peakText(size.peakReservedBytes, unit), std::exchange(took, QString()),
                       QString::fromStdString(comparison.device)},
             .glyph = verdict.glyph,
             .tone = verdict.tone,
             .toolTip = toolTip});
    }
}

} // namespace

TrialsModel::TrialsModel(QObject* parent)
    : TableModel({tr("#"), tr("Size"), tr("Result"), tr("Samples/s"), QStringLiteral("GiB"), tr("Took"),
                  tr("Device")},
                 Result, {Number, Took, Device}, parent)
{}

void TrialsModel::display(const engine::Snapshot& snapshot, const engine::MemoryUnit& unit)
{
    setTitle(Memory, unit.name);
    const trial::TrialRecord* best = snapshot.recommendedTrial();
    std::vector<TableRow> rows;
    rows.reserve(snapshot.trials.size());
    for (auto trial = snapshot.trials.rbegin(); trial != snapshot.trials.rend(); ++trial) {
        if (trial->isComparison())
            addRowsOf(*trial, unit, rows);
        else
            rows.push_back(rowOf(*trial, &*trial == best, snapshot.isRecommendationSure(), unit));
    }
    showRows(std::move(rows), Size);
}

} // namespace batchpeak::ui
