// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "training/training_snapshot.h"

#include <QFrame>

class QLabel;

namespace batchpeak::ui {

class Metric;

/// The main numbers of a training run on one line, and below them what the run is doing, or its result.
class TrainingMetrics : public QFrame
{
    Q_OBJECT

public:
    explicit TrainingMetrics(QWidget* parent = nullptr);

    /// \param obstacle  sentence that says why no run can start now; empty if one can
    void display(const training::TrainingSnapshot& snapshot, const QString& obstacle = {});
    /// Returns the whole text of the metrics.
    QString summary() const;

private:
    void showStep(const training::StepRecord& step, const config::Fidelity& fidelity);
    void showMemory(const training::TrainingSnapshot& snapshot);
    /// Sets whether the sentence is one that the user should act on.
    void setWarns(bool warns);
    QList<Metric*> metrics() const;

    Metric* m_step;
    Metric* m_left;
    Metric* m_loss;
    Metric* m_samples;
    Metric* m_tokens;
    Metric* m_split;
    Metric* m_memory;
    QLabel* m_sentence;
};

} // namespace batchpeak::ui
