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

    void display(const training::TrainingSnapshot& snapshot);
    /// All that the metrics say, in one text.
    QString summary() const;

private:
    void showStep(const training::StepRecord& step);
    void showMemory(const training::TrainingSnapshot& snapshot);
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
