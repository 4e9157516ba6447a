// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "training/training_snapshot.h"

#include <QFrame>

class QLabel;

namespace batchpeak::ui {

class Figure;

/// The numbers of a training run that a person looks at first, in one line, and below them what it does or
/// what came of it.
class TrainingFigures : public QFrame
{
    Q_OBJECT

public:
    explicit TrainingFigures(QWidget* parent = nullptr);

    void display(const training::TrainingSnapshot& snapshot);
    /// All that it says, in one text.
    QString summary() const;

private:
    void showStep(const training::StepRecord& step);
    void showMemory(const training::TrainingSnapshot& snapshot);
    QList<Figure*> figures() const;

    Figure* m_step;
    Figure* m_left;
    Figure* m_loss;
    Figure* m_samples;
    Figure* m_tokens;
    Figure* m_split;
    Figure* m_memory;
    QLabel* m_sentence;
};

} // namespace batchpeak::ui
