// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window.h"

#include "charts/exploration_charts.h"
#include "engine/exploration.h"
#include "engine/option_table.h"
#include "exploration_view.h"
#include "file_drop.h"
#include "message_banner.h"
#include "network_dialog.h"
#include "plan/plan_view.h"
#include "recent_files.h"
#include "table_layout.h"
#include "trials_view.h"
#include "window_actions.h"
#include "window_exports.h"
#include "window_training.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QKeyEvent>
#include <QScreen>
#include <QStringList>

#include <chrono>
#include <utility>

namespace batchpeak::ui {

namespace {

using namespace std::chrono_literals;

// Thirty pictures a second: both charts together take about half of that time to draw.
constexpr auto drawInterval = 33ms;
// How old the free memory of the plan may be.
constexpr auto deviceInterval = 5s;
constexpr QSize leastSize{980, 660};
constexpr QSize usualSize{1440, 900};

// More would take the charts' room.
constexpr qsizetype mostRemarks = 3;

/// "● 192 – gpt-medium.yaml – Batchpeak": what was found, so that a task bar tells it, and of which config.
QString windowTitleOf(const engine::Snapshot& snapshot)
{
    QStringList parts;
    if (snapshot.state == engine::State::Finished && snapshot.searchState.recommendation)
        parts << QStringLiteral("● %1").arg(snapshot.searchState.recommendation->size);
    if (snapshot.run)
        parts << QFileInfo(snapshot.run->filePath).fileName();
    parts << MainWindow::tr("Batchpeak");
    return parts.join(QStringLiteral(" – "));
}

/// What a person should know about a config that can be explored, a sentence a line: the first few of them,
/// and how many there are besides. Empty where there is nothing.
QString remarksText(const engine::ConfigFile& file)
{
    const auto& warnings = file.contents().warnings;
    QStringList lines;
    for (const config::Warning& warning : warnings) {
        const QString sentence = QString::fromStdString(warning.sentence);
        lines << (warning.position.line > 0
                      ? MainWindow::tr("Line %1: %2").arg(warning.position.line).arg(sentence)
                      : sentence);
    }
    const qsizetype others = lines.size() - mostRemarks;
    if (others > 1) {
        lines.resize(mostRemarks);
        lines << MainWindow::tr("There are %1 more; 'batchpeak inspect %2' says all of them.")
                     .arg(others)
                     .arg(QFileInfo(file.path()).fileName());
    }
    return lines.join(QLatin1Char('\n'));
}

/// By which a config is known from one day to the next.
QString absolutePath(const engine::ConfigFile& file)
{
    return QFileInfo(file.path()).absoluteFilePath();
}

} // namespace

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent),
      m_lease(std::make_shared<engine::DeviceLease>()),
      m_exploration(new engine::Exploration({.lease = m_lease}, this)),
      m_deviceSearch(new engine::DeviceSearch(engine::ExplorationParts().localDevices, this)),
      m_themeSetting(m_settings.theme()),
      m_actions(new WindowActions(this)),
      m_exports(new WindowExports(this)),
      m_training(new WindowTraining(m_actions, m_lease, this)),
      m_networks(new NetworkPicker(&m_settings, this)),
      m_recent(new RecentFiles(this)),
      m_view(new ExplorationView(m_actions, m_recent, m_actions->makeMenu(m_recent, this), this))
{
    setCentralWidget(m_view);
    // Else the first button would begin with the focus, and look pressed.
    m_view->setFocusPolicy(Qt::ClickFocus);
    m_view->setFocus();
    setMinimumSize(leastSize);
    resize(usualSize.boundedTo(screen()->availableSize()));
    m_recent->setFiles(m_settings.recentFiles());
    m_view->setRecentFiles(m_recent->files());
    m_actions->logarithmic->setChecked(m_settings.isLogarithmic());
    m_view->setLogarithmic(m_settings.isLogarithmic());
    m_settings.attach(this, m_view->splitters());
    m_view->trials().columns().setChosen(m_settings.columnWidths());
    m_view->trials().setOrder(m_settings.trialsOrder());
    applyTheme();

    m_drawTimer.setSingleShot(true);
    m_drawTimer.setInterval(drawInterval);
    connect(&m_drawTimer, &QTimer::timeout, this, &MainWindow::draw);
    connect(m_exploration, &engine::Exploration::snapshotChanged, this, [this] {
        if (!m_drawTimer.isActive())
            m_drawTimer.start();
    });
    engine::onEvent<engine::Finished>(*m_exploration, this, [this](const engine::Finished& finished) {
        if (finished.status != engine::FinishStatus::Cancelled)
            QApplication::alert(this);
    });
    connectActions();
    connectExports();
    connectPlan();
    connect(m_lease.get(), &engine::DeviceLease::changed, this, &MainWindow::draw);
    draw();
}

MainWindow::~MainWindow()
{
    // What still runs gives it back while it ends, to a window that is already half gone.
    m_lease->disconnect(this);
}

void MainWindow::connectActions()
{
    for (QAction* action : m_actions->themes->actions())
        action->setChecked(action->data().toInt() == static_cast<int>(m_themeSetting));
    connect(m_actions->open, &QAction::triggered, this, &MainWindow::chooseConfig);
    connect(m_view, &ExplorationView::openRequested, this, &MainWindow::chooseConfig);
    connect(m_recent, &RecentFiles::chosen, this, [this](const QString& path) { openConfig(path); });
    connect(m_view, &ExplorationView::fileChosen, this, [this](const QString& path) { openConfig(path); });
    connect(m_actions->chooseNetwork, &QAction::triggered, this, &MainWindow::chooseNetwork);
    connect(m_actions->start, &QAction::triggered, this, &MainWindow::startExploring);
    connect(m_actions->restart, &QAction::triggered, this, &MainWindow::startExploring);
    connect(m_actions->useCpu, &QAction::triggered, this, [this] {
        engine::ExplorationOptions options = m_options;
        options.devices = {QStringLiteral("cpu")};
        takeOptions(options);
        startExploring();
    });
    connect(m_actions->plan, &QAction::triggered, this, [this] {
        if (m_config)
            openConfig(m_config->path());
    });
    connect(m_actions->pause, &QAction::triggered, this, &MainWindow::pauseOrResume);
    connect(m_actions->stop, &QAction::triggered, m_exploration, &engine::Exploration::stop);
    connect(m_actions->goOn, &QAction::triggered, this, &MainWindow::goOn);
    connect(m_actions->logarithmic, &QAction::toggled, this, [this](bool logarithmic) {
        m_view->setLogarithmic(logarithmic);
        m_settings.setLogarithmic(logarithmic);
    });
    connect(m_actions->fullScreen, &QAction::toggled, this,
            [this](bool full) { full ? showFullScreen() : showNormal(); });
    connect(m_actions->resetLayout, &QAction::triggered, this, [this] {
        m_settings.resetLayout();
        m_view->resetLayout();
    });
    connect(m_actions->quit, &QAction::triggered, this, &QWidget::close);
    const auto* drop = new FileDrop(this);
    connect(drop, &FileDrop::hovered, m_view, &ExplorationView::setInviting);
    connect(drop, &FileDrop::dropped, this, [this](const QString& path) { openConfig(path); });
    connect(m_actions->themes, &QActionGroup::triggered, this, [this](const QAction* action) {
        m_themeSetting = static_cast<ThemeSetting>(action->data().toInt());
        m_settings.setTheme(m_themeSetting);
        applyTheme();
    });
}

void MainWindow::connectExports()
{
    const auto snapshot = [this]() -> const engine::Snapshot& { return m_exploration->snapshot(); };
    connect(m_actions->exportSize, &QAction::triggered, this,
            [=, this] { m_exports->exportSize(*m_config, snapshot(), m_theme); });
    connect(m_actions->copySize, &QAction::triggered, this,
            [=, this] { m_exports->copySize(*m_config, snapshot()); });
    connect(m_actions->saveTrials, &QAction::triggered, this,
            [=, this] { m_exports->saveTrials(snapshot()); });
    connect(m_actions->saveCharts, &QAction::triggered, this,
            [=, this] { m_exports->saveCharts(snapshot(), m_view->charts(), m_theme); });
    connect(m_exports, &WindowExports::failed, this, &MainWindow::showError);
    connect(m_exports, &WindowExports::succeeded, this, [this](const QString& sentence) {
        m_view->banner()->showMessage(MessageBanner::Kind::Note, sentence);
    });
}

void MainWindow::connectPlan()
{
    m_deviceTimer.setInterval(deviceInterval);
    connect(&m_deviceTimer, &QTimer::timeout, m_deviceSearch, [this] {
        if (m_view->isPlanShown() && isVisible())
            m_deviceSearch->start();
    });
    connect(m_deviceSearch, &engine::DeviceSearch::found, this, [this](const device::LocalDevices& devices) {
        if (m_view->isPlanShown())
            m_view->plan()->setDevices(devices);
        draw();
    });
}

void MainWindow::showPlan()
{
    // Only now: the first picture of an empty window does not wait for it.
    if (!m_deviceTimer.isActive()) {
        m_deviceTimer.start();
        connect(m_view->plan(), &PlanView::optionsChanged, this, &MainWindow::takeOptions);
        connect(m_view->plan(), &PlanView::problemChanged, this, &MainWindow::draw);
    }
    m_view->plan()->setConfig(*m_config, m_options);
    m_view->setConfig(*m_config);
    m_view->showPlan(true);
    m_deviceSearch->start();
}

void MainWindow::takeOptions(const engine::ExplorationOptions& options)
{
    m_options = options;
    m_asked.insert(absolutePath(*m_config), options);
    m_settings.setOptionsOf(absolutePath(*m_config), engine::wordsFor(options));
    try {
        m_exploration->load(m_config->path(), m_config->contents(), m_options);
        m_training->setConfig(*m_config, m_options);
    } catch (const config::ConfigError&) {
        // The plan says why, and what runs now stays as it is.
    }
    draw();
}

void MainWindow::applyTheme()
{
    const Theme theme = themeFor(m_themeSetting, QGuiApplication::palette());
    if (theme == m_theme)
        return;
    m_theme = theme;
    ui::applyTheme(*this, theme);
    m_actions->setTheme(theme);
    m_view->setTheme(theme);
    m_training->setTheme(theme);
}

bool MainWindow::event(QEvent* event)
{
    // The window has a palette of its own, so that a change of the desktop's reaches it only in this way.
    if (event->type() == QEvent::ApplicationPaletteChange)
        applyTheme();
    return QMainWindow::event(event);
}

void MainWindow::setOptions(const engine::ExplorationOptions& options)
{
    m_given = options;
    m_asked.clear();
}

engine::ExplorationOptions MainWindow::optionsFor(const engine::ConfigFile& file) const
{
    const QString path = absolutePath(file);
    if (const auto asked = m_asked.constFind(path); asked != m_asked.constEnd())
        return *asked;
    return engine::overlaid(engine::optionsFrom(m_settings.optionsOf(path)), m_given);
}

bool MainWindow::isUnderWay() const
{
    return m_exploration->snapshot().isUnderWay();
}

QString MainWindow::obstacle() const
{
    return isUnderWay() ? tr("An exploration is under way. Stop it before you open another config.")
                        : m_lease->obstacleFor(engine::DeviceLease::Holder::Exploration);
}

bool MainWindow::openConfig(const QString& path, const QString& network)
{
    if (const QString sentence = obstacle(); !sentence.isEmpty()) {
        showError(sentence);
        return false;
    }
    m_waiting.clear();
    try {
        m_config = m_networks->completed(engine::ConfigFile::open(path), network);
        takeOptions(optionsFor(*m_config));
        showPlan();
    } catch (const NetworkNeeded& need) {
        m_waiting = path;
        m_view->banner()->showMessage(MessageBanner::Kind::Warning, QString::fromUtf8(need.what()), {},
                                      m_actions->chooseNetwork);
        rememberOpened(path);
        draw();
        return false;
    } catch (const std::exception& error) {
        showError(QString::fromUtf8(error.what()));
        draw();
        return false;
    }
    rememberOpened(path);
    showRemarks(*m_config);
    draw();
    return true;
}

void MainWindow::rememberOpened(const QString& path)
{
    m_recent->add(path);
    m_settings.setRecentFiles(m_recent->files());
    m_settings.setLastFolder(QFileInfo(path).absolutePath());
}

void MainWindow::showRemarks(const engine::ConfigFile& file)
{
    const QString remarks = remarksText(file);
    if (remarks.isEmpty())
        m_view->banner()->hide();
    else
        m_view->banner()->showMessage(MessageBanner::Kind::Warning, remarks);
}

QString MainWindow::configInHand() const
{
    return m_waiting.isEmpty() && m_config ? m_config->path() : m_waiting;
}

void MainWindow::chooseNetwork()
{
    const QString path = configInHand();
    try {
        if (m_networks->choose(engine::ConfigFile::open(path), m_theme))
            openConfig(path);
    } catch (const config::ConfigError& error) {
        showError(QString::fromUtf8(error.what()));
    }
}

void MainWindow::startExploring()
{
    const engine::State state = m_exploration->snapshot().state;
    const bool ended = state == engine::State::Finished || state == engine::State::Failed;
    if (ended && (!m_config || !openConfig(m_config->path())))
        return;
    if (const QString problem = m_view->isPlanShown() ? m_view->plan()->problem() : QString();
        !problem.isEmpty()) {
        showError(problem);
        return;
    }
    try {
        m_exploration->start();
        m_view->showPlan(false);
    } catch (const engine::DeviceInUse& error) {
        showError(error.sentence());
    }
}

void MainWindow::draw()
{
    const engine::Snapshot& snapshot = m_exploration->snapshot();
    m_actions->update(snapshot);
    m_actions->chooseNetwork->setEnabled(!isUnderWay() && !configInHand().isEmpty());
    m_training->follow(snapshot);
    if (m_view->isPlanShown() && !m_view->plan()->problem().isEmpty()) {
        m_actions->start->setEnabled(false);
        m_actions->start->setToolTip(m_view->plan()->problem());
    }
    m_view->display(snapshot);
    if (const QString title = windowTitleOf(snapshot); title != windowTitle())
        setWindowTitle(title);
}

void MainWindow::chooseConfig()
{
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Open a config"), m_settings.lastFolder(),
                                     tr("Configs (*.yaml *.yml *.json *.sh);;All files (*)"));
    if (!path.isEmpty())
        openConfig(path);
}

void MainWindow::pauseOrResume()
{
    if (m_exploration->snapshot().state == engine::State::Paused)
        m_exploration->resume();
    else
        m_exploration->pause();
}

void MainWindow::goOn()
{
    try {
        m_exploration->goOn({});
    } catch (const engine::DeviceInUse& error) {
        showError(error.sentence());
    }
}

void MainWindow::showError(const QString& sentence)
{
    m_view->banner()->showMessage(MessageBanner::Kind::Error, sentence);
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    m_settings.save();
    m_settings.setColumnWidths(m_view->trials().columns().chosen());
    m_settings.setTrialsOrder(m_view->trials().order());
    m_training->close();
    QMainWindow::closeEvent(event);
}

void MainWindow::keyPressEvent(QKeyEvent* event)
{
    // Elsewhere the space bar presses buttons and selects rows.
    if (event->key() == Qt::Key_Space && qobject_cast<ExplorationChart*>(focusWidget()) &&
        m_actions->pause->isEnabled()) {
        pauseOrResume();
        return;
    }
    QMainWindow::keyPressEvent(event);
}

} // namespace batchpeak::ui
