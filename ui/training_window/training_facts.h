// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "training/training_snapshot.h"
#include "widgets/card.h"

#include <vector>

class QGridLayout;

namespace batchpeak::ui {

/// What was chosen for the training run that is shown, a line for each choice.
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

/// One choice or finding of a run, in words.
struct TrainingFact
{
    QString name;
    QString value;
    bool operator==(const TrainingFact&) const = default;
};

/// What a run has of these: how its size is chosen, maximum, growth, data, learning rate, checkpoint.
std::vector<TrainingFact> trainingFacts(const training::TrainingSnapshot& snapshot);

} // namespace batchpeak::ui
