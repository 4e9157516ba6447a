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

/// What a person can do in the training window: names, shortcuts, signs, and when each is possible.
class TrainingActions : public QObject
{
    Q_OBJECT

public:
    explicit TrainingActions(QWidget* window);

    /// \param obstacle  why nothing can be started now, as a sentence; else empty
    void update(const training::TrainingSnapshot& snapshot, const QString& obstacle);
    void setTheme(const Theme& theme);

    QAction* start;
    QAction* stop;
    /// Checked while the form is shown, not the log.
    QAction* settings;
    QAction* close;
};

/// All of the training window's inside, laid out and fed: it draws a TrainingSnapshot, and does not know
/// where that comes from.
class TrainingView : public QWidget
{
    Q_OBJECT

public:
    explicit TrainingView(TrainingActions* actions, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// What would be trained, while no run is there to say it.
    void setSubject(const QString& text);
    /// \param obstacle  why no run can start now, as a sentence; else empty
    void display(const training::TrainingSnapshot& snapshot, const QString& obstacle = {});
    /// Beside the charts: how to train, or else this run and its log.
    void showForm(bool visible);

    TrainingForm* form() const { return m_form; }
    /// The runs that are compared in the charts.
    RunsModel* runs() const { return m_runs; }
    RunsCard* runsCard() const { return m_runsCard; }
    /// Each with its name.
    QList<QSplitter*> splitters() const { return {m_columns, m_chartRows, m_runRows}; }
    MessageBanner* banner() const { return m_banner; }

signals:
    /// Other runs are to be seen: display() is to be called again.
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
