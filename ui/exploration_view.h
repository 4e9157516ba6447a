// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/snapshot.h"
#include "theme/theme.h"

#include <QWidget>

class QMenu;
class QSplitter;
class QStackedWidget;

namespace batchpeak::ui {

class Card;
class ExplorationCharts;
class EmptyView;
class LogView;
class MemoryChart;
class MessageBanner;
class RecommendationCard;
class ToolBar;
class StatusBar;
class ThroughputCard;
class TrialsView;
class WindowActions;

/// All of the window's inside, laid out and fed: it draws a Snapshot, and does not know where that
/// comes from.
class ExplorationView : public QWidget
{
    Q_OBJECT

public:
    ExplorationView(WindowActions* actions, QMenu* recent, QMenu* menu, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    void display(const engine::Snapshot& snapshot);
    void setLogarithmic(bool logarithmic);
    /// A file that can be opened hangs over the window.
    void setInviting(bool inviting);

    MessageBanner* banner() const { return m_banner; }
    QList<QSplitter*> splitters() const;
    /// The part of the window that holds both charts with their cards.
    QWidget& charts() const;
    TrialsView& trials() const;
    void resetLayout();

signals:
    void openRequested();

private:
    QWidget* makeCharts();
    QWidget* makeSide(WindowActions* actions);

    WindowActions* m_actions;
    ToolBar* m_toolBar;
    MessageBanner* m_banner;
    QSplitter* m_columns;
    QSplitter* m_charts;
    QSplitter* m_side;
    QStackedWidget* m_stack;
    EmptyView* m_empty;
    ThroughputCard* m_throughputCard;
    MemoryChart* m_memory;
    Card* m_memoryCard;
    ExplorationCharts* m_pair;
    RecommendationCard* m_recommendation;
    TrialsView* m_trials;
    LogView* m_log;
    StatusBar* m_status;
};

} // namespace batchpeak::ui
