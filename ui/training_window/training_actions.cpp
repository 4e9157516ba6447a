// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_actions.h"

#include "theme/glyphs.h"
#include "training_words.h"

#include <QAction>
#include <QWidget>

namespace batchpeak::ui {

using training::TrainingState;

TrainingActions::TrainingActions(QWidget* window)
    : QObject(window),
      start(new QAction(tr("&Start"), this)),
      stop(new QAction(tr("S&top"), this)),
      settings(new QAction(tr("S&ettings"), this)),
      close(new QAction(tr("&Close"), this))
{
    start->setShortcut(Qt::Key_F5);
    stop->setShortcuts({QKeySequence(Qt::SHIFT | Qt::Key_F5), QKeySequence(Qt::Key_Escape)});
    settings->setCheckable(true);
    settings->setChecked(true);
    settings->setShortcut(Qt::Key_F4);
    settings->setToolTip(tr("Show how to train, in place of the log"));
    close->setShortcuts(QKeySequence::Close);
    for (QAction* action : {start, stop, settings, close})
        window->addAction(action);
}

void TrainingActions::update(const training::TrainingSnapshot& snapshot, const QString& obstacle)
{
    const bool underWay = isUnderWay(snapshot.state);
    const bool ended = snapshot.state == TrainingState::Finished || snapshot.state == TrainingState::Failed;
    start->setText(ended ? tr("&Start again") : tr("&Start"));
    start->setEnabled(!underWay && obstacle.isEmpty());
    start->setToolTip(obstacle);
    stop->setEnabled(underWay);
    stop->setToolTip(snapshot.state == TrainingState::Finishing
                         ? tr("End at once, without waiting for the step under way")
                         : tr("End after the step under way"));
}

void TrainingActions::setTheme(const Theme& theme)
{
    QColor faint = theme.mutedText;
    faint.setAlpha(150);
    start->setIcon(glyphIcon(Glyph::Play, theme.text, faint));
    stop->setIcon(glyphIcon(Glyph::Stop, theme.bad, faint));
    settings->setIcon(glyphIcon(Glyph::Menu, theme.text, faint));
}

} // namespace batchpeak::ui
