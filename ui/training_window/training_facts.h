// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "training/training_snapshot.h"
#include "widgets/card.h"

#include <vector>

class QGridLayout;

namespace batchpeak::ui {

/// The settings of the training run that is shown, a line for each.
class TrainingFacts : public Card
{
    Q_OBJECT

public:
    explicit TrainingFacts(QWidget* parent = nullptr);

    void display(const training::TrainingSnapshot& snapshot);

private:
    struct Row
    {
        QLabel* name = nullptr;
        QLabel* value = nullptr;
    };

    QGridLayout* m_grid;
    std::vector<Row> m_rows;
};

/// One setting or result of a run, as text.
struct TrainingFact
{
    QString name;
    QString value;
    bool operator==(const TrainingFact&) const = default;
};

/// Returns those of the following that a run has: size and how it is chosen, batch, fidelity, trained
/// parameters, maximum, growth, evaluation, prediction, data, learning rate, loss weighting, first step,
/// checkpoint, out-of-memory events. Empty without a run.
std::vector<TrainingFact> trainingFacts(const training::TrainingSnapshot& snapshot);

} // namespace batchpeak::ui
