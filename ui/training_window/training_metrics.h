// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "training/training_snapshot.h"

#include <QFrame>

class QLabel;

namespace batchpeak::ui {

class Metric;

/// The numbers of a training run that a person looks at first, in one line, and below them what it does or
/// what came of it.
class TrainingMetrics : public QFrame
{
    Q_OBJECT

public:
    explicit TrainingMetrics(QWidget* parent = nullptr);

    /// \param obstacle  why no run can start now, as a sentence; else empty
    void display(const training::TrainingSnapshot& snapshot, const QString& obstacle = {});
    /// All that the metrics say, in one text.
    QString summary() const;

private:
    void showStep(const training::StepRecord& step, const config::Fidelity& fidelity);
    void showMemory(const training::TrainingSnapshot& snapshot);
    /// Whether the sentence is one that a person should act on.
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
