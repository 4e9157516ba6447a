// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recommendation_card.h"

#include "charts/chart_scene.h"
#include "confidence_gauge.h"
#include "engine/readable_text.h"
#include "figure.h"
#include "fonts.h"
#include "recommendation_chips.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include <algorithm>

namespace batchpeak::ui {

namespace {

using engine::FinishStatus;
using engine::Snapshot;
using engine::State;

constexpr int fewestLines = 2;
// As Card has them.
constexpr int sideMargin = 16;
constexpr int buttonGap = 8;

void setIfNew(QLabel* label, const QString& text)
{
    if (label->text() != text)
        label->setText(text);
}

QPushButton* buttonFor(QAction* action, const char* kind, QWidget* parent)
{
    auto* button = new QPushButton(parent);
    button->setProperty(kind, true);
    const auto follow = [button, action] {
        button->setText(action->text());
        button->setToolTip(action->toolTip());
        button->setEnabled(action->isEnabled());
    };
    follow();
    QObject::connect(action, &QAction::changed, button, follow);
    QObject::connect(button, &QPushButton::clicked, action, &QAction::trigger);
    return button;
}

} // namespace

RecommendationCard::RecommendationCard(QAction* exportAction, QAction* copyAction, QAction* confirmAction,
                                       QWidget* parent)
    : Card(tr("Recommendation"), parent),
      m_key(mutedLabel(QString(), this)),
      m_size(new QLabel(this)),
      m_gain(mutedLabel(QString(), this)),
      m_energy(mutedLabel(QString(), this)),
      m_gauge(new ConfidenceGauge(this)),
      m_figures(new QWidget(this)),
      m_rate(new Figure(tr("samples/s"), m_figures)),
      m_peak(new Figure(QString(), m_figures)),
      m_accumulation(new Figure(tr("accumulation"), m_figures)),
      m_sentence(mutedLabel(QString(), this)),
      m_chips(new RecommendationChips(this)),
      m_exportAction(exportAction),
      m_export(buttonFor(exportAction, "primary", this)),
      m_copy(buttonFor(copyAction, "secondary", this)),
      m_confirm(buttonFor(confirmAction, "secondary", this))
{
    m_key->setFont(fixedFont(font(), 0.9));
    m_size->setFont(scaled(font(), 3.4, QFont::DemiBold));
    m_energy->setToolTip(tr("Of the whole device, for forward, backward and optimizer step"));
    m_size->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_export->setFont(scaled(font(), 1.0, QFont::DemiBold));
    connect(exportAction, &QAction::changed, this, &RecommendationCard::fitExportButton);

    setHeaderWidget(m_chips);

    auto* words = new QVBoxLayout;
    words->setSpacing(0);
    words->addWidget(m_key);
    words->addWidget(m_size);
    words->addWidget(m_gain);
    words->addWidget(m_energy);
    words->addStretch(1);
    auto* top = new QHBoxLayout;
    top->addLayout(words, 1);
    top->addWidget(m_gauge, 0, Qt::AlignTop);
    body()->addLayout(top);

    auto* figures = new QHBoxLayout(m_figures);
    figures->setContentsMargins(0, 0, 0, 0);
    figures->setSpacing(20);
    for (Figure* figure : {m_rate, m_peak, m_accumulation})
        figures->addWidget(figure);
    figures->addStretch(1);
    m_accumulation->setExplanation(tr("Micro-batches in one optimizer step on one device"));
    m_rate->setExplanation(tr("Mean ± 95 % interval"));
    body()->addWidget(m_figures);

    m_sentence->setWordWrap(true);
    m_sentence->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    fitSentence();
    body()->addWidget(m_sentence, 1);

    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(buttonGap);
    buttons->addWidget(m_export);
    buttons->addWidget(m_copy);
    buttons->addWidget(m_confirm);
    buttons->addStretch(1);
    body()->addLayout(buttons);
}

void RecommendationCard::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_gauge->setTheme(theme);
    setSizeTone(m_sizeTone);
}

void RecommendationCard::setSizeTone(Tone tone)
{
    m_sizeTone = tone;
    const QString sheet = QStringLiteral("color: %1").arg(colourOf(tone, m_theme).name());
    if (m_size->styleSheet() != sheet)
        m_size->setStyleSheet(sheet);
}

void RecommendationCard::showSize(const Snapshot& snapshot)
{
    const auto& recommendation = snapshot.searchState.recommendation;
    const bool nothingFits = snapshot.finish == FinishStatus::NothingFits;
    m_gauge->setVisible(!nothingFits);
    m_figures->setVisible(!nothingFits);
    const auto& joulesPerSample = snapshot.recommendedJoulesPerSample;
    setIfNew(m_energy, joulesPerSample ? engine::energyPerSampleText(*joulesPerSample) : QString());
    m_energy->setVisible(joulesPerSample && !nothingFits);
    m_export->setVisible(!nothingFits);
    m_copy->setVisible(!nothingFits);
    m_confirm->setVisible(!nothingFits);
    m_gain->setVisible(recommendation && !nothingFits);
    const config::BatchPlan plan = snapshot.run ? snapshot.run->plan : config::BatchPlan{};
    setIfNew(m_key, nothingFits ? tr("nothing fits") : QString::fromStdString(plan.microBatchKey));
    if (nothingFits) {
        setIfNew(m_size, tr("not even 1"));
        setSizeTone(Tone::Bad);
        return;
    }
    m_gauge->setConfidence(recommendation ? std::optional(recommendation->confidence) : std::nullopt);
    if (!recommendation) {
        setIfNew(m_size, QStringLiteral("–"));
        setSizeTone(Tone::Muted);
        return;
    }
    setIfNew(m_size, engine::numberText(recommendation->size));
    setSizeTone(recommendation->confidence >= leadingBelowPercent ? Tone::Good : Tone::Plain);
    setIfNew(m_gain, tr("%1 base").arg(engine::factorText(recommendation->relativePerformance)));
    m_gain->setToolTip(tr("Compared with the first recommendation of this exploration"));
}

void RecommendationCard::showFigures(const Snapshot& snapshot, const engine::MemoryUnit& unit)
{
    const auto& recommendation = snapshot.searchState.recommendation;
    const QString none = QStringLiteral("–");
    double limit = 0.0;
    for (const auto& device : snapshot.devices) {
        if (device.limitBytes > 0 && (limit == 0.0 || static_cast<double>(device.limitBytes) < limit))
            limit = static_cast<double>(device.limitBytes);
    }
    // One unit in the caption serves both numbers, unless the limit is far above the peak.
    const bool sameUnit = limit <= 0.0 || engine::MemoryUnit::forBytes(limit) == unit;
    QString peak = none;
    if (recommendation && snapshot.recommendedPeakBytes > 0) {
        const auto bytes = static_cast<double>(snapshot.recommendedPeakBytes);
        peak = sameUnit ? engine::memoryText(bytes, unit) : engine::memoryText(bytes);
        if (limit > 0.0)
            peak = tr("%1 of %2")
                       .arg(peak, sameUnit ? engine::memoryText(limit, unit) : engine::memoryText(limit));
    }
    m_rate->setValue(recommendation
                         ? engine::rateText(recommendation->samplesPerSecond, recommendation->relativeError)
                         : none);
    m_peak->setValue(peak);
    m_peak->setCaption(sameUnit ? tr("peak memory, %1").arg(unit.name) : tr("peak memory"));
    m_accumulation->setValue(recommendation && snapshot.accumulationSteps > 0
                                 ? tr("%1 ×").arg(engine::numberText(snapshot.accumulationSteps))
                                 : none);
}

/// A splitter asks for no height that depends on the width, so that long sentences would lose their end.
void RecommendationCard::fitSentence()
{
    const int usual = fewestLines * m_sentence->fontMetrics().lineSpacing();
    const int needed = m_sentence->heightForWidth(contentsRect().width() - 2 * sideMargin);
    m_sentence->setMinimumHeight(std::max(usual, needed));
}

/// The names of some formats are longer than the card has room for beside the other buttons.
void RecommendationCard::fitExportButton()
{
    // As the style sheet has it, border included.
    constexpr int buttonPadding = 30;
    constexpr int gaps = 2 * buttonGap;
    const QString name = m_exportAction->text().remove(QLatin1Char('&'));
    const int needed = m_export->fontMetrics().horizontalAdvance(name) + buttonPadding + gaps +
                       m_copy->sizeHint().width() + m_confirm->sizeHint().width();
    const bool fits = needed <= contentsRect().width() - 2 * sideMargin;
    m_export->setText(fits ? m_exportAction->text() : m_exportAction->iconText());
}

void RecommendationCard::resizeEvent(QResizeEvent* event)
{
    Card::resizeEvent(event);
    fitSentence();
    fitExportButton();
}

void RecommendationCard::display(const Snapshot& snapshot, const engine::MemoryUnit& unit)
{
    showSize(snapshot);
    showFigures(snapshot, unit);
    m_chips->display(snapshot);
    const auto sentence = [&] {
        if (snapshot.finish == FinishStatus::NothingFits)
            return snapshot.failure;
        if (!snapshot.reason.isEmpty() && !snapshot.smallerSize.isEmpty())
            return QStringLiteral("%1 %2").arg(snapshot.reason, snapshot.smallerSize);
        if (!snapshot.reason.isEmpty())
            return snapshot.reason;
        switch (snapshot.state) {
        case State::Idle:
            return snapshot.run ? tr("Press Start to look for the fastest size.")
                                : tr("Open a config to look for its fastest micro-batch size.");
        case State::Starting:
            return tr("The worker is being started and the network loaded.");
        case State::Exploring:
        case State::Verifying:
        case State::Paused:
            return tr("The first sizes are being measured.");
        case State::Failed:
            return tr("No trial could be run.");
        case State::Finishing:
        case State::Finished:
            break;
        }
        return tr("No size was measured.");
    };
    setIfNew(m_sentence, sentence());
    fitSentence();
    setAccessibleDescription(summary());
}

QString RecommendationCard::summary() const
{
    QStringList parts{m_key->text(), m_size->text()};
    if (!m_gauge->isHidden())
        parts << m_gain->text() << m_energy->text()
              << tr("confidence %1").arg(m_gauge->accessibleDescription());
    if (!m_figures->isHidden()) {
        for (const Figure* figure : {m_rate, m_peak, m_accumulation})
            parts << figure->text();
    }
    parts << m_sentence->text() << m_chips->words();
    parts.removeAll(QString());
    return parts.join(QStringLiteral("; "));
}

} // namespace batchpeak::ui
