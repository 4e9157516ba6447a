// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_facts.h"

#include "charts/run_plot.h"
#include "text/fidelity_text.h"
#include "text/readable_text.h"
#include "text/tuning_text.h"
#include "training_text.h"
#include "widgets/labels.h"

#include <QDir>
#include <QGridLayout>
#include <QLabel>
#include <QLocale>

namespace batchpeak::ui {

namespace {

using engine::numberText;
using training::TrainingSnapshot;

QString sizeFact(const TrainingSnapshot& snapshot)
{
    QString way = !snapshot.run->growth.isEmpty()     ? TrainingFacts::tr("growing")
                  : snapshot.run->halvesAutomatically ? TrainingFacts::tr("halved when memory runs out")
                                                      : TrainingFacts::tr("fixed");
    if (snapshot.microBatchSize <= 0)
        return way;
    return TrainingFacts::tr("%1, %2").arg(numberText(snapshot.microBatchSize), way);
}

QString predictionFact(const TrainingSnapshot& snapshot)
{
    const double predicted = snapshot.steps.back().predictedSamplesPerSecond;
    const QString difference = differenceText(*snapshot.overPrediction);
    return predicted > 0.0
               ? TrainingFacts::tr("%1 samples/s; training is %2")
                     .arg(engine::speedMark(snapshot.run->run.fidelity) + engine::rateText(predicted),
                          difference)
               : TrainingFacts::tr("training is %1").arg(difference);
}

} // namespace

std::vector<TrainingFact> trainingFacts(const TrainingSnapshot& snapshot)
{
    if (!snapshot.run)
        return {};
    const auto& run = *snapshot.run;
    std::vector<TrainingFact> facts{{TrainingFacts::tr("Micro-batch"), sizeFact(snapshot)},
                                    {TrainingFacts::tr("Batch"), numberText(run.batchSize)}};
    facts.push_back({TrainingFacts::tr("Measured"), engine::fidelityText(run.run.fidelity)});
    if (!model::isUntuned(run.run.tuning))
        facts.push_back({TrainingFacts::tr("Trained"),
                         QStringLiteral("%1: %2").arg(
                             engine::tuningWord(run.run.tuning),
                             engine::parametersText(run.run.parameters, run.run.frozenParameters))});
    if (snapshot.maximum)
        facts.push_back({TrainingFacts::tr("Maximum"), maximumText(*snapshot.maximum)});
    else if (run.maximum)
        facts.push_back({TrainingFacts::tr("Maximum"), maximumWayText(*run.maximum)});
    if (!run.growth.isEmpty())
        facts.push_back({TrainingFacts::tr("Growth"), run.growth});
    if (snapshot.evaluationMicroBatchSize > 0 && !snapshot.evaluations.empty())
        facts.push_back(
            {TrainingFacts::tr("Evaluation"),
             TrainingFacts::tr("micro-batch %1").arg(numberText(snapshot.evaluationMicroBatchSize))});
    if (snapshot.overPrediction)
        facts.push_back({TrainingFacts::tr("Predicted"), predictionFact(snapshot)});
    facts.push_back({TrainingFacts::tr("Data"), run.data});
    facts.push_back({TrainingFacts::tr("Learning rate"), QLocale().toString(run.learningRate, 'g', 4)});
    if (run.weighting == trial::LossWeighting::Tokens)
        facts.push_back({TrainingFacts::tr("Loss"), TrainingFacts::tr("weighted by tokens")});
    if (run.firstStep > 0)
        facts.push_back({TrainingFacts::tr("Resumed"),
                         TrainingFacts::tr("after step %1").arg(numberText(run.firstStep))});
    if (!snapshot.checkpoint.isEmpty())
        facts.push_back({TrainingFacts::tr("Checkpoint"), QDir::toNativeSeparators(snapshot.checkpoint)});
    if (snapshot.outOfMemoryEvents > 0)
        facts.push_back({TrainingFacts::tr("Out of memory"), numberText(snapshot.outOfMemoryEvents)});
    return facts;
}

TrainingFacts::TrainingFacts(QWidget* parent) : Card(tr("This run"), parent), m_grid(new QGridLayout)
{
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(16);
    m_grid->setVerticalSpacing(4);
    m_grid->setColumnStretch(1, 1);
    body()->addLayout(m_grid);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
}

void TrainingFacts::display(const TrainingSnapshot& snapshot)
{
    const auto facts = trainingFacts(snapshot);
    while (m_rows.size() < facts.size()) {
        const auto row = static_cast<int>(m_rows.size());
        m_rows.push_back({.name = mutedLabel(QString(), this), .value = wrapped(new QLabel(this))});
        m_grid->addWidget(m_rows.back().name, row, 0, Qt::AlignTop);
        m_grid->addWidget(m_rows.back().value, row, 1);
    }
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const bool isUsed = i < facts.size();
        m_rows[i].name->setVisible(isUsed);
        m_rows[i].value->setVisible(isUsed);
        if (!isUsed)
            continue;
        setTextIfNew(m_rows[i].name, facts[i].name);
        setTextIfNew(m_rows[i].value, facts[i].value);
    }
}

} // namespace batchpeak::ui
