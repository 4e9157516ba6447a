// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"
#include "training/training_snapshot.h"

#include <QWidget>

class QSplitter;
class QStackedWidget;

namespace batchpeak::ui {

class ElidedLabel;
class LogView;
class MessageBanner;
class RunCharts;
class StatusStrip;
class TrainingActions;
class TrainingFacts;
class TrainingFigures;
class TrainingForm;

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
    void display(const training::TrainingSnapshot& snapshot);
    /// Beside the charts: how to train, or else this run and its log.
    void showForm(bool visible);

    TrainingForm* form() const { return m_form; }
    MessageBanner* banner() const { return m_banner; }

private:
    QWidget* makeBar();
    QSplitter* makeCharts();
    QWidget* makeSide();
    void showFailure(const training::TrainingSnapshot& snapshot);

    TrainingActions* m_actions;
    ElidedLabel* m_run;
    MessageBanner* m_banner;
    TrainingFigures* m_figures;
    RunCharts* m_charts = nullptr;
    QStackedWidget* m_side;
    TrainingForm* m_form;
    TrainingFacts* m_facts;
    LogView* m_log;
    StatusStrip* m_status;
    QString m_subject;
    QString m_failureShown;
};

} // namespace batchpeak::ui
