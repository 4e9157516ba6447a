// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/batch_plan.h"
#include "options/exploration_options.h"
#include "snapshot/snapshot.h"

#include <QLocale>
#include <QString>

#include <optional>
#include <vector>

namespace batchpeak::engine {

/// The explorations that a person's options come to, one after the other: of one phase, or of training and
/// then of evaluation. It decides which options each has, whether another follows, and which sizes came of
/// them all. It runs none.
class PhaseSequence
{
public:
    explicit PhaseSequence(const ExplorationOptions& options = {});

    /// Of the exploration in hand.
    const ExplorationOptions& options() const { return m_inHand; }

    /// Takes the end of the exploration in hand, and has the next one in hand if there is one. None follows
    /// one that was stopped or that failed.
    /// \return whether there is a next one
    bool advance(const Snapshot& ended);
    /// Training, as it has ended, while evaluation is in hand.
    const std::optional<Snapshot>& before() const { return m_before; }

    /// Of all explorations together, 0..1. \param progress  of the one in hand, 0..1
    double progress(double progress) const;
    /// What there is to write: the size of training, where it has one, and that of the one in hand.
    /// \param selected  that a person wants of the one in hand in the place of the recommended one
    std::vector<config::ChosenSize> sizes(const Snapshot& inHand,
                                          std::optional<std::int64_t> selected = {}) const;
    /// How near to the config's run the trials were that found these sizes: "Measured as configured.", or a
    /// sentence for each phase where they differ.
    QString foundText(const Snapshot& inHand) const;
    /// There is more to that than "as configured".
    bool hasCaveat(const Snapshot& inHand) const;
    /// As of engine::doubtText(), for each of these sizes.
    QString doubtText(const Snapshot& inHand, const QLocale& locale = QLocale(),
                      std::optional<std::int64_t> selected = {}) const;

private:
    /// Of the sizes there are.
    std::vector<const RunDescription*> runs(const Snapshot& inHand) const;

    ExplorationOptions m_asked;
    ExplorationOptions m_inHand;
    std::optional<Snapshot> m_before;
};

/// The options of the exploration of evaluation that follows one of training.
/// \param secondsSpent  by training
ExplorationOptions evaluationAfter(const ExplorationOptions& options, double secondsSpent = 0.0);

/// "Training: 192, 1,234 ± 12 samples/s, confidence 96 %.", "Training: nothing fits."
QString endText(const Snapshot& ended, const QLocale& locale = QLocale());

/// "training", "evaluation"
QString phaseText(model::Phase phase);
/// "training", or "training and evaluation" where both are asked for.
QString phasesText(const ExplorationOptions& options);

} // namespace batchpeak::engine
