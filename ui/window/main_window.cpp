// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window.h"

#include "actions/desktop_presence.h"
#include "actions/recent_files.h"
#include "actions/settings_file.h"
#include "actions/window_actions.h"
#include "actions/window_desktop.h"
#include "charts/exploration_charts.h"
#include "engine/exploration.h"
#include "exploration/config_remarks.h"
#include "exploration/exploration_view.h"
#include "exploration/trials_view.h"
#include "files/trusted_code.h"
#include "network_dialog.h"
#include "network_download.h"
#include "places_model.h"
#include "plan_page/plan_search.h"
#include "plan_page/plan_view.h"
#include "run/steering_panel.h"
#include "snapshot/writing_rule.h"
#include "text/readable_text.h"
#include "watch/watched_exploration.h"
#include "widgets/code_reading.h"
#include "widgets/file_drop.h"
#include "widgets/help_dialog.h"
#include "widgets/message_banner.h"
#include "widgets/plain_text.h"
#include "widgets/questions.h"
#include "widgets/table_layout.h"
#include "window_exports.h"
#include "window_training.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QDialog>
#include <QFileDialog>
#include <QFileInfo>
#include <QKeyEvent>
#include <QScreen>

#include <algorithm>
#include <chrono>
#include <utility>

namespace batchpeak::ui {

namespace {

using namespace std::chrono_literals;

// Thirty redraws a second: both charts together take about half of that time to draw.
constexpr auto drawInterval = 33ms;
constexpr QSize defaultSize{1440, 900};
// Before a window is shown, its size does not include title bar and borders.
constexpr QSize frameRoom{8, 48};

QStringList idsOf(const engine::Snapshot& snapshot)
{
    QStringList ids;
    for (const engine::DeviceSnapshot& device : snapshot.devices)
        ids << device.id;
    return ids;
}

} // namespace

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent),
      m_lease(std::make_shared<engine::DeviceLease>()),
      m_planSearch(new PlanSearch([this] { return isPlanShown() && isVisible(); }, this)),
      m_exploration(
          new engine::Exploration({.pythonStackOf = m_planSearch->stackSource(), .lease = m_lease}, this)),
      m_themeSetting(m_settings.theme()),
      m_actions(new WindowActions(this)),
      m_exports(new WindowExports(this)),
      m_desktop(new WindowDesktop(this, m_lease, new DesktopPresence)),
      m_earlierRuns(new EarlierRuns(this)),
      m_training(new WindowTraining(m_actions,
                                    {.pythonStackOf = m_planSearch->stackSource(), .lease = m_lease}, this)),
      m_networks(new NetworkPicker(&m_settings, this)),
      m_download(new NetworkDownload(this)),
      m_places(new PlacesModel(this)),
      m_recent(new RecentFiles(this)),
      m_view(
          new ExplorationView(m_actions, m_recent, m_actions->makeMenu(m_recent, m_earlierRuns, this), this))
{
    PlainText::install();
    setCentralWidget(m_view);
    // Otherwise the first button would have the initial focus, and look pressed.
    m_view->setFocusPolicy(Qt::ClickFocus);
    m_view->setFocus();
    setMinimumSize(m_view->minimumSize());
    resize(defaultSize.boundedTo(screen()->availableSize() - frameRoom));
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
    // Tries again if another program has locked the history.
    m_offerTimer.setSingleShot(true);
    m_offerTimer.setInterval(1s);
    connect(&m_offerTimer, &QTimer::timeout, this, &MainWindow::offerToResume);
    // Often enough for the trials of another program.
    m_watchTimer.start(1s);
    connect(&m_watchTimer, &QTimer::timeout, this, &MainWindow::watchOthers);
    connectExploration();
    connectActions();
    connectExports();
    connectPlan();
    connectSteering();
    connectEarlierRuns();
    connect(m_lease.get(), &engine::DeviceLease::changed, this, &MainWindow::draw);
    draw();
    // Deferred: the creator of the window opens a config in it first, whose messages take precedence.
    QTimer::singleShot(0, this, &MainWindow::tellOfSettings);
}

MainWindow::~MainWindow()
{
    // A run that is still ending releases the lease when this window is partly destroyed.
    m_lease->disconnect(this);
}

void MainWindow::connectExploration()
{
    connect(m_exploration, &engine::Exploration::snapshotChanged, this, &MainWindow::drawSoon);
    engine::onEvent<engine::Started>(*m_exploration, this, [this](const engine::Started&) {
        m_earlierRuns->begin(QDateTime::currentDateTimeUtc());
        m_historyMessage.clear();
    });
    connect(m_training, &WindowTraining::closed, this, [this] {
        if (m_closesAtEnd)
            QTimer::singleShot(0, this, &QWidget::close);
    });
    engine::onEvent<engine::Finished>(*m_exploration, this, [this](const engine::Finished&) {
        m_earlierRuns->follow(m_exploration->snapshot());
        Running* const run = engineRun();
        const bool continues = run && run->asked.phases.advance(m_exploration->snapshot());
        if (!continues)
            m_desktop->tellEnd(m_exploration->snapshot());
        // Deferred, so that other slots of this signal store the end first.
        if (m_closesAtEnd)
            QTimer::singleShot(0, this, &QWidget::close);
        else if (continues)
            QTimer::singleShot(0, this, &MainWindow::exploreNextPhase);
    });
    connect(qApp, &QGuiApplication::commitDataRequest, this, [this] {
        m_closesUnasked = true;
        m_exploration->stop();
    });
}

void MainWindow::connectEarlierRuns()
{
    connect(m_earlierRuns, &EarlierRuns::chosen, this, &MainWindow::showEarlierRun);
    connect(m_earlierRuns, &EarlierRuns::searchFound, this, [this](const EarlierRun& run) {
        const auto* earlier = std::get_if<Earlier>(&m_inHand);
        if (earlier && earlier->run.exploration == run.exploration)
            showEarlierRun(run);
    });
    connect(m_earlierRuns, &EarlierRuns::failed, this, &MainWindow::showError);
    connect(m_view->banner(), &MessageBanner::closed, this, [this](const QAction* offered) {
        if (Ready* const ready = planInHand(); ready && ready->cut && offered == m_actions->resume)
            ready->declined = ready->cut->summary.id;
        showOffer();
    });
    connect(m_actions->previousRun, &QAction::triggered, this, [this] {
        if (const EarlierRun* run = m_earlierRuns->previous())
            showEarlierRun(*run);
    });
    connect(m_actions->present, &QAction::triggered, this, &MainWindow::backToPresent);
    connect(m_actions->watch, &QAction::triggered, this, [this] {
        const auto* run = m_earlierRuns->elsewhereOf(QFileInfo(configInHand()).absoluteFilePath());
        if (run)
            m_earlierRuns->choose(run->exploration);
    });
}

void MainWindow::setHistory(const QString& path)
{
    m_earlierRuns->setHistory(path);
    m_exploration->setHistory(path);
    m_exports->setHistory(path);
}

void MainWindow::connectActions()
{
    for (QAction* action : m_actions->themes->actions())
        action->setChecked(action->data().toInt() == static_cast<int>(m_themeSetting));
    connect(m_actions->open, &QAction::triggered, this, &MainWindow::chooseConfig);
    connect(m_view, &ExplorationView::openRequested, this, &MainWindow::chooseConfig);
    connect(m_actions->follow, &QAction::triggered, this, &MainWindow::chooseWatched);
    connect(m_recent, &RecentFiles::chosen, this, [this](const QString& path) { openConfig(path); });
    connect(m_view, &ExplorationView::fileChosen, this, [this](const QString& path) { openConfig(path); });
    connect(m_actions->chooseNetwork, &QAction::triggered, this, &MainWindow::chooseNetwork);
    connect(m_actions->places, &QAction::triggered, this, &MainWindow::showPlaces);
    connectDownloads();
    connect(m_actions->start, &QAction::triggered, this, &MainWindow::startExploring);
    connect(m_actions->restart, &QAction::triggered, this, &MainWindow::startExploring);
    connect(m_actions->useCpu, &QAction::triggered, this, &MainWindow::exploreOnCpu);
    for (const QAction* again : {m_actions->plan, m_actions->readAgain})
        connect(again, &QAction::triggered, this, [this] { openConfig(configInHand()); });
    connect(m_actions->resetAll, &QAction::triggered, this, &MainWindow::resetOptions);
    connect(m_actions->pause, &QAction::triggered, this, &MainWindow::pauseOrResume);
    connect(m_actions->stop, &QAction::triggered, m_exploration, &engine::Exploration::stop);
    connect(m_actions->continueSearch, &QAction::triggered, this, &MainWindow::continueSearch);
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
    connect(drop, &FileDrop::dropped, this, &MainWindow::open);
    connect(m_actions->themes, &QActionGroup::triggered, this, [this](const QAction* action) {
        m_themeSetting = static_cast<ThemeSetting>(action->data().toInt());
        m_settings.setTheme(m_themeSetting);
        applyTheme();
    });
}

void MainWindow::connectExports()
{
    connect(m_actions->exportSize, &QAction::triggered, this, [this] { exportSizes(selectedToWrite()); });
    connect(m_actions->exportSelected, &QAction::triggered, this,
            [this] { exportSizes(m_view->trials().selectedSize()); });
    connect(m_actions->takeBack, &QAction::triggered, this, &MainWindow::takeExportBack);
    connect(m_exports, &WindowExports::written, this, &MainWindow::showWritten);
    connect(m_view, &ExplorationView::sizeSelected, this, &MainWindow::drawSoon);
    connect(m_actions->copySize, &QAction::triggered, this, [this] {
        const bool isOther = isFollowing() && shown().run->filePath != configInHand();
        // Of a config elsewhere, the name says what it is.
        const bool isJson = isOther && shown().run->filePath.endsWith(QLatin1String(".json"));
        m_exports->copySize(isJson ? "{" : isOther ? std::string() : asked()->file.text(), shown());
    });
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
        if (planInHand())
            m_view->plan()->setDevices(devices);
        draw();
    });
    connect(m_planSearch, &PlanSearch::pythonChanged, this, [this] {
        if (planInHand())
            m_view->plan()->setPython(m_planSearch->python());
        draw();
        if (!m_planSearch->python())
            return;
        // A question at the start must not hold up the search's next steps.
        QTimer::singleShot(0, this, [this] {
            if (const auto* ready = std::get_if<Ready>(&m_inHand); ready && ready->startsOnceKnown)
                startAsAsked();
        });
    });
}

void MainWindow::connectSteering()
{
    const SteeringPanel* panel = m_view->steering();
    connect(panel, &SteeringPanel::skipAsked, m_exploration, [this] { m_exploration->skipTrial(); });
    const auto tryNow = [this](std::int64_t size) {
        if (const QString refusal = m_exploration->tryNow(size); !refusal.isEmpty())
            showError(refusal);
    };
    connect(panel, &SteeringPanel::trialAsked, this, tryNow);
    connect(m_actions->tryAgain, &QAction::triggered, this, [this, tryNow] {
        if (const auto size = m_view->trials().selectedSize())
            tryNow(*size);
    });
    connect(m_actions->exclude, &QAction::triggered, this, [this] {
        const std::vector<std::int64_t>& excluded = m_exploration->snapshot().searchState.excluded;
        if (const auto size = m_view->trials().selectedSize())
            m_exploration->excludeSize(*size, std::ranges::find(excluded, *size) == excluded.end());
    });
    connect(panel, &SteeringPanel::exclusionAsked, m_exploration, &engine::Exploration::excludeSize);
    connect(panel, &SteeringPanel::effortAsked, m_exploration, &engine::Exploration::extend);
    connect(panel, &SteeringPanel::toleranceAsked, m_exploration, &engine::Exploration::setTolerance);
    connect(panel, &SteeringPanel::targetConfidenceAsked, m_exploration,
            &engine::Exploration::setTargetConfidence);
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
    // The window has its own palette, so that this event is the only notice of a change of the desktop's
    // palette.
    if (event->type() == QEvent::ApplicationPaletteChange)
        applyTheme();
    // The user may have installed a missing package meanwhile.
    if (event->type() == QEvent::WindowActivate && isPlanShown())
        m_planSearch->askAgain();
    if (event->type() == QEvent::WindowActivate)
        readIfChanged();
    // Another window or terminal may have written or restored a size.
    if (event->type() == QEvent::WindowActivate && !configInHand().isEmpty()) {
        setWritten(m_written.isEmpty() ? configInHand() : m_written);
        m_actions->takeBack->setEnabled(!m_written.isEmpty());
    }
    return QMainWindow::event(event);
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

void MainWindow::writeSize()
{
    const engine::ConfigFile file = unmeasurable() ? *unmeasurable()->config : asked()->file;
    const model::Phase phase = unmeasurable() ? model::Phase::Train : asked()->options.phase;
    const bool hasAsked = file.contents().plan(phase).has_value();
    m_exports->writeSize(file,
                         hasAsked                ? phase
                         : file.contents().train ? model::Phase::Train
                                                 : model::Phase::Eval,
                         m_theme);
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
    if (isUnderWay())
        return;
    endLookingBack();
    if (std::holds_alternative<Running>(m_inHand) && !openConfig(configInHand()))
        return;
    // A config that was read again must be seen by the user before it is explored.
    if (isPlanShown() && !readIfChanged())
        startAsAsked();
}

void MainWindow::startAsAsked()
{
    auto* ready = std::get_if<Ready>(&m_inHand);
    if (!ready)
        return;
    ready->startsOnceKnown = m_view->plan()->isAskingPython();
    if (const QString problem = m_view->plan()->problem(); !problem.isEmpty()) {
        m_shownProblem = problem;
        return m_view->banner()->showMessage(
            ready->startsOnceKnown ? MessageBanner::Kind::Note : MessageBanner::Kind::Error, problem);
    }
    try {
        startInHand();
    } catch (const std::exception& error) {
        showError(QString::fromUtf8(error.what()));
    }
    draw();
}

bool MainWindow::letsCodeRun(Asked& asked)
{
    const QString code = engine::codeOf(asked.file.contentsFor(asked.options));
    if (code.isEmpty())
        return true;
    readCode(code);
    if (!asked.trustsCode && !mayRunCode(this, code, m_theme))
        return false;
    asked.trustsCode = true;
    return true;
}

void MainWindow::load(const Asked& asked)
{
    engine::ExplorationOptions options = asked.phases.options();
    options.trustsCode = asked.trustsCode;
    m_exploration->load(asked.file, options);
}

void MainWindow::startInHand(const std::optional<store::StoredExploration>& cut)
{
    if (!isPlanShown())
        return;
    if (const QString taken = obstacle(); !taken.isEmpty())
        return showError(taken);
    // A copy: the questions and the engine's signals may change m_inHand.
    Asked asked = std::get<Ready>(m_inHand).asked;
    if (!mayStartBeside(asked, chosenDevices()) || !letsCodeRun(asked) || !isPlanShown())
        return;
    load(asked);
    auto& ready = std::get<Ready>(m_inHand);
    ready.ended.reset();
    const QString refusal = cut ? m_exploration->resumeFrom(*engine::interruptedRunFrom(*cut)) : QString();
    if (!refusal.isEmpty())
        return showError(refusal);
    if (m_view->banner()->offers(m_actions->resume))
        showRemarks(*m_view->banner(), asked.file);
    m_training->setExplored(asked.file, asked.options);
    m_inHand = Running{std::move(asked)};
    m_exploration->start();
    draw();
}

void MainWindow::exploreNextPhase()
{
    const Running* const run = runInHand();
    if (!run || isUnderWay())
        return;
    try {
        Asked asked = run->asked;
        if (!letsCodeRun(asked))
            return;
        load(asked);
        m_exploration->start();
    } catch (const std::exception& error) {
        showError(QString::fromUtf8(error.what()));
    }
}

/// Draws at the next timeout; repeated requests do not postpone it.
void MainWindow::drawSoon()
{
    if (!m_drawTimer.isActive())
        m_drawTimer.start();
}

void MainWindow::draw()
{
    if (auto* ready = std::get_if<Ready>(&m_inHand))
        ready->snapshot.run = m_view->plan()->preview().run;
    const Running* const run = engineRun();
    const engine::Snapshot* const before =
        run && run->asked.phases.before() ? &*run->asked.phases.before() : nullptr;
    takeFollowed();
    const bool looksBack = std::holds_alternative<Earlier>(m_inHand);
    m_training->follow(before ? *before : own(), looksBack        ? WindowTraining::Page::Earlier
                                                 : unmeasurable() ? WindowTraining::Page::Unmeasurable
                                                                  : WindowTraining::Page::Present);
    m_earlierRuns->follow(run ? own() : present());
    showWhatIsInHand();
    showLookingBack();
    showRemembered();
    m_view->showPlan(isPlanShown());
    m_view->setBefore(before && runInHand() && !looksBack ? engine::endText(*before) : QString());
    m_view->setAwaitsSearch(looksBack && std::get<Earlier>(m_inHand).run.awaitsSearch);
    m_view->display(shown());
    takeAwayProblem();
    showOffer();
    const double progress = own().progress;
    m_desktop->follow(isFollowing() ? shown() : present(),
                      isFollowing() ? shown().progress
                      : run         ? run->asked.phases.progress(progress)
                                    : progress,
                      unmeasurable() ? unmeasurable()->path : QString());
}

QString MainWindow::doubt() const
{
    return doubt(selectedToWrite());
}

QString MainWindow::doubt(std::optional<std::int64_t> selected) const
{
    const Asked* const inHand = asked();
    if (!shown().run || (!inHand && !isFollowing()))
        return {};
    const engine::ExplorationOptions options = isFollowing() ? engine::ExplorationOptions() : inHand->options;
    QString sentence = std::holds_alternative<Earlier>(m_inHand)
                           ? engine::doubtText(shown(), options, QLocale(), selected)
                           : inHand->phases.doubtText(shown(), QLocale(), selected);
    if (sentence.isEmpty() || selected)
        return sentence;
    return sentence + QLatin1Char(' ') + shown().reason;
}

std::optional<std::int64_t> MainWindow::selectedToWrite() const
{
    return engine::selectedToWrite(shown(), m_view->trials().selectedSize());
}

void MainWindow::exportSizes(std::optional<std::int64_t> selected)
{
    const engine::PhaseSequence alone;
    const bool looksBack = std::holds_alternative<Earlier>(m_inHand);
    const engine::PhaseSequence& phases = looksBack ? alone : asked()->phases;
    selected = engine::selectedToWrite(shown(), selected);
    const std::vector<config::ChosenSize> sizes = phases.sizes(shown(), selected);
    if (sizes.empty())
        return;
    QStringList found{phases.foundText(shown())};
    if (selected && shown().recommendsSize())
        found << tr("The recommended size is %1.")
                     .arg(engine::numberText(shown().searchState.recommendation->size));
    found.removeAll(QString());
    const QString foundText = found.join(QLatin1Char(' '));
    if (isFollowing())
        exportFollowed(sizes, doubt(selected), foundText);
    else
        m_exports->exportSizes(asked()->file, sizes, doubt(selected), foundText, m_theme);
}

void MainWindow::takeExportBack()
{
    // A copy: slots may assign m_written.
    const QString path = m_written;
    m_exports->takeBack(path, m_theme);
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
    if (m_exploration->snapshot().canResume())
        m_exploration->resume();
    else
        m_exploration->pause();
}

void MainWindow::continueSearch()
{
    const Running* const run = engineRun();
    if (!run || !mayStartBeside(run->asked, idsOf(own())))
        return;
    try {
        m_exploration->continueSearch({});
    } catch (const engine::DeviceInUse& error) {
        return showError(error.sentence());
    }
    if (!runInHand())
        backToPresent();
}

void MainWindow::showError(const QString& sentence)
{
    m_view->banner()->showMessage(MessageBanner::Kind::Error, sentence);
}

void MainWindow::tellOfHistory(const QString& sentence)
{
    m_historyMessage = sentence;
    m_exploration->remark(engine::LogLevel::Warning, sentence);
    // Users do not look for a loss in the log.
    m_view->banner()->showMessage(MessageBanner::Kind::Warning, sentence);
}

/// Reports a problem of the settings file, in addition to remarks on the initial config.
void MainWindow::tellOfSettings()
{
    const QString sentence = SettingsFile::problem();
    if (sentence.isEmpty())
        return;
    MessageBanner& banner = *m_view->banner();
    const QString before = banner.isHidden() ? QString() : banner.text() + QLatin1Char('\n');
    banner.showMessage(MessageBanner::Kind::Warning, before + sentence);
}

void MainWindow::stopAndClose()
{
    m_closesUnasked = true;
    // No user is there to answer questions any more. One of them may be the question whether to close, and
    // while it is open the window ignores close(): afterward it continues as if close() had just been called.
    for (auto* dialog : findChildren<QDialog*>()) {
        if (dialog->isModal() && dialog->isVisible())
            dialog->reject();
    }
    close();
}

QString MainWindow::whatIsKept() const
{
    if (m_earlierRuns->holds(m_exploration->snapshot()))
        return tr("Its trials and the best size so far are kept in the history.");
    if (m_exploration->snapshot().numberInHistory == 0 && m_historyMessage.isEmpty())
        return tr("Its trials and the best size so far will be lost, because they are not in the history.");
    return tr("Not all of it is in the history. %1").arg(m_historyMessage).trimmed();
}

bool MainWindow::mayClose()
{
    const bool works = isUnderWay() || m_lease->holder();
    if (!works)
        return true;
    // A user who closes the window twice does not want to wait for the end. A system that shuts down requests
    // it more than once, and leaves time for a checkpoint.
    if (m_closesAtEnd)
        return !m_closesUnasked;
    const QString training = m_training->closingText();
    const UnderWay what = isUnderWay()         ? UnderWay::Exploration
                          : training.isEmpty() ? UnderWay::Confirmation
                                               : UnderWay::Training;
    const QString consequence = isUnderWay()         ? whatIsKept()
                                : training.isEmpty() ? tr("It ends without a result.")
                                                     : training;
    // close() may be called while the question is open.
    if (!m_closesUnasked && !wantsToStop(this, what, consequence, m_theme) && !m_closesUnasked)
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
    // In other widgets the space bar presses buttons and selects rows.
    if (event->key() == Qt::Key_Space && qobject_cast<ExplorationChart*>(focusWidget()) &&
        m_actions->pause->isEnabled()) {
        pauseOrResume();
        return;
    }
    QMainWindow::keyPressEvent(event);
}

} // namespace batchpeak::ui
