// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_metrics.h"

#include "text/fidelity_text.h"
#include "text/readable_text.h"
#include "training_text.h"
#include "widgets/labels.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStyle>

#include <algorithm>
#include <cmath>

namespace batchpeak::ui {

namespace {

using engine::durationText;
using engine::lossText;
using engine::memoryText;
using engine::MemoryUnit;
using engine::numberText;
using engine::rateText;

const QString& none()
{
    static const QString text = QStringLiteral("–");
    return text;
}

} // namespace

TrainingMetrics::TrainingMetrics(QWidget* parent)
    : QFrame(parent),
      m_step(new Metric(tr("step"), this)),
      m_left(new Metric(tr("left"), this)),
      m_loss(new Metric(tr("loss"), this)),
      m_samples(new Metric(tr("samples/s"), this)),
      m_tokens(new Metric(tr("tokens/s"), this)),
      m_split(new Metric(tr("micro-batch × accumulation"), this)),
      m_memory(new Metric(tr("peak memory"), this)),
      m_sentence(wrapped(mutedLabel(QString(), this)))
{
    setProperty("card", true);
    setAccessibleName(tr("Progress of the training"));
    m_loss->setExplanation(tr("Mean of the last batch, before its optimizer step"));
    m_split->setExplanation(tr("Samples at most in a micro-batch, and micro-batches in one optimizer step"));
    m_memory->setExplanation(tr("Reserved at most in the last step, of what the device allows"));
    auto* row = new QHBoxLayout;
    row->setSpacing(24);
    for (Metric* metric : metrics())
        row->addWidget(metric, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 10, 16, 10);
    layout->setSpacing(6);
    layout->addLayout(row);
    layout->addWidget(m_sentence);
    display({});
}

QList<Metric*> TrainingMetrics::metrics() const
{
    return {m_step, m_left, m_loss, m_samples, m_tokens, m_split, m_memory};
}

void TrainingMetrics::showStep(const training::StepRecord& step, const config::Fidelity& fidelity)
{
    m_loss->setValue(std::isfinite(step.loss) ? lossText(step.loss) : tr("NaN"));
    const QString mark = engine::speedMark(fidelity);
    m_samples->setValue(mark + rateText(step.samplesPerSecond));
    m_tokens->setValue(step.tokensPerSecond > 0.0 ? mark + rateText(step.tokensPerSecond) : none());
    for (Metric* metric : {m_samples, m_tokens})
        metric->setExplanation(tr("Of the last step") + QLatin1Char('\n') +
                               engine::fidelitySentence(fidelity));
    m_split->setValue(
        QStringLiteral("%1 × %2").arg(numberText(step.microBatchSize), numberText(step.accumulationSteps)));
}

void TrainingMetrics::showMemory(const training::TrainingSnapshot& snapshot)
{
    const auto peak =
        snapshot.steps.empty() ? 0.0 : static_cast<double>(snapshot.steps.back().peakReservedBytes);
    const auto limit = static_cast<double>(snapshot.device.limitBytes);
    if (peak <= 0.0) {
        m_memory->setCaption(tr("peak memory"));
        m_memory->setValue(none());
        return;
    }
    const MemoryUnit unit = MemoryUnit::forBytes(std::max(peak, limit));
    m_memory->setCaption(tr("peak memory, %1").arg(unit.name));
    const config::Fidelity fidelity = snapshot.run ? snapshot.run->run.fidelity : config::Fidelity();
    const QString text = engine::memoryMark(fidelity) + memoryText(peak, unit);
    m_memory->setValue(limit > 0.0 ? tr("%1 of %2").arg(text, memoryText(limit, unit)) : text);
}

void TrainingMetrics::display(const training::TrainingSnapshot& snapshot, const QString& obstacle)
{
    const bool hasStep = !snapshot.steps.empty();
    const std::int64_t planned = snapshot.run ? snapshot.run->steps : 0;
    const std::int64_t step = hasStep ? snapshot.steps.back().step : 0;
    m_step->setValue(planned > 0 ? tr("%1 of %2").arg(numberText(step), numberText(planned))
                                 : numberText(step));
    m_left->setValue(snapshot.secondsLeft ? tr("about %1").arg(durationText(*snapshot.secondsLeft)) : none());
    if (hasStep) {
        showStep(snapshot.steps.back(), snapshot.run ? snapshot.run->run.fidelity : config::Fidelity());
    } else {
        for (Metric* metric : {m_loss, m_samples, m_tokens, m_split})
            metric->setValue(none());
    }
    showMemory(snapshot);
    const QString sentence = trainingSentence(snapshot, obstacle);
    setTextIfNew(m_sentence, sentence);
    const bool hasDiverged = snapshot.isUnderWay() && hasStep && !std::isfinite(snapshot.steps.back().loss);
    setWarns(hasDiverged || (!snapshot.isUnderWay() && !obstacle.isEmpty()));
    m_sentence->setVisible(!sentence.isEmpty());
    setAccessibleDescription(summary());
}

void TrainingMetrics::setWarns(bool warns)
{
    if (m_sentence->property("warn").toBool() == warns)
        return;
    m_sentence->setProperty("warn", warns);
    m_sentence->setProperty("muted", !warns);
    // Qt polishes a widget once, and not after a change of a property that the style sheet uses.
    m_sentence->style()->unpolish(m_sentence);
    m_sentence->style()->polish(m_sentence);
}

QString TrainingMetrics::summary() const
{
    QStringList parts;
    for (const Metric* metric : metrics())
        parts << metric->text();
    parts << m_sentence->text();
    return parts.join(QStringLiteral("; "));
}

} // namespace batchpeak::ui
