// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "phase_sequence.h"

#include "snapshot/writing_rule.h"
#include "text/fidelity_text.h"
#include "text/readable_text.h"
#include "text/translated.h"

#include <QStringList>

#include <algorithm>
#include <cmath>

namespace batchpeak::engine {

namespace {

using std::chrono::seconds;

/// Returns the options of the first exploration, which leave half of the time to evaluation.
ExplorationOptions firstOf(ExplorationOptions options)
{
    if (options.bothPhases && options.timeBudget)
        options.timeBudget = std::max(seconds(1), *options.timeBudget / 2);
    return options;
}

/// Whether the exploration ended by itself. The result for one phase does not apply to another, so that an
/// exploration that found no size does not prevent the next.
bool endedByItself(const Snapshot& snapshot)
{
    return snapshot.finish && *snapshot.finish != FinishStatus::Cancelled &&
           *snapshot.finish != FinishStatus::Failed;
}

QString sentenceOf(model::Phase phase)
{
    return phase == model::Phase::Train ? Translated::tr("Training: %1.") : Translated::tr("Evaluation: %1.");
}

std::optional<config::ChosenSize> sizeOf(const Snapshot& snapshot)
{
    if (!snapshot.run || !snapshot.searchState.recommendation)
        return std::nullopt;
    return config::ChosenSize{.phase = snapshot.run->phase,
                              .microBatchSize = snapshot.searchState.recommendation->size};
}

} // namespace

ExplorationOptions evaluationAfter(const ExplorationOptions& options, double secondsSpent)
{
    ExplorationOptions evaluation = options;
    evaluation.phase = model::Phase::Eval;
    evaluation.bothPhases = false;
    if (evaluation.timeBudget) {
        const seconds spent(std::lround(secondsSpent));
        evaluation.timeBudget = std::max(seconds(1), *evaluation.timeBudget - spent);
    }
    return evaluation;
}

PhaseSequence::PhaseSequence(const ExplorationOptions& options) : m_asked(options), m_inHand(firstOf(options))
{}

bool PhaseSequence::advance(const Snapshot& ended)
{
    if (!m_inHand.bothPhases || !endedByItself(ended))
        return false;
    m_inHand = evaluationAfter(m_asked, ended.elapsedSeconds);
    m_before = ended;
    return true;
}

double PhaseSequence::progress(double progress) const
{
    if (!m_asked.bothPhases)
        return progress;
    return 0.5 * (progress + (m_before ? 1.0 : 0.0));
}

std::vector<config::ChosenSize> PhaseSequence::sizes(const Snapshot& inHand,
                                                     std::optional<std::int64_t> selected) const
{
    std::vector<config::ChosenSize> sizes;
    if (const auto before = m_before ? sizeOf(*m_before) : std::nullopt)
        sizes.push_back(*before);
    if (selected)
        sizes.push_back({.phase = inHand.run->phase, .microBatchSize = *selected});
    else if (const auto last = sizeOf(inHand))
        sizes.push_back(*last);
    return sizes;
}

std::vector<const RunDescription*> PhaseSequence::runs(const Snapshot& inHand) const
{
    std::vector<const RunDescription*> runs;
    if (m_before && sizeOf(*m_before))
        runs.push_back(&*m_before->run);
    if (sizeOf(inHand))
        runs.push_back(&*inHand.run);
    return runs;
}

bool PhaseSequence::hasCaveat(const Snapshot& inHand) const
{
    return std::ranges::any_of(runs(inHand),
                               [](const RunDescription* run) { return run->fidelity.hasCaveat(); });
}

QString PhaseSequence::foundText(const Snapshot& inHand) const
{
    const std::vector<const RunDescription*> found = runs(inHand);
    const auto isAsTheFirst = [&](const RunDescription* run) {
        return run->fidelity == found.front()->fidelity;
    };
    if (found.empty())
        return {};
    if (std::ranges::all_of(found, isAsTheFirst))
        return fidelitySentence(found.front()->fidelity);
    QStringList sentences;
    for (const RunDescription* run : found)
        sentences << sentenceOf(run->phase).arg(fidelityText(run->fidelity));
    return sentences.join(QLatin1Char(' '));
}

QString PhaseSequence::doubtText(const Snapshot& inHand, const QLocale& locale,
                                 std::optional<std::int64_t> selected) const
{
    QString last = engine::doubtText(inHand, m_asked, locale, selected);
    if (!m_before)
        return last;
    QStringList doubts;
    if (const QString first = engine::doubtText(*m_before, m_asked, locale); !first.isEmpty())
        doubts << Translated::tr("Training: %1").arg(first);
    if (!last.isEmpty())
        doubts << Translated::tr("Evaluation: %1").arg(last);
    return doubts.join(QLatin1Char(' '));
}

QString endText(const Snapshot& ended, const QLocale& locale)
{
    const QString phase = sentenceOf(ended.run->phase);
    const auto& recommendation = ended.searchState.recommendation;
    if (!recommendation) {
        return phase.arg(ended.finish == FinishStatus::NothingFits ? Translated::tr("nothing fits")
                                                                   : Translated::tr("no size was found"));
    }
    return phase.arg(
        Translated::tr("%1, %2 samples/s, confidence %3 %")
            .arg(numberText(recommendation->size, locale),
                 speedMark(ended.run->fidelity) +
                     rateText(recommendation->samplesPerSecond, recommendation->relativeError, locale),
                 numberText(recommendation->confidence, locale)));
}

QString phaseText(model::Phase phase)
{
    return phase == model::Phase::Train ? Translated::tr("training") : Translated::tr("evaluation");
}

QString phasesText(const ExplorationOptions& options)
{
    return options.bothPhases ? Translated::tr("training and evaluation") : phaseText(options.phase);
}

} // namespace batchpeak::engine
