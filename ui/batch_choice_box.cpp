// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch_choice_box.h"

#include "engine/readable_text.h"

#include <QButtonGroup>
#include <QLabel>
#include <QRadioButton>
#include <QVBoxLayout>

namespace batchpeak::ui {

namespace {

using engine::numberText;

/// "60 samples in 5 accumulation steps of 12"
QString batchText(config::BatchPlan plan, std::int64_t microBatchSize, std::int64_t batch)
{
    plan.globalBatchSize = batch;
    const std::int64_t steps = plan.accumulationSteps(microBatchSize);
    const QString size = numberText(microBatchSize);
    const QString parts =
        steps == 1 ? BatchChoiceBox::tr("1 accumulation step of %1").arg(size)
                   : BatchChoiceBox::tr("%1 accumulation steps of %2").arg(numberText(steps), size);
    const QString samples = plan.knowsDevices ? BatchChoiceBox::tr("%1 samples in %2")
                                              : BatchChoiceBox::tr("%1 samples on each device in %2");
    const QString text = samples.arg(numberText(batch), parts);
    return plan.devices > 1 ? BatchChoiceBox::tr("%1 on %2 devices").arg(text, numberText(plan.devices))
                            : text;
}

} // namespace

BatchChoiceBox::BatchChoiceBox(const config::BatchPlan& plan, std::int64_t microBatchSize,
                               const config::BatchNotKept& choice, QWidget* parent)
    : QWidget(parent), m_buttons(new QButtonGroup(this)), m_layout(new QVBoxLayout(this))
{
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(4);
    auto* question = new QLabel(
        tr("The batch of one optimizer step is %1. Change it to:").arg(numberText(plan.globalBatchSize)),
        this);
    m_layout->addWidget(question);
    setAccessibleName(question->text());
    if (const auto below = choice.below())
        offer(tr("&Fewer: %1").arg(batchText(plan, microBatchSize, *below)), *below);
    offer(tr("&More: %1").arg(batchText(plan, microBatchSize, choice.above())), choice.above());
    connect(m_buttons, &QButtonGroup::idToggled, this, [this](int, bool isChosen) {
        if (isChosen)
            emit changed();
    });
}

void BatchChoiceBox::offer(const QString& text, std::int64_t batch)
{
    auto* button = new QRadioButton(text, this);
    m_buttons->addButton(button, static_cast<int>(m_batches.size()));
    m_batches.push_back(batch);
    m_layout->addWidget(button);
}

std::optional<std::int64_t> BatchChoiceBox::chosen() const
{
    const int place = m_buttons->checkedId();
    return place < 0 ? std::nullopt : std::optional(m_batches.at(static_cast<std::size_t>(place)));
}

} // namespace batchpeak::ui
