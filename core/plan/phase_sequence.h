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

/// The explorations that a person's options ask for, one after the other: of one phase, or of training and
/// then of evaluation. It decides which options each has, whether another follows, and which sizes were found
/// by all of them. It does not run any.
class PhaseSequence
{
public:
    explicit PhaseSequence(const ExplorationOptions& options = {});

    /// Options of the current exploration.
    const ExplorationOptions& options() const { return m_inHand; }

    /// Takes the end of the current exploration and moves on to the next one if there is one. None follows an
    /// exploration that was stopped or that failed.
    /// \return whether there is a next one
    bool advance(const Snapshot& ended);
    /// Snapshot of training at its end, while evaluation is the current exploration.
    const std::optional<Snapshot>& before() const { return m_before; }

    /// Returns the progress of all explorations together, 0..1. \param progress  that of the current one,
    /// 0..1
    double progress(double progress) const;
    /// Returns the sizes to write: that of training, if it has one, and that of the current exploration.
    /// \param selected  size of the current exploration that a person wants instead of the recommended one
    std::vector<config::ChosenSize> sizes(const Snapshot& inHand,
                                          std::optional<std::int64_t> selected = {}) const;
    /// Returns how close the trials that found these sizes were to the config's run: "Measured as
    /// configured.", or a sentence for each phase if they differ.
    QString foundText(const Snapshot& inHand) const;
    /// Whether one of the runs was not simply "as configured".
    bool hasCaveat(const Snapshot& inHand) const;
    /// Returns engine::doubtText() for each of these sizes.
    QString doubtText(const Snapshot& inHand, const QLocale& locale = QLocale(),
                      std::optional<std::int64_t> selected = {}) const;

private:
    /// Returns the runs that have found a size.
    std::vector<const RunDescription*> runs(const Snapshot& inHand) const;

    ExplorationOptions m_asked;
    ExplorationOptions m_inHand;
    std::optional<Snapshot> m_before;
};

/// Returns the options of the exploration of evaluation that follows one of training.
/// \param secondsSpent  time that training used
ExplorationOptions evaluationAfter(const ExplorationOptions& options, double secondsSpent = 0.0);

/// "Training: 192, 1,234 ± 12 samples/s, confidence 96 %.", "Training: nothing fits."
QString endText(const Snapshot& ended, const QLocale& locale = QLocale());

/// Returns "training" or "evaluation".
QString phaseText(model::Phase phase);
/// Returns "training" or "evaluation", or "training and evaluation" if both are asked for.
QString phasesText(const ExplorationOptions& options);

} // namespace batchpeak::engine
