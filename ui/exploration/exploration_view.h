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
    void setRecentFiles(const QStringList& files);

    /// The plan of the config in hand, made when it is first asked for.
    PlanView* plan();
    /// Shows the plan in the place of an exploration, or no more.
    void showPlan(bool isShown);

    /// What a person asks of an exploration that runs.
    SteeringPanel* steering() const { return m_steering; }
    /// Of the exploration that is shown, for what changes in it.
    void setConfig(const engine::ConfigFile& file);

    /// What the search of the earlier run knew is still to be made out of the history.
    void setAwaitsSearch(bool awaitsSearch);
    /// What came of the phase that was explored before, as a sentence; else empty.
    void setBefore(const QString& sentence);

    /// Shows a file with which nothing can be tried, in the place of all else.
    void showUnmeasurable(const UnmeasurableFile& file);
    void hideUnmeasurable();
    /// Says that what is shown is not the run in hand, and offers the way back. It is as high with a long
    /// sentence, which ends in "…" then, as with a short one.
    /// \param sentence  empty when it is
    /// \param details   lines in the fixed font, as the command of an earlier run
    void setLookingBack(const QString& sentence, const QString& details = {},
                        MessageBanner::Kind kind = MessageBanner::Kind::Past);
    /// Says what is asked for since it was asked for on another day, and offers to forget it.
    /// \param sentence  empty for nothing
    void setRemembered(const QString& sentence);

    MessageBanner* banner() const { return m_banner; }
    QList<QSplitter*> splitters() const;
    /// The part of the window that holds both charts with their cards.
    QWidget& charts() const;
    TrialsView& trials() const;
    void resetLayout();

signals:
    void openRequested();
    /// A person has selected a size in the table or in a chart, or none any more.
    void sizeSelected();
    /// Of a file that the empty page lists.
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
    /// What it said when a person closed it: the same stays away.
    QString m_closedText;
    QSplitter* m_columns;
    QScrollArea* m_columnsPage;
    QSplitter* m_charts;
    QSplitter* m_side;
    /// The empty page, the exploration, and, once it was asked for, the plan.
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
