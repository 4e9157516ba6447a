// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "window_actions.h"

#include "options/exploration_options.h"
#include "snapshot/measured_sizes.h"
#include "text/readable_text.h"
#include "widgets/buttons.h"

#include <QAction>
#include <QActionGroup>
#include <QMenu>
#include <QWidget>

#include <algorithm>
#include <utility>

namespace batchpeak::ui {

using engine::Snapshot;
using engine::State;

namespace {

bool hasEnded(const Snapshot& snapshot)
{
    return snapshot.state == State::Finished || snapshot.state == State::Failed;
}

} // namespace

WindowActions::WindowActions(QWidget* window)
    : QObject(window),
      open(new QAction(tr("&Open…"), this)),
      follow(new QAction(tr("&Watch…"), this)),
      chooseNetwork(new QAction(tr("Choose the &network…"), this)),
      downloadNetwork(new QAction(tr("&Download its config.json…"), this)),
      keepsAsking(new QAction(tr("Ask before each download"), this)),
      writeSize(new QAction(tr("&Write a size…"), this)),
      readAgain(new QAction(tr("R&ead it again"), this)),
      plan(new QAction(tr("P&lan"), this)),
      places(new QAction(tr("&Where trials run…"), this)),
      start(new QAction(tr("&Start"), this)),
      restart(new QAction(tr("&Restart"), this)),
      useCpu(new QAction(tr("Explore on the &CPU"), this)),
      pause(new QAction(tr("&Pause"), this)),
      stop(new QAction(tr("S&top"), this)),
      previousRun(new QAction(tr("Pre&vious run"), this)),
      present(new QAction(tr("&Back to the present run"), this)),
      continueSearch(new QAction(tr("&Go on"), this)),
      resume(new QAction(tr("&Continue"), this)),
      watch(new QAction(tr("&Watch it"), this)),
      resetAll(new QAction(tr("Reset &all"), this)),
      exportSize(new QAction(tr("&Export…"), this)),
      exportSelected(new QAction(tr("&Export…"), this)),
      tryAgain(new QAction(tr("&Try again"), this)),
      exclude(new QAction(tr("E&xclude"), this)),
      takeBack(new QAction(tr("&Undo the last export"), this)),
      copySize(new QAction(tr("&Copy"), this)),
      confirm(new QAction(tr("Con&firm"), this)),
      train(new QAction(tr("Tr&ain…"), this)),
      saveTrials(new QAction(tr("Save t&rials as CSV…"), this)),
      saveCharts(new QAction(tr("Save c&harts…"), this)),
      logarithmic(new QAction(tr("&Logarithmic sizes"), this)),
      fullScreen(new QAction(tr("&Full screen"), this)),
      resetLayout(new QAction(tr("&Reset layout"), this)),
      help(new QAction(tr("&Help"), this)),
      about(new QAction(tr("A&bout Batchpeak"), this)),
      quit(new QAction(tr("&Quit"), this)),
      themes(new QActionGroup(this))
{
    setShortcuts();
    const std::pair<QString, ThemeSetting> settings[] = {{tr("As the s&ystem"), ThemeSetting::System},
                                                         {tr("L&ight"), ThemeSetting::Light},
                                                         {tr("&Dark"), ThemeSetting::Dark}};
    for (const auto& [name, setting] : settings) {
        QAction* action = themes->addAction(name);
        action->setCheckable(true);
        action->setData(static_cast<int>(setting));
        action->setChecked(setting == ThemeSetting::System);
    }
    for (QAction* action : {open,           follow,      chooseNetwork, downloadNetwork, readAgain,
                            plan,           places,      start,         pause,           stop,
                            continueSearch, previousRun, present,       exportSize,      writeSize,
                            takeBack,       copySize,    confirm,       train,           saveTrials,
                            saveCharts,     logarithmic, fullScreen,    resetLayout,     help,
                            about,          quit}) {
        explain(action);
        window->addAction(action);
    }
    explain(open, tr("Open a config; hold for the recent ones"));
    explain(follow, tr("Follow an exploration that runs elsewhere"));
    explain(plan, tr("Show the plan and change options before the next start"));
    explain(places, tr("This computer and others: their devices, programs and state"));
    explain(stop, tr("End with the best size so far"));
    explain(takeBack, tr("Restore the content of the file from before the last export"));
    explain(writeSize, tr("Write any size into the config, after you confirm the changes"));
    update({});
}

void WindowActions::setShortcuts()
{
    open->setShortcuts(QKeySequence::Open);
    follow->setShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_W);
    chooseNetwork->setShortcut(Qt::CTRL | Qt::Key_N);
    chooseNetwork->setEnabled(false);
    downloadNetwork->setShortcut(Qt::CTRL | Qt::Key_D);
    downloadNetwork->setEnabled(false);
    writeSize->setEnabled(false);
    readAgain->setShortcut(Qt::CTRL | Qt::Key_R);
    readAgain->setEnabled(false);
    watch->setEnabled(false);
    plan->setShortcut(Qt::CTRL | Qt::Key_P);
    places->setShortcut(Qt::CTRL | Qt::Key_L);
    start->setShortcut(Qt::Key_F5);
    stop->setShortcut(Qt::SHIFT | Qt::Key_F5);
    previousRun->setShortcut(Qt::ALT | Qt::Key_Left);
    previousRun->setEnabled(false);
    present->setShortcut(Qt::ALT | Qt::Key_Right);
    present->setEnabled(false);
    continueSearch->setShortcut(Qt::CTRL | Qt::Key_F5);
    exportSize->setShortcuts({QKeySequence(Qt::CTRL | Qt::Key_E), QKeySequence(QKeySequence::Save)});
    takeBack->setShortcuts(QKeySequence::Undo);
    takeBack->setEnabled(false);
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
    help->setShortcut(Qt::Key_F1);
    quit->setShortcuts(QKeySequence::Quit);
}

QStringList WindowActions::startTexts()
{
    return {tr("Start"), tr("Start again")};
}

QStringList WindowActions::pauseTexts()
{
    return {tr("Pause"), tr("Resume")};
}

QMenu* WindowActions::makeMenu(QMenu* recent, QMenu* earlier, QWidget* parent) const
{
    auto* menu = new QMenu(parent);
    menu->addAction(open);
    menu->addMenu(recent);
    menu->addAction(follow);
    menu->addAction(chooseNetwork);
    menu->addAction(downloadNetwork);
    menu->addAction(keepsAsking);
    menu->addAction(readAgain);
    menu->addSeparator();
    menu->addAction(plan);
    menu->addAction(places);
    menu->addAction(continueSearch);
    menu->addAction(previousRun);
    menu->addAction(present);
    menu->addMenu(earlier);
    menu->addSeparator();
    menu->addAction(exportSize);
    menu->addAction(writeSize);
    menu->addAction(takeBack);
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
    menu->addAction(help);
    menu->addAction(about);
    menu->addAction(quit);
    return menu;
}

void WindowActions::update(const Snapshot& snapshot)
{
    updateRun(snapshot, {.opensPlan = hasEnded(snapshot), .continues = snapshot.isWorthContinuing()});
    updateExports(snapshot, {}, exportSize->data().toString());
}

void WindowActions::updateRun(const Snapshot& present, const Surroundings& surroundings)
{
    const auto& [obstacle, opensPlan, continues] = surroundings;
    const bool ended = hasEnded(present);
    const bool canStart = obstacle.isEmpty();
    start->setEnabled(canStart && present.run && (present.state == State::Idle || ended));
    restart->setEnabled(canStart);
    plan->setEnabled(opensPlan);
    start->setText(ended ? tr("&Start again") : tr("&Start"));
    if (canStart)
        explain(
            start,
            ended ? tr("Explore again with the current content of the config; this run stays in Earlier runs")
                  : tr("Look for the fastest micro-batch size"));
    else
        start->setToolTip(obstacle);
    updatePause(present);
    stop->setEnabled(present.isUnderWay() && present.state != State::Finishing);
    continueSearch->setEnabled(continues);
    explain(continueSearch, continues || !ended
                                ? tr("Continue the search from all trials so far, with at most %1 more")
                                      .arg(engine::trialsText(engine::ExtraBudget().trials))
                                : tr("More trials would not improve the result"));
}

void WindowActions::updatePresent(bool isEnabled, Back back)
{
    present->setEnabled(isEnabled);
    present->setText(back == Back::ToPlan  ? tr("&Back to the plan")
                     : back == Back::ToRun ? tr("&Back to the present run")
                                           : tr("&Back, and stop watching"));
    explain(present);
}

void WindowActions::updatePause(const Snapshot& snapshot)
{
    const State state = snapshot.state;
    if (m_resumes != snapshot.canResume()) {
        m_resumes = snapshot.canResume();
        signPause();
    }
    pause->setText(m_resumes ? tr("&Resume") : tr("&Pause"));
    explain(pause,
            m_resumes
                ? tr("Start trials again; in a chart, press the space bar")
                : tr("Cancel running trials, and start none until Resume; in a chart, press the space bar"));
    pause->setEnabled(m_resumes || state == State::Exploring || state == State::Verifying);
}

void WindowActions::updateExports(const Snapshot& snapshot, std::optional<std::int64_t> toWrite,
                                  const QString& doubt)
{
    const bool hasSize = snapshot.recommendsSize();
    exportSize->setEnabled(snapshot.run && (hasSize || toWrite));
    const QString size = toWrite ? engine::numberText(*toWrite) : QString();
    if (toWrite)
        exportSize->setText(tr("&Export %1…").arg(size));
    else
        exportSize->setText(snapshot.run && !snapshot.run->formatName.isEmpty()
                                ? tr("&Export to %1…").arg(snapshot.run->formatName)
                                : tr("&Export…"));
    // The tool bar has no room for the name of a format.
    exportSize->setIconText(toWrite ? tr("Export %1…").arg(size) : tr("Export…"));
    setExportDoubt(doubt);
    copySize->setEnabled(hasSize);
    const std::string key = snapshot.run ? snapshot.run->plan.microBatchKey : std::string();
    explain(copySize,
            snapshot.run ? tr("Copy %1 and its size as a line of the config").arg(QString::fromStdString(key))
                         : tr("Copy the recommended size as a line of the config"));
    saveTrials->setEnabled(snapshot.run && std::ranges::any_of(snapshot.trials, [](const auto& trial) {
                               return !trial.isRunning();
                           }));
    saveCharts->setEnabled(snapshot.run && !snapshot.trials.empty());
}

void WindowActions::updateSelected(const Snapshot& snapshot, std::optional<std::int64_t> selected,
                                   bool isInHand)
{
    const std::vector<std::int64_t>& excluded = snapshot.searchState.excluded;
    const bool isExcluded = selected && std::ranges::find(excluded, *selected) != excluded.end();
    const bool isAsked = selected && isInHand;
    const QString size = selected ? QLatin1Char(' ') + engine::numberText(*selected) : QString();
    exportSelected->setText(tr("&Export%1…").arg(size));
    const bool isRecommended =
        selected && snapshot.recommendsSize() && snapshot.searchState.recommendation->size == *selected;
    exportSelected->setEnabled(snapshot.run && selected &&
                               (isRecommended || engine::hasRun(snapshot, *selected)));
    tryAgain->setText(tr("&Try%1 again").arg(size));
    tryAgain->setEnabled(isAsked && snapshot.commands.triesSizes && !isExcluded);
    exclude->setText(isExcluded ? tr("&Allow%1 again").arg(size) : tr("E&xclude%1").arg(size));
    exclude->setEnabled(isAsked && snapshot.commands.excludesSizes);
}

void WindowActions::setExportDoubt(const QString& doubt)
{
    exportSize->setData(doubt);
    const QString words = exportSize->text().remove(QLatin1Char('&')).remove(QStringLiteral("…"));
    explain(exportSize, doubt.isEmpty() ? tr("%1, after you confirm the changes").arg(words) : doubt);
}

void WindowActions::setTheme(const Theme& theme)
{
    m_theme = theme;
    open->setIcon(actionIcon(Glyph::Open, theme.mutedText, theme));
    start->setIcon(actionIcon(Glyph::Play, theme.text, theme));
    continueSearch->setIcon(actionIcon(Glyph::Play, theme.text, theme));
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
