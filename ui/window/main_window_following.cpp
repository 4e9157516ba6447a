// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// How the window follows an exploration that runs elsewhere, by its events.
#include "main_window.h"
#include "options/option_values.h"
#include "watch/watched_exploration.h"
#include "watch_dialog.h"
#include "widgets/message_banner.h"
#include "window_exports.h"

#include <QTimer>

namespace batchpeak::ui {

bool MainWindow::isFollowing() const
{
    const auto* earlier = std::get_if<Earlier>(&m_inHand);
    return earlier && !earlier->run.followed.isEmpty();
}

/// Opens what the user gives to the window: a config, or the events of an exploration.
void MainWindow::open(const QString& path)
{
    if (path.endsWith(QLatin1String(".jsonl"), Qt::CaseInsensitive))
        follow(path);
    else
        openConfig(path);
}

void MainWindow::chooseWatched()
{
    WatchDialog dialog(m_theme, this);
    if (dialog.exec() == QDialog::Accepted)
        follow(dialog.what());
}

void MainWindow::follow(const QString& what)
{
    try {
        const engine::WatchTarget target = engine::watchTargetFrom(what);
        m_followed = std::make_unique<engine::WatchedExploration>(target);
    } catch (const engine::UsageError& error) {
        return showError(QString::fromUtf8(error.what()));
    }
    connect(&m_followed->events(), &engine::EventReader::snapshotChanged, this, &MainWindow::drawSoon);
    connect(m_followed.get(), &engine::WatchedExploration::remarkChanged, this, &MainWindow::drawSoon);
    connect(m_followed.get(), &engine::WatchedExploration::over, this, &MainWindow::endFollowing);
    m_view->banner()->hide();
    showEarlierRun({.started = {}, .snapshot = {}, .followed = m_followed->target().name()});
    m_followed->start();
}

/// Takes the state of the exploration that is followed, or stops following it once it is not viewed any more.
void MainWindow::takeFollowed()
{
    if (!m_followed)
        return;
    if (!isFollowing()) {
        // It may be what has caused this.
        m_followed->disconnect(this);
        m_followed.release()->deleteLater();
        return;
    }
    if (m_followed->isOver())
        return;
    EarlierRun& run = std::get<Earlier>(m_inHand).run;
    run.snapshot = m_followed->snapshot();
    run.remark = m_followed->remark();
}

void MainWindow::endFollowing(const QString& problem)
{
    if (!isFollowing())
        return;
    EarlierRun& run = std::get<Earlier>(m_inHand).run;
    run.snapshot = m_followed->snapshot();
    run.remark.clear();
    if (!problem.isEmpty()) {
        showError(problem);
        // What is known of it stays, and must not look alive.
        if (run.snapshot.run && !run.snapshot.finish)
            run.snapshot = engine::cutOff(run.snapshot, problem);
    }
    draw();
}

void MainWindow::exportFollowed(const std::vector<config::ChosenSize>& sizes, const QString& doubt,
                                const QString& found)
{
    if (const auto config = m_exports->chooseConfig(shown()))
        m_exports->exportSizes(*config, sizes, doubt, found, m_theme);
}

} // namespace batchpeak::ui
