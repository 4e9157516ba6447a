// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"
#include "text/readable_text.h"
#include "theme/theme.h"
#include "widgets/card.h"

class QAction;
class QLabel;
class QPushButton;

namespace batchpeak::ui {

class ConfidenceGauge;
class Metric;

/// The current recommendation, its confidence, what relying on it may cost, its reasons, and what comes next;
/// at the end also what continuing could gain; or that nothing fits. While an exploration is under way the
/// card becomes taller if a sentence needs it, and never smaller; its buttons keep their positions.
class RecommendationCard : public Card
{
    Q_OBJECT

public:
    /// The buttons trigger the actions, and are enabled together with them.
    RecommendationCard(QAction* exportAction, QAction* copyAction, QAction* confirmAction,
                       QAction* continueAction, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    void display(const engine::Snapshot& snapshot, const engine::MemoryUnit& unit);
    /// Sets a sentence about the result of the phase that was explored before; empty if there is none.
    void setBefore(const QString& sentence);

    /// Returns the whole text of the card.
    QString summary() const;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void showSize(const engine::Snapshot& snapshot);
    void showLoss(const engine::Snapshot& snapshot);
    void showMetrics(const engine::Snapshot& snapshot, const engine::MemoryUnit& unit);
    void fitSentence();
    void fitExportButton();
    void signExportButton();
    void setSizeTone(Tone tone);

    Theme m_theme = Theme::light();
    Tone m_sizeTone = Tone::Muted;
    QLabel* m_key;
    QLabel* m_size;
    QLabel* m_gain;
    /// What relying on the recommendation may cost, if the search estimates it.
    QLabel* m_loss;
    /// Energy per sample, shown only if the device measures it.
    QLabel* m_energy;
    ConfidenceGauge* m_gauge;
    QWidget* m_metrics;
    Metric* m_rate;
    Metric* m_peak;
    Metric* m_accumulation;
    /// Result of the phase before; hidden if there is none.
    QLabel* m_before;
    QLabel* m_sentence;
    /// Width [pixels] that the sentence was last fitted to, and the height [pixels] that it got.
    int m_sentenceWidth = 0;
    int m_sentenceHeight = 0;
    /// Whether an exploration is under way.
    bool m_keepsHeight = false;
    /// Whether the text may become several lines long later.
    bool m_awaitsReasons = true;
    class Chips;
    Chips* m_chips;
    QAction* m_exportAction;
    QPushButton* m_export;
    QPushButton* m_copy;
    QPushButton* m_confirm;
    /// Visible while the exploration can be continued.
    QPushButton* m_continue;
};

} // namespace batchpeak::ui
