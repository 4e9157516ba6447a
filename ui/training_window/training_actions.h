// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"
#include "training/training_snapshot.h"

#include <QObject>
#include <QString>

class QAction;
class QWidget;

namespace batchpeak::ui {

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

} // namespace batchpeak::ui
