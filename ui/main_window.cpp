// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window.h"

#include "charts/exploration_charts.h"
#include "code_reading.h"
#include "config_remarks.h"
#include "desktop_presence.h"
#include "engine/cut_run.h"
#include "engine/exploration.h"
#include "engine/kept_words.h"
#include "engine/option_table.h"
#include "engine/readable_text.h"
#include "engine/trusted_code.h"
#include "engine/writing_rule.h"
#include "exploration_view.h"
#include "file_drop.h"
#include "help_dialog.h"
#include "message_banner.h"
#include "network_dialog.h"
#include "plain_text.h"
#include "plan/plan_search.h"
#include "plan/plan_view.h"
#include "questions.h"
#include "recent_files.h"
#include "run/steering_panel.h"
#include "store/exploration_store.h"
#include "table_layout.h"
#include "trials_view.h"
#include "window_actions.h"
#include "window_desktop.h"
#include "window_exports.h"
#include "window_training.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QKeyEvent>
#include <QScreen>

#include <chrono>
#include <utility>

namespace batchpeak::ui {

namespace {

using namespace std::chrono_literals;

// Thirty pictures a second: both charts together take about half of that time to draw.
constexpr auto drawInterval = 33ms;
constexpr QSize usualSize{1440, 900};

/// By which a config is known from one day to the next.
QString absolutePath(const engine::ConfigFile& file)
{
    return QFileInfo(file.path()).absoluteFilePath();
}

} // namespace

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent),
      m_lease(std::make_shared<engine::DeviceLease>()),
      m_planSearch(new PlanSearch([this] { return m_view->isPlanShown() && isVisible(); }, this)),
      m_exploration(
          new engine::Exploration({.pythonStackOf = m_planSearch->stackSource(), .lease = m_lease}, this)),
      m_themeSetting(m_settings.theme()),
      m_actions(new WindowActions(this)),
      m_exports(new WindowExports(m_options, this)),
      m_desktop(new WindowDesktop(this, m_lease, new DesktopPresence)),
      m_earlierRuns(new EarlierRuns(this)),
      m_training(new WindowTraining(m_actions,
                                    {.pythonStackOf = m_planSearch->stackSource(), .lease = m_lease}, this)),
      m_networks(new NetworkPicker(&m_settings, this)),
      m_recent(new RecentFiles(this)),
      m_view(
          new ExplorationView(m_actions, m_recent, m_actions->makeMenu(m_recent, m_earlierRuns, this), this))
{
    PlainText::install();
    setCentralWidget(m_view);
    // Else the first button would begin with the focus, and look pressed.
    m_view->setFocusPolicy(Qt::ClickFocus);
    m_view->setFocus();
    setMinimumSize(m_view->minimumSize());
    connect(m_view, &ExplorationView::leastSizeChanged, this, [this](QSize least) { setMinimumSize(least); });
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
    // Where another program holds the history.
    m_offerTimer.setSingleShot(true);
    m_offerTimer.setInterval(1s);
    connect(&m_offerTimer, &QTimer::timeout, this, &MainWindow::offerToResume);
    connectExploration();
    connectActions();
    connectExports();
    connectPlan();
    connectSteering();
    connectEarlierRuns();
    connect(m_lease.get(), &engine::DeviceLease::changed, this, &MainWindow::draw);
    draw();
}

MainWindow::~MainWindow()
{
    // What still runs gives it back while it ends, to a window that is already half gone.
    m_lease->disconnect(this);
}

void MainWindow::connectExploration()
{
    connect(m_exploration, &engine::Exploration::snapshotChanged, this, [this] {
        if (!m_drawTimer.isActive())
            m_drawTimer.start();
    });
    engine::onEvent<engine::Started>(*m_exploration, this, [this](const engine::Started&) {
        m_earlierRuns->begin(QDateTime::currentDateTimeUtc());
    });
    connect(m_training, &WindowTraining::closed, this, [this] {
        if (m_closesAtEnd)
            QTimer::singleShot(0, this, &QWidget::close);
    });
    engine::onEvent<engine::Finished>(*m_exploration, this, [this](const engine::Finished&) {
        m_earlierRuns->follow(m_exploration->snapshot());
        const bool goesOn = m_phases.advance(m_exploration->snapshot());
        if (!goesOn)
            m_desktop->tellEnd(m_exploration->snapshot());
        // Whoever else hears of the end keeps it first.
        if (m_closesAtEnd)
            QTimer::singleShot(0, this, &QWidget::close);
        else if (goesOn)
            QTimer::singleShot(0, this, &MainWindow::exploreNextPhase);
    });
    connect(qApp, &QGuiApplication::commitDataRequest, this, [this] {
        m_closesUnasked = true;
        m_exploration->stop();
    });
}

void MainWindow::connectEarlierRuns()
{
    connect(m_earlierRuns, &EarlierRuns::chosen, this, &MainWindow::lookBack);
    connect(m_earlierRuns, &EarlierRuns::failed, this, &MainWindow::showError);
    connect(m_actions->previousRun, &QAction::triggered, this, [this] {
        if (const EarlierRun* run = m_earlierRuns->previous())
            lookBack(*run);
    });
    connect(m_actions->present, &QAction::triggered, this, &MainWindow::endLookingBack);
}

void MainWindow::setHistory(const QString& path)
{
    m_earlierRuns->setHistory(path);
    m_exploration->setHistory(path);
}

const engine::Snapshot& MainWindow::shown() const
{
    static const engine::Snapshot nothing;
    if (m_unmeasurable)
        return nothing;
    return m_earlierRun ? m_earlierRun->snapshot : m_exploration->snapshot();
}

void MainWindow::lookBack(const EarlierRun& run)
{
    m_earlierRun = run;
    draw();
}

void MainWindow::endLookingBack()
{
    m_earlierRun.reset();
    draw();
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
    connect(m_actions->resume, &QAction::triggered, this, &MainWindow::resumeCut);
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
    connect(m_actions->help, &QAction::triggered, this,
            [this] { HelpDialog(actions(), m_theme, this).exec(); });
    connect(m_actions->about, &QAction::triggered, this, [this] { AboutDialog(m_theme, this).exec(); });
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
    connect(m_actions->exportSize, &QAction::triggered, this, &MainWindow::exportSizes);
    connect(m_actions->copySize, &QAction::triggered, this,
            [this] { m_exports->copySize(*m_config, shown()); });
    connect(m_actions->writeSize, &QAction::triggered, this, &MainWindow::writeSize);
    connect(m_actions->saveTrials, &QAction::triggered, this, [this] { m_exports->saveTrials(shown()); });
    connect(m_actions->saveCharts, &QAction::triggered, this,
            [this] { m_exports->saveCharts(shown(), m_view->charts(), m_theme); });
    connect(m_exports, &WindowExports::failed, this, &MainWindow::showError);
    connect(m_exports, &WindowExports::succeeded, this, [this](const QString& sentence) {
        m_view->banner()->showMessage(MessageBanner::Kind::Note, sentence);
    });
}

void MainWindow::connectPlan()
{
    connect(m_planSearch, &PlanSearch::devicesFound, this, [this](const device::LocalDevices& devices) {
        if (m_view->isPlanShown())
            m_view->plan()->setDevices(devices);
        draw();
    });
    connect(m_planSearch, &PlanSearch::pythonChanged, this, [this] {
        if (m_view->isPlanShown())
            m_view->plan()->setPython(m_planSearch->python());
        draw();
    });
}

void MainWindow::connectSteering()
{
    const SteeringPanel* panel = m_view->steering();
    connect(panel, &SteeringPanel::skipAsked, m_exploration, [this] { m_exploration->skipTrial(); });
    connect(panel, &SteeringPanel::trialAsked, this, [this](std::int64_t size) {
        if (const QString refusal = m_exploration->tryNow(size); !refusal.isEmpty())
            showError(refusal);
    });
    connect(panel, &SteeringPanel::exclusionAsked, m_exploration, &engine::Exploration::excludeSize);
    connect(panel, &SteeringPanel::effortAsked, m_exploration, &engine::Exploration::extend);
    connect(panel, &SteeringPanel::toleranceAsked, m_exploration, &engine::Exploration::setTolerance);
    connect(panel, &SteeringPanel::targetConfidenceAsked, m_exploration,
            &engine::Exploration::setTargetConfidence);
}

void MainWindow::showPlan()
{
    // Only now: the first picture of an empty window does not wait for it.
    if (m_planSearch->begin()) {
        connect(m_view->plan(), &PlanView::optionsChanged, this, &MainWindow::takeOptions);
        connect(m_view->plan(), &PlanView::problemChanged, this, &MainWindow::draw);
    }
    m_view->plan()->setHistory(m_earlierRuns->history());
    m_view->plan()->setConfig(*m_config, m_options);
    m_view->setConfig(*m_config);
    m_view->showPlan(true);
    m_view->plan()->setPython(m_planSearch->python());
    m_planSearch->lookFor(m_options.python);
    // The first picture does not wait for the history either.
    QTimer::singleShot(0, this, [this] {
        m_view->plan()->setEarlier(m_earlierRuns->entries());
        offerToResume();
    });
}

/// An exploration of the config as it is, that ended with its program.
void MainWindow::offerToResume()
{
    m_offerTimer.stop();
    m_cut.reset();
    if (!m_config || isUnderWay() || !m_view->isPlanShown())
        return;
    try {
        m_cut = engine::cutExplorationOf(m_earlierRuns->history(), m_config->path());
    } catch (const store::StoreError& error) {
        // Whoever looks for earlier runs is told.
        if (error.kind() == store::StoreError::Kind::Busy)
            m_offerTimer.start();
        return;
    }
    if (m_cut && m_cut->summary.info.configText.toStdString() != m_config->text())
        m_cut.reset();
    if (!m_cut)
        return;
    const QString sentence =
        tr("An exploration of this config that began at %1 was cut off after %2. Continue it, or start anew.")
            .arg(startText(m_cut->summary.info.started), engine::trialsText(m_cut->summary.trials));
    const QString remarks = m_view->banner()->isHidden() ? QString() : m_view->banner()->text();
    m_view->banner()->showMessage(MessageBanner::Kind::Warning,
                                  remarks.isEmpty() ? sentence : sentence + QLatin1Char('\n') + remarks, {},
                                  m_actions->resume);
}

/// What it was asked stands, whatever is asked for in the plan by now.
void MainWindow::resumeCut()
{
    const auto cut = std::exchange(m_cut, std::nullopt);
    if (!cut || !m_config || isUnderWay())
        return;
    m_view->banner()->hide();
    const store::ExplorationInfo& info = cut->summary.info;
    try {
        auto file = *m_config;
        if (!info.chosenModel.isEmpty() && info.chosenModel != file.chosenModel())
            file = file.withModel(info.chosenModel);
        m_config = file;
        takeOptions(engine::optionsOf(info));
        if (!letsCodeRun())
            return;
        if (const QString why = m_exploration->takeUp(*engine::cutRunFrom(*cut)); !why.isEmpty())
            return showError(why);
        startInHand();
    } catch (const std::exception& error) {
        showError(QString::fromUtf8(error.what()));
    }
}

void MainWindow::takeOptions(const engine::ExplorationOptions& options)
{
    m_options = options;
    // Of one config, as it is now: nothing to be taken for another one, or another day.
    m_options.trustsCode = false;
    m_asked.insert(absolutePath(*m_config), m_options);
    m_settings.setOptionsOf(absolutePath(*m_config), engine::keptWords(options));
    m_phases = engine::PhaseSequence(m_options);
    if (m_view->isPlanShown())
        m_planSearch->askPython(m_options.python);
    try {
        m_exploration->load(*m_config, m_phases.options());
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
    // Who was asked to install something may have done so meanwhile.
    if (event->type() == QEvent::WindowActivate && m_view->isPlanShown())
        m_planSearch->askAgain();
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
    const QString unmeasurable = m_unmeasurable ? m_unmeasurable->path() : QString();
    m_unmeasurable.reset();
    m_view->hideUnmeasurable();
    m_earlierRun.reset();
    m_trustsCode = std::exchange(m_given.trustsCode, false);
    try {
        m_config = m_networks->completed(engine::ConfigFile::open(path), network);
        takeOptions(optionsFor(*m_config));
        showPlan();
    } catch (const NetworkNeeded& need) {
        // The page is about that one file.
        const QString why = QString::fromUtf8(need.what());
        const QString place = engine::located(path, need.position(), QString());
        showUnmeasurable(path, why.startsWith(place) ? why.sliced(place.size()) : why);
        // What was written into the same one is said still.
        if (unmeasurable != path)
            m_view->banner()->hide();
        return false;
    } catch (const std::exception& error) {
        showError(QString::fromUtf8(error.what()));
        draw();
        return false;
    }
    rememberOpened(path);
    showRemarks(*m_view->banner(), *m_config);
    draw();
    return true;
}

void MainWindow::showUnmeasurable(const QString& path, const QString& why)
{
    m_unmeasurable = engine::ConfigFile::open(path);
    m_whyUnmeasurable = why;
    m_view->showUnmeasurable(*m_unmeasurable, why);
    rememberOpened(path);
    draw();
}

void MainWindow::writeSize()
{
    const engine::ConfigFile& file = m_unmeasurable ? *m_unmeasurable : *m_config;
    const bool hasAsked = file.contents().plan(m_options.phase).has_value();
    m_exports->writeSize(file,
                         hasAsked                ? m_options.phase
                         : file.contents().train ? model::Phase::Train
                                                 : model::Phase::Eval,
                         m_theme);
    // It is read again, as it now stands.
    if (m_unmeasurable)
        openConfig(QString(m_unmeasurable->path()));
}

void MainWindow::rememberOpened(const QString& path)
{
    m_recent->add(path);
    m_settings.setRecentFiles(m_recent->files());
    m_settings.setLastFolder(QFileInfo(path).absolutePath());
}

QString MainWindow::configInHand() const
{
    if (m_unmeasurable)
        return m_unmeasurable->path();
    return m_config ? m_config->path() : QString();
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
        if (letsCodeRun())
            startInHand();
    } catch (const std::exception& error) {
        showError(QString::fromUtf8(error.what()));
    }
}

bool MainWindow::letsCodeRun()
{
    const QString code = m_config ? engine::codeOf(m_config->contentsFor(m_options)) : QString();
    if (code.isEmpty())
        return true;
    readCode(code);
    if (!m_trustsCode && !mayRunCode(this, code, m_theme))
        return false;
    engine::ExplorationOptions options = m_phases.options();
    options.trustsCode = m_trustsCode = true;
    m_exploration->load(*m_config, options);
    return true;
}

void MainWindow::startInHand()
{
    m_exploration->start();
    m_view->showPlan(false);
}

void MainWindow::exploreNextPhase()
{
    try {
        m_exploration->load(*m_config, m_phases.options());
        if (letsCodeRun())
            m_exploration->start();
    } catch (const std::exception& error) {
        showError(QString::fromUtf8(error.what()));
    }
}

void MainWindow::draw()
{
    const engine::Snapshot& snapshot = m_exploration->snapshot();
    m_actions->update(snapshot);
    m_actions->chooseNetwork->setEnabled(!isUnderWay() && !configInHand().isEmpty());
    m_training->follow(m_phases.before() ? *m_phases.before() : snapshot);
    m_earlierRuns->follow(snapshot);
    showWhatIsInHand();
    m_view->setBefore(m_earlierRun || !m_phases.before() ? QString() : engine::endText(*m_phases.before()));
    m_view->display(shown());
    m_desktop->follow(snapshot, m_phases.progress(snapshot.progress),
                      m_unmeasurable ? m_unmeasurable->path() : QString());
}

QString MainWindow::doubt() const
{
    const QString sentence =
        m_earlierRun ? engine::doubtText(shown(), m_options) : m_phases.doubtText(shown());
    return sentence.isEmpty() ? QString() : sentence + QLatin1Char(' ') + shown().reason;
}

void MainWindow::exportSizes()
{
    const engine::PhaseSequence alone;
    const engine::PhaseSequence& phases = m_earlierRun ? alone : m_phases;
    m_exports->exportSizes(*m_config, phases.sizes(shown()), m_actions->exportSize->data().toString(),
                           phases.foundText(shown()), m_theme);
}

/// What the actions do belongs to what is shown, which need not be the exploration in hand.
void MainWindow::showWhatIsInHand()
{
    m_actions->previousRun->setEnabled(!m_unmeasurable && m_earlierRuns->previous());
    m_actions->present->setEnabled(m_earlierRun.has_value());
    const bool hasBatch = m_unmeasurable ? !m_unmeasurable->contents().isNetworkAlone()
                                         : m_config && !m_config->contents().isNetworkAlone();
    m_actions->writeSize->setEnabled(hasBatch);
    QString obstacle = m_view->isPlanShown() ? m_view->plan()->problem() : QString();
    if (m_unmeasurable)
        obstacle = m_whyUnmeasurable;
    if (!obstacle.isEmpty()) {
        m_actions->start->setEnabled(false);
        m_actions->start->setToolTip(obstacle);
    }
    if (m_earlierRun || m_unmeasurable) {
        m_actions->updateExports(shown());
        m_actions->confirm->setEnabled(false);
        m_actions->goOn->setEnabled(false);
    }
    if (m_unmeasurable)
        m_actions->train->setEnabled(false);
    m_actions->setExportDoubt(doubt());
    m_view->setLookingBack(
        m_earlierRun ? tr("You look at the run of %1.").arg(startText(m_earlierRun->started)) : QString());
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

void MainWindow::stopAndClose()
{
    m_closesUnasked = true;
    close();
}

bool MainWindow::mayClose()
{
    const bool works = isUnderWay() || m_lease->holder();
    if (!works)
        return true;
    // Who closes it twice does not want to wait for the end. A system that ends says so more than once, and
    // leaves time for a checkpoint.
    if (m_closesAtEnd)
        return !m_closesUnasked;
    const QString training = m_training->closingText();
    const QString what =
        isUnderWay()         ? tr("An exploration is under way. It would end with the best size so far, "
                                          "and stay in the history.")
        : training.isEmpty() ? tr("A confirmation is under way. It would end without a result.")
                             : training;
    if (!m_closesUnasked && !wantsToStop(this, what, m_theme))
        return false;
    if (isUnderWay()) {
        m_closesAtEnd = true;
        m_exploration->stop();
        return false;
    }
    if (m_training->closingText().isEmpty())
        return true;
    m_closesAtEnd = true;
    m_training->stopTraining();
    return false;
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (!mayClose()) {
        event->ignore();
        return;
    }
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
