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

/// What the program would use now, how sure it is and what believing it may cost, why, and what comes next;
/// at the end, what going on could gain; or that nothing fits. While an exploration is under way the card
/// gets taller where a sentence needs it, and never smaller; its buttons stay where they are.
class RecommendationCard : public Card
{
    Q_OBJECT

public:
    /// The buttons do what the actions do, and are enabled as they are.
    RecommendationCard(QAction* exportAction, QAction* copyAction, QAction* confirmAction,
                       QAction* continueAction, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    void display(const engine::Snapshot& snapshot, const engine::MemoryUnit& unit);
    /// What came of the phase that was explored before, as a sentence; else empty.
    void setBefore(const QString& sentence);

    /// All that the card says, in one text.
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
    /// What believing the recommendation may cost, where the search reckons it.
    QLabel* m_loss;
    /// Energy of a sample, shown only where the device measures it.
    QLabel* m_energy;
    ConfidenceGauge* m_gauge;
    QWidget* m_metrics;
    Metric* m_rate;
    Metric* m_peak;
    Metric* m_accumulation;
    /// Of the phase before; hidden where there is none.
    QLabel* m_before;
    QLabel* m_sentence;
    /// The width [pixels] that the sentence was last fitted to, and the height that it is given.
    int m_sentenceWidth = 0;
    int m_sentenceHeight = 0;
    /// An exploration is under way.
    bool m_keepsHeight = false;
    /// The text may be some lines long later.
    bool m_awaitsReasons = true;
    class Chips;
    Chips* m_chips;
    QAction* m_exportAction;
    QPushButton* m_export;
    QPushButton* m_copy;
    QPushButton* m_confirm;
    /// Shown while the exploration can go on.
    QPushButton* m_continue;
};

} // namespace batchpeak::ui
