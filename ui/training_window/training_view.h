// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"
#include "training/training_snapshot.h"

#include <QList>
#include <QObject>
#include <QString>
#include <QWidget>

class QAction;
class QSplitter;
class QStackedWidget;
class QWidget;

namespace batchpeak::ui {

class ElidedLabel;
class FidelityChip;
class LogView;
class MessageBanner;
class RunCharts;
class RunsCard;
class RunsModel;
class StatusBar;
class TrainingFacts;
class TrainingMetrics;
class TrainingForm;

/// The actions of the training window: names, shortcuts, icons, and when each is enabled.
class TrainingActions : public QObject
{
    Q_OBJECT

public:
    explicit TrainingActions(QWidget* window);

    /// \param obstacle  sentence that says why nothing can be started now; empty if something can
    void update(const training::TrainingSnapshot& snapshot, const QString& obstacle);
    void setTheme(const Theme& theme);

    QAction* start;
    QAction* stop;
    /// Checked while the form is shown instead of the log.
    QAction* settings;
    QAction* close;
};

/// The whole content of the training window: it draws a TrainingSnapshot, and does not know where the
/// TrainingSnapshot comes from.
class TrainingView : public QWidget
{
    Q_OBJECT

public:
    explicit TrainingView(TrainingActions* actions, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// Sets the name of what would be trained, shown while there is no run.
    void setSubject(const QString& text);
    /// \param obstacle  sentence that says why no run can start now; empty if one can
    void display(const training::TrainingSnapshot& snapshot, const QString& obstacle = {});
    /// Shows the form beside the charts, or else the present run and its log.
    void showForm(bool visible);

    TrainingForm* form() const { return m_form; }
    /// Returns the runs that are compared in the charts.
    RunsModel* runs() const { return m_runs; }
    RunsCard* runsCard() const { return m_runsCard; }
    /// Returns the splitters, each of which has an object name.
    QList<QSplitter*> splitters() const { return {m_columns, m_chartRows, m_runRows}; }
    MessageBanner* banner() const { return m_banner; }

signals:
    /// The set of runs to show has changed: display() must be called again.
    void redrawWanted();

private:
    QWidget* makeBar();
    void makeCharts();
    void makeSide();

    TrainingActions* m_actions;
    QSplitter* m_columns;
    QSplitter* m_chartRows;
    QSplitter* m_runRows;
    RunsModel* m_runs;
    RunsCard* m_runsCard;
    ElidedLabel* m_run;
    FidelityChip* m_fidelity;
    MessageBanner* m_banner;
    TrainingMetrics* m_metrics;
    RunCharts* m_charts = nullptr;
    QStackedWidget* m_side;
    TrainingForm* m_form;
    TrainingFacts* m_facts;
    LogView* m_log;
    StatusBar* m_status;
    QString m_subject;
};

} // namespace batchpeak::ui
