// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recommendation_card.h"

#include "charts/chart_scene.h"
#include "engine/log_text.h"
#include "snapshot/ending_text.h"
#include "snapshot/failure_text.h"
#include "snapshot/present_size.h"
#include "snapshot/projection.h"
#include "snapshot/recommendation_text.h"
#include "snapshot/unlike_devices.h"
#include "snapshot/writing_rule.h"
#include "text/fidelity_text.h"
#include "text/readable_text.h"
#include "widgets/buttons.h"
#include "widgets/confidence_gauge.h"
#include "widgets/labels.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>

#include <algorithm>
#include <cmath>

namespace batchpeak::ui {

namespace {

using engine::FinishStatus;
using engine::Snapshot;
using engine::State;

// Height of most reasons in the narrowest card, so that the cards below do not move.
constexpr int defaultLines = 4;
// The same as in Card.
constexpr int sideMargin = 16;
constexpr int buttonGap = 8;

QLabel* chip(QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setProperty("chip", QStringLiteral("plain"));
    label->setFont(scaled(label->font(), 0.9));
    label->hide();
    return label;
}

/// Returns an empty string if there is nothing to report on the recommended size.
QString verificationWord(const Snapshot& snapshot)
{
    using Outcome = engine::Verification::Outcome;
    const auto& recommendation = snapshot.searchState.recommendation;
    if (!snapshot.verification || !recommendation || recommendation->size != snapshot.verification->size)
        return {};
    switch (snapshot.verification->outcome) {
    case Outcome::Pending:
        return RecommendationCard::tr("verifying");
    case Outcome::Confirmed:
        return RecommendationCard::tr("verified");
    case Outcome::Slower:
        return RecommendationCard::tr("ran slower");
    case Outcome::NotRun:
        return RecommendationCard::tr("not verified");
    case Outcome::Failed:
        break;
    }
    return {};
}

/// Returns the first device that other programs disturb; empty if there is none.
QString busyDevice(const Snapshot& snapshot)
{
    for (const engine::DeviceSnapshot& device : snapshot.devices) {
        if (device.contention.isBusy())
            return device.id;
    }
    return {};
}

bool isWarning(const std::optional<engine::Verification>& verification)
{
    return verification && (verification->outcome == engine::Verification::Outcome::Slower ||
                            verification->outcome == engine::Verification::Outcome::NotRun);
}

/// Returns the reasons of a recommendation, and how the exploration ended.
QString reasonAndEnd(const Snapshot& snapshot)
{
    QStringList sentences{snapshot.reason, snapshot.smallerSize, engine::unusedMemoryText(snapshot),
                          engine::projectionText(snapshot)};
    // The confidence already shows that the target was reached.
    if (snapshot.finish != FinishStatus::Confident)
        sentences << snapshot.ending;
    sentences.removeAll(QString());
    return sentences.join(QLatin1Char(' '));
}

void word(QLabel* label, const QString& text, const QString& toolTip)
{
    setTextIfNew(label, text);
    label->setToolTip(toolTip);
    label->setVisible(!text.isEmpty());
}

} // namespace

/// Words on the recommended size, each with its numbers as its tool tip: what limits its speed; whether its
/// times are less certain since a device is busy; how close they are to the config's run if they are not of
/// that run; and the state of its verification in a fresh process.
class RecommendationCard::Chips : public QWidget
{
public:
    explicit Chips(QWidget* parent);

    void display(const Snapshot& snapshot);
    QStringList words() const
    {
        return {m_limit->text(), m_busy->text(), m_verification->text(), m_fidelity->toolTip()};
    }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit();

    QLabel* m_limit;
    QLabel* m_busy;
    QLabel* m_fidelity;
    QLabel* m_verification;
};

RecommendationCard::Chips::Chips(QWidget* parent)
    : QWidget(parent),
      m_limit(chip(this)),
      m_busy(chip(this)),
      m_fidelity(chip(this)),
      m_verification(chip(this))
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addStretch(1);
    for (QLabel* warning : {m_busy, m_fidelity})
        warning->setProperty("chip", QStringLiteral("warn"));
    layout->addWidget(m_limit);
    layout->addWidget(m_busy);
    layout->addWidget(m_fidelity);
    layout->addWidget(m_verification);
    // The height of a chip, also while there is none.
    setMinimumHeight(m_limit->sizeHint().height());
}

void RecommendationCard::Chips::display(const Snapshot& snapshot)
{
    const bool hasSize = snapshot.recommendsSize();
    const search::SpeedLimit& limit = snapshot.searchState.speedLimit;
    word(m_limit, hasSize ? engine::speedLimitWord(limit, snapshot.isOnCpu()) : QString(),
         RecommendationCard::tr("%1\nProbability: %2 %")
             .arg(snapshot.speedLimit)
             .arg(std::clamp(std::lround(100.0 * limit.probability), 1L, 99L)));
    const QString besideOthers = engine::besideOthersText(snapshot);
    const QString busy = busyDevice(snapshot);
    if (!besideOthers.isEmpty())
        word(m_busy, RecommendationCard::tr("shared device"), besideOthers);
    else
        word(m_busy, busy.isEmpty() ? QString() : RecommendationCard::tr("busy"),
             busy.isEmpty() ? QString() : engine::noMoreRepetitionsText(busy));
    const config::Fidelity fidelity = snapshot.run ? snapshot.run->fidelity : config::Fidelity();
    const bool isOther = hasSize && fidelity.hasCaveat();
    word(m_fidelity, isOther ? engine::fidelityName(fidelity) : QString(),
         isOther ? engine::fidelitySentence(fidelity) : QString());
    // While the exploration is under way, the size may still be verified.
    const QString unverified = hasSize && snapshot.finish ? engine::unverifiedText(snapshot) : QString();
    if (!unverified.isEmpty())
        word(m_verification, RecommendationCard::tr("not verified"), unverified);
    else
        word(m_verification, hasSize ? verificationWord(snapshot) : QString(),
             snapshot.verification ? engine::verificationText(*snapshot.verification) : QString());
    const bool warns = !unverified.isEmpty() || isWarning(snapshot.verification);
    const QString kind = warns ? QStringLiteral("warn") : QStringLiteral("plain");
    if (m_verification->property("chip").toString() != kind) {
        m_verification->setProperty("chip", kind);
        style()->unpolish(m_verification);
        style()->polish(m_verification);
        m_verification->updateGeometry();
    }
    fit();
}

/// Hides the fidelity label if not all chips fit: the tool bar has that label too, and the mark before the
/// speed refers to it.
void RecommendationCard::Chips::fit()
{
    int needed = 0;
    for (const QLabel* label : {m_limit, m_busy, m_fidelity, m_verification}) {
        if (!label->text().isEmpty())
            needed += label->sizeHint().width() + layout()->spacing();
    }
    m_fidelity->setVisible(!m_fidelity->text().isEmpty() && needed <= width() + layout()->spacing());
}

void RecommendationCard::Chips::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fit();
}

RecommendationCard::RecommendationCard(QAction* exportAction, QAction* copyAction, QAction* confirmAction,
                                       QAction* continueAction, QWidget* parent)
    : Card(tr("Recommendation"), parent),
      m_key(mutedLabel(QString(), this)),
      m_size(new QLabel(this)),
      m_gain(mutedLabel(QString(), this)),
      m_loss(mutedLabel(QString(), this)),
      m_energy(mutedLabel(QString(), this)),
      m_gauge(new ConfidenceGauge(this)),
      m_metrics(new QWidget(this)),
      m_rate(new Metric(tr("samples/s"), m_metrics)),
      m_peak(new Metric(QString(), m_metrics)),
      m_accumulation(new Metric(tr("accumulation"), m_metrics)),
      m_before(wrapped(new QLabel(this))),
      m_sentence(mutedLabel(QString(), this)),
      m_chips(new Chips(this)),
      m_exportAction(exportAction),
      m_export(actionButton(exportAction, "primary", this)),
      m_copy(actionButton(copyAction, "secondary", this)),
      m_confirm(actionButton(confirmAction, "secondary", this)),
      m_continue(actionButton(continueAction, "secondary", this))
{
    m_key->setFont(fixedFont(font(), 0.9));
    m_size->setFont(scaled(font(), 3.4, QFont::DemiBold));
    m_loss->setToolTip(tr("Expected gain of the best size that fits over this one"));
    m_energy->setToolTip(tr("Of the whole device, for forward, backward and optimizer step"));
    m_size->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_export->setFont(scaled(font(), 1.0, QFont::DemiBold));
    connect(exportAction, &QAction::changed, this, &RecommendationCard::fitExportButton);
    connect(exportAction, &QAction::changed, this, &RecommendationCard::signExportButton);
    // The button appears at the end, when the user may be about to press another one.
    QSizePolicy continuePolicy = m_continue->sizePolicy();
    continuePolicy.setRetainSizeWhenHidden(true);
    m_continue->setSizePolicy(continuePolicy);

    setHeaderWidget(m_chips);

    auto* words = new QVBoxLayout;
    words->setSpacing(0);
    words->addWidget(m_key);
    words->addWidget(m_size);
    words->addWidget(m_gain);
    words->addWidget(m_loss);
    words->addWidget(m_energy);
    words->addStretch(1);
    auto* top = new QHBoxLayout;
    top->addLayout(words, 1);
    top->addWidget(m_gauge, 0, Qt::AlignTop);
    body()->addLayout(top);

    auto* metrics = new QHBoxLayout(m_metrics);
    metrics->setContentsMargins(0, 0, 0, 0);
    metrics->setSpacing(20);
    for (Metric* metric : {m_rate, m_peak, m_accumulation})
        metrics->addWidget(metric);
    metrics->addStretch(1);
    m_accumulation->setExplanation(tr("Micro-batches in one optimizer step on one device"));
    body()->addWidget(m_metrics);
    m_before->setTextFormat(Qt::PlainText);
    m_before->hide();
    body()->addWidget(m_before);

    m_sentence->setWordWrap(true);
    m_sentence->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    fitSentence();
    body()->addWidget(m_sentence, 1);

    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(buttonGap);
    buttons->addWidget(m_export);
    buttons->addWidget(m_copy);
    buttons->addWidget(m_confirm);
    buttons->addWidget(m_continue);
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
    const QString sheet = QStringLiteral("color: %1").arg(colorOf(tone, m_theme).name());
    if (m_size->styleSheet() != sheet)
        m_size->setStyleSheet(sheet);
}

void RecommendationCard::setBefore(const QString& sentence)
{
    setTextIfNew(m_before, sentence);
    m_before->setVisible(!sentence.isEmpty());
}

void RecommendationCard::showSize(const Snapshot& snapshot)
{
    const auto& recommendation = snapshot.searchState.recommendation;
    const bool nothingFits = snapshot.finish == FinishStatus::NothingFits;
    m_gauge->setVisible(!nothingFits);
    m_metrics->setVisible(!nothingFits);
    const auto& joulesPerSample = snapshot.recommendedJoulesPerSample;
    setTextIfNew(m_energy, joulesPerSample ? engine::energyPerSampleText(*joulesPerSample) : QString());
    m_energy->setVisible(joulesPerSample && !nothingFits);
    m_export->setVisible(!nothingFits);
    m_copy->setVisible(!nothingFits);
    m_confirm->setVisible(!nothingFits);
    m_gain->setVisible(recommendation && !nothingFits);
    const std::string key =
        snapshot.run ? snapshot.run->plan.microBatchKey : config::BatchPlan().microBatchKey;
    setTextIfNew(m_key, nothingFits ? tr("nothing fits") : QString::fromStdString(key));
    if (nothingFits) {
        setTextIfNew(m_size, tr("none"));
        setSizeTone(Tone::Bad);
        return;
    }
    m_gauge->setConfidence(recommendation ? std::optional(recommendation->confidence) : std::nullopt);
    if (!recommendation) {
        setTextIfNew(m_size, QStringLiteral("–"));
        setSizeTone(Tone::Muted);
        return;
    }
    setTextIfNew(m_size, engine::numberText(recommendation->size));
    setSizeTone(snapshot.isRecommendationSure() ? Tone::Good : Tone::Plain);
    const QString base = engine::factorText(recommendation->relativePerformance);
    const QString overPresent = engine::presentSizeText(snapshot);
    setTextIfNew(m_gain, overPresent.isEmpty() ? tr("%1 base").arg(base) : overPresent);
    m_gain->setToolTip(overPresent.isEmpty()
                           ? tr("Compared with the first recommendation of this exploration")
                           : tr("%1 the first recommendation of this exploration").arg(base));
}

void RecommendationCard::showLoss(const Snapshot& snapshot)
{
    const auto& recommendation = snapshot.searchState.recommendation;
    const QString loss =
        snapshot.recommendsSize() ? engine::expectedLossText(recommendation->expectedLoss) : QString();
    setTextIfNew(m_loss, loss.isEmpty() ? QString() : tr("expected loss %1").arg(loss));
    m_loss->setVisible(!loss.isEmpty());
}

void RecommendationCard::showMetrics(const Snapshot& snapshot, const engine::MemoryUnit& unit)
{
    const auto& recommendation = snapshot.searchState.recommendation;
    const QString none = QStringLiteral("–");
    const auto limit = static_cast<double>(snapshot.minLimitBytes());
    // The unit in the caption applies to both numbers, unless the limit is far above the peak.
    const bool sameUnit = limit <= 0.0 || engine::MemoryUnit::forBytes(limit) == unit;
    QString peak = none;
    if (recommendation && snapshot.recommendedPeakBytes > 0) {
        const auto bytes = static_cast<double>(snapshot.recommendedPeakBytes);
        peak = engine::memoryMark(snapshot.run->fidelity) +
               (sameUnit ? engine::memoryText(bytes, unit) : engine::memoryText(bytes));
        if (limit > 0.0)
            peak = tr("%1 of %2")
                       .arg(peak, sameUnit ? engine::memoryText(limit, unit) : engine::memoryText(limit));
    }
    m_rate->setValue(
        recommendation ? engine::speedMark(snapshot.run->fidelity) +
                             engine::rateText(recommendation->samplesPerSecond, recommendation->relativeError)
                       : none);
    const QString label =
        engine::fidelitySentence(snapshot.run ? snapshot.run->fidelity : config::Fidelity());
    m_rate->setExplanation(tr("Mean ± 95 % interval") + QLatin1Char('\n') + label);
    m_peak->setValue(peak);
    m_peak->setExplanation(label);
    m_peak->setCaption(sameUnit ? tr("peak memory, %1").arg(unit.name) : tr("peak memory"));
    m_accumulation->setVisible(!snapshot.run || snapshot.run->phase == model::Phase::Train);
    m_accumulation->setValue(recommendation && snapshot.accumulationSteps > 0
                                 ? tr("%1 ×").arg(engine::numberText(snapshot.accumulationSteps))
                                 : none);
}

/// A splitter ignores height for width, so that long sentences would be cut off. The height never shrinks for
/// the next sentence, so that the table below does not move under the mouse.
void RecommendationCard::fitSentence()
{
    const int width = contentsRect().width() - 2 * sideMargin;
    if (width != m_sentenceWidth || !m_keepsHeight) {
        m_sentenceWidth = width;
        m_sentenceHeight = (m_awaitsReasons ? defaultLines : 1) * m_sentence->fontMetrics().lineSpacing();
    }
    m_sentenceHeight = std::max(m_sentenceHeight, m_sentence->heightForWidth(width));
    m_sentence->setMinimumHeight(m_sentenceHeight);
}

/// Some format names do not fit on the card beside the other buttons.
void RecommendationCard::fitExportButton()
{
    // The same as in the style sheet, including the border.
    constexpr int buttonPadding = 30;
    const QString name = m_exportAction->text().remove(QLatin1Char('&'));
    int needed = m_export->fontMetrics().horizontalAdvance(name) + buttonPadding;
    for (const QPushButton* button : {m_copy, m_confirm, m_continue})
        needed += buttonGap + button->sizeHint().width();
    const bool fits = needed <= contentsRect().width() - 2 * sideMargin;
    m_export->setText(fits ? m_exportAction->text() : m_exportAction->iconText());
}

/// Makes the button less prominent if the size should not be written yet.
void RecommendationCard::signExportButton()
{
    const bool isSure = m_exportAction->data().toString().isEmpty();
    if (m_export->property("primary").toBool() == isSure)
        return;
    m_export->setProperty("primary", isSure);
    m_export->setProperty("secondary", !isSure);
    style()->unpolish(m_export);
    style()->polish(m_export);
}

void RecommendationCard::resizeEvent(QResizeEvent* event)
{
    Card::resizeEvent(event);
    fitSentence();
    fitExportButton();
}

void RecommendationCard::display(const Snapshot& snapshot, const engine::MemoryUnit& unit)
{
    const bool evaluates = snapshot.run && snapshot.run->phase == model::Phase::Eval;
    setTitle(evaluates ? tr("For evaluation") : tr("Recommendation"));
    showSize(snapshot);
    showLoss(snapshot);
    m_continue->setVisible(snapshot.canContinue);
    fitExportButton();
    showMetrics(snapshot, unit);
    m_chips->display(snapshot);
    const auto sentence = [&] {
        if (snapshot.finish == FinishStatus::NothingFits)
            return snapshot.failure;
        if (!snapshot.reason.isEmpty())
            return reasonAndEnd(snapshot);
        switch (snapshot.state) {
        case State::Idle:
            return snapshot.run ? tr("Press Start to look for the fastest size.")
                                : tr("Open a config to look for its fastest micro-batch size.");
        case State::Starting:
            if (const QStringList awaited = engine::awaitedPlaces(snapshot); !awaited.isEmpty())
                return awaited.join(QStringLiteral(", ")) + QLatin1Char('.');
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
    setTextIfNew(m_sentence, sentence());
    m_keepsHeight = snapshot.isUnderWay();
    // The banner with the failure needs the room of the reasons, which will not follow.
    m_awaitsReasons = snapshot.state != State::Failed;
    fitSentence();
    setAccessibleDescription(summary());
}

QString RecommendationCard::summary() const
{
    QStringList parts{m_key->text(), m_size->text()};
    if (!m_gauge->isHidden())
        parts << m_gain->text() << m_energy->text()
              << tr("confidence %1").arg(m_gauge->accessibleDescription()) << m_loss->text();
    if (!m_metrics->isHidden()) {
        for (const Metric* metric : {m_rate, m_peak, m_accumulation}) {
            if (!metric->isHidden())
                parts << metric->text();
        }
    }
    parts << m_before->text() << m_sentence->text() << m_chips->words();
    parts.removeAll(QString());
    return parts.join(QStringLiteral("; "));
}

} // namespace batchpeak::ui
