// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "files/config_file.h"
#include "snapshot/snapshot.h"
#include "theme/theme.h"
#include "widgets/message_banner.h"

#include <QWidget>

class QMenu;
class QScrollArea;
class QSplitter;
class QStackedWidget;

namespace batchpeak::ui {

class BatchView;
class Card;
class ExplorationCharts;
class DeviceStrips;
class EmptyView;
class LogView;
class MemoryChart;
class PlanView;
class RecommendationCard;
class ToolBar;
class StatusBar;
class ThroughputCard;
class SteeringPanel;
class TabCard;
class ThinkingView;
class TrialsView;
class UnmeasurableView;
class WindowActions;
struct UnmeasurableFile;

/// The whole content of the window: it draws a Snapshot, and does not know where the Snapshot comes from.
class ExplorationView : public QWidget
{
    Q_OBJECT

public:
    ExplorationView(WindowActions* actions, QMenu* recent, QMenu* menu, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    void display(const engine::Snapshot& snapshot);
    void setLogarithmic(bool logarithmic);
    /// Shows whether a file that can be opened is being dragged over the window.
    void setInviting(bool inviting);
    void setRecentFiles(const QStringList& files);

    /// Returns the plan page of the current config, which is created on the first call.
    PlanView* plan();
    /// Shows the plan page in place of an exploration, or hides it.
    void showPlan(bool isShown);

    /// Returns the panel with the user's requests to a running exploration.
    SteeringPanel* steering() const { return m_steering; }
    /// Sets the config of the exploration that is shown, for the lines that change in it.
    void setConfig(const engine::ConfigFile& file);

    /// Sets whether the state of the earlier run's search has yet to be recomputed from the history.
    void setAwaitsSearch(bool awaitsSearch);
    /// Sets a sentence about the result of the phase that was explored before; empty if there is none.
    void setBefore(const QString& sentence);

    /// Shows a file with which no trial is possible, in place of everything else.
    void showUnmeasurable(const UnmeasurableFile& file);
    void hideUnmeasurable();
    /// Reports that a run other than the current one is shown, and offers the way back. The banner has the
    /// same height for long sentences, which are elided with "…", as for short ones.
    /// \param sentence  empty if the current run is shown
    /// \param details   lines in the fixed font, such as the command of an earlier run
    void setLookingBack(const QString& sentence, const QString& details = {},
                        MessageBanner::Kind kind = MessageBanner::Kind::Past);
    /// Reports the options that are in effect because they were remembered from an earlier launch, and offers
    /// to forget them.
    /// \param sentence  empty for nothing
    void setRemembered(const QString& sentence);

    MessageBanner* banner() const { return m_banner; }
    QList<QSplitter*> splitters() const;
    /// Returns the part of the window that contains both charts with their cards.
    QWidget& charts() const;
    TrialsView& trials() const;
    void resetLayout();

signals:
    void openRequested();
    /// The user has selected a size in the table or in a chart, or cleared the selection.
    void sizeSelected();
    /// The user chose a file from the lists of the empty page.
    void fileChosen(const QString& path);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeCharts();
    QWidget* makeSide(WindowActions* actions);
    void choosePage();
    void placeTrials();
    void fitLookingBack();
    void orderTabs();

    WindowActions* m_actions;
    ToolBar* m_toolBar;
    MessageBanner* m_banner;
    MessageBanner* m_lookingBack;
    QString m_lookingBackText;
    QString m_lookingBackDetails;
    MessageBanner::Kind m_lookingBackKind = MessageBanner::Kind::Past;
    MessageBanner* m_remembered;
    /// Text of m_remembered when the user closed it: the same text is not shown again.
    QString m_closedText;
    QSplitter* m_columns;
    QScrollArea* m_columnsPage;
    QSplitter* m_charts;
    QSplitter* m_side;
    /// The empty page, the exploration, and, once plan() was called, the plan.
    QStackedWidget* m_pages;
    EmptyView* m_empty;
    ThroughputCard* m_throughputCard;
    PlanView* m_plan = nullptr;
    QScrollArea* m_planPage = nullptr;
    UnmeasurableView* m_unmeasurable = nullptr;
    QScrollArea* m_unmeasurablePage = nullptr;
    bool m_showsUnmeasurable = false;
    bool m_showsPlan = false;
    bool m_hasRun = false;
    Theme m_theme;
    MemoryChart* m_memory;
    Card* m_memoryCard;
    ExplorationCharts* m_pair;
    RecommendationCard* m_recommendation;
    TrialsView* m_trials;
    TabCard* m_insight;
    ThinkingView* m_thinking;
    SteeringPanel* m_steering;
    QWidget* m_steeringPage;
    DeviceStrips* m_deviceStrips;
    BatchView* m_batch;
    LogView* m_log;
    StatusBar* m_status;
};

} // namespace batchpeak::ui
