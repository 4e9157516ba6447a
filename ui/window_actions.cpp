// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "window_actions.h"

#include "buttons.h"
#include "engine/exploration_options.h"
#include "engine/readable_text.h"

#include <QAction>
#include <QActionGroup>
#include <QMenu>
#include <QWidget>

#include <algorithm>
#include <utility>

namespace batchpeak::ui {

using engine::Snapshot;
using engine::State;

WindowActions::WindowActions(QWidget* window)
    : QObject(window),
      open(new QAction(tr("&Open…"), this)),
      chooseNetwork(new QAction(tr("Choose the &network…"), this)),
      plan(new QAction(tr("P&lan"), this)),
      start(new QAction(tr("&Start"), this)),
      restart(new QAction(tr("&Restart"), this)),
      useCpu(new QAction(tr("Explore on the &CPU"), this)),
      pause(new QAction(tr("&Pause"), this)),
      stop(new QAction(tr("S&top"), this)),
      goOn(new QAction(tr("&Go on"), this)),
      exportSize(new QAction(tr("&Export…"), this)),
      copySize(new QAction(tr("&Copy"), this)),
      confirm(new QAction(tr("Con&firm"), this)),
      train(new QAction(tr("Tr&ain…"), this)),
      saveTrials(new QAction(tr("Save t&rials as CSV…"), this)),
      saveCharts(new QAction(tr("Save c&harts as PNG…"), this)),
      logarithmic(new QAction(tr("&Logarithmic sizes"), this)),
      fullScreen(new QAction(tr("&Full screen"), this)),
      resetLayout(new QAction(tr("&Reset layout"), this)),
      quit(new QAction(tr("&Quit"), this)),
      themes(new QActionGroup(this))
{
    open->setShortcuts(QKeySequence::Open);
    chooseNetwork->setShortcut(Qt::CTRL | Qt::Key_N);
    chooseNetwork->setEnabled(false);
    plan->setShortcut(Qt::CTRL | Qt::Key_P);
    plan->setToolTip(tr("What is asked for, to change it before the next start"));
    start->setShortcut(Qt::Key_F5);
    stop->setShortcuts({QKeySequence(Qt::SHIFT | Qt::Key_F5), QKeySequence(Qt::Key_Escape)});
    goOn->setShortcut(Qt::CTRL | Qt::Key_F5);
    exportSize->setShortcuts({QKeySequence(Qt::CTRL | Qt::Key_E), QKeySequence(QKeySequence::Save)});
    // The tool bar has no room for the name of a format.
    exportSize->setIconText(tr("Export…"));
    copySize->setShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_C);
    confirm->setShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_F);
    confirm->setEnabled(false);
    train->setShortcut(Qt::CTRL | Qt::Key_T);
    train->setEnabled(false);
    logarithmic->setShortcut(Qt::Key_L);
    logarithmic->setCheckable(true);
    logarithmic->setChecked(true);
    fullScreen->setShortcuts(QKeySequence::FullScreen);
    fullScreen->setCheckable(true);
    quit->setShortcuts(QKeySequence::Quit);
    const std::pair<QString, ThemeSetting> settings[] = {{tr("As the s&ystem"), ThemeSetting::System},
                                                         {tr("L&ight"), ThemeSetting::Light},
                                                         {tr("&Dark"), ThemeSetting::Dark}};
    for (const auto& [name, setting] : settings) {
        QAction* action = themes->addAction(name);
        action->setCheckable(true);
        action->setData(static_cast<int>(setting));
        action->setChecked(setting == ThemeSetting::System);
    }
    for (QAction* action :
         {open, chooseNetwork, plan, start, pause, stop, goOn, exportSize, copySize, confirm, train,
          saveTrials, saveCharts, logarithmic, fullScreen, resetLayout, quit})
        window->addAction(action);
    update({});
}

QMenu* WindowActions::makeMenu(QMenu* recent, QWidget* parent) const
{
    auto* menu = new QMenu(parent);
    menu->addAction(open);
    menu->addMenu(recent);
    menu->addAction(chooseNetwork);
    menu->addSeparator();
    menu->addAction(plan);
    menu->addAction(goOn);
    menu->addSeparator();
    menu->addAction(exportSize);
    menu->addAction(copySize);
    menu->addAction(confirm);
    menu->addAction(train);
    menu->addSeparator();
    menu->addAction(saveTrials);
    menu->addAction(saveCharts);
    menu->addSeparator();
    menu->addAction(logarithmic);
    menu->addMenu(tr("&Theme"))->addActions(themes->actions());
    menu->addAction(fullScreen);
    menu->addAction(resetLayout);
    menu->addSeparator();
    menu->addAction(quit);
    return menu;
}

void WindowActions::update(const Snapshot& snapshot)
{
    const State state = snapshot.state;
    const bool ended = state == State::Finished || state == State::Failed;
    start->setEnabled(snapshot.run && (state == State::Idle || ended));
    plan->setEnabled(ended);
    start->setText(ended ? tr("&Start again") : tr("&Start"));
    if (m_resumes != (state == State::Paused)) {
        m_resumes = state == State::Paused;
        signPause();
    }
    pause->setText(m_resumes ? tr("&Resume") : tr("&Pause"));
    const bool runsTrials = state == State::Exploring || state == State::Verifying;
    pause->setEnabled(m_resumes || (runsTrials && !snapshot.pauseRequested));
    stop->setEnabled(snapshot.isUnderWay() && state != State::Finishing);
    goOn->setEnabled(snapshot.isWorthGoingOn());
    goOn->setToolTip(goOn->isEnabled() || !ended
                         ? tr("Search on from all trials so far, with at most %1 more")
                               .arg(engine::trialsText(engine::MoreEffort().trials))
                         : tr("More trials would tell nothing more"));

    const bool hasSize = snapshot.recommendsSize();
    exportSize->setEnabled(snapshot.run && hasSize);
    exportSize->setText(snapshot.run && !snapshot.run->formatName.isEmpty()
                            ? tr("&Export to %1…").arg(snapshot.run->formatName)
                            : tr("&Export…"));
    copySize->setEnabled(hasSize);
    const std::string key = snapshot.run ? snapshot.run->plan.microBatchKey : std::string();
    copySize->setToolTip(
        snapshot.run ? tr("Copy %1 and its size as a line of the config").arg(QString::fromStdString(key))
                     : tr("Copy the recommended size as a line of the config"));
    saveTrials->setEnabled(snapshot.run && std::ranges::any_of(snapshot.trials, [](const auto& trial) {
                               return !trial.isRunning();
                           }));
    saveCharts->setEnabled(snapshot.run && !snapshot.trials.empty());
}

void WindowActions::setTheme(const Theme& theme)
{
    m_theme = theme;
    open->setIcon(actionIcon(Glyph::Open, theme.mutedText, theme));
    start->setIcon(actionIcon(Glyph::Play, theme.text, theme));
    goOn->setIcon(actionIcon(Glyph::Play, theme.text, theme));
    stop->setIcon(actionIcon(Glyph::Stop, theme.bad, theme));
    exportSize->setIcon(actionIcon(Glyph::Export, theme.text, theme));
    confirm->setIcon(actionIcon(Glyph::Check, theme.text, theme));
    train->setIcon(actionIcon(Glyph::Descent, theme.text, theme));
    copySize->setIcon(actionIcon(Glyph::Copy, theme.text, theme));
    signPause();
}

void WindowActions::signPause()
{
    pause->setIcon(actionIcon(m_resumes ? Glyph::Play : Glyph::Pause, m_theme.text, m_theme));
}

} // namespace batchpeak::ui
