// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// What is current in the window, and how that changes: a plan, a run, an earlier run, or a file with which no
// trial is possible.
#include "actions/recent_files.h"
#include "actions/window_actions.h"
#include "engine/exploration.h"
#include "exploration/config_remarks.h"
#include "exploration/exploration_view.h"
#include "exploration/trials_view.h"
#include "files/output_place.h"
#include "files/trusted_code.h"
#include "history/interrupted_run.h"
#include "main_window.h"
#include "network_dialog.h"
#include "network_download.h"
#include "options/option_table.h"
#include "options/saved_arguments.h"
#include "plan_page/plan_search.h"
#include "plan_page/plan_view.h"
#include "store/exploration_store.h"
#include "text/readable_text.h"
#include "widgets/message_banner.h"
#include "widgets/questions.h"
#include "window_exports.h"
#include "window_training.h"

#include <QAction>
#include <QFileInfo>

#include <utility>

namespace batchpeak::ui {

namespace {

const engine::Snapshot& nothing()
{
    static const engine::Snapshot snapshot;
    return snapshot;
}

/// Returns the path that identifies a config across launches.
QString absolutePath(const engine::ConfigFile& file)
{
    return QFileInfo(file.path()).absoluteFilePath();
}

/// Reads the file as it is now, with the network that was chosen for it.
engine::ConfigFile readAgain(const engine::ConfigFile& file)
{
    const engine::ConfigFile now = engine::ConfigFile::open(file.path());
    return file.chosenModel().isEmpty() ? now : now.withModel(file.chosenModel());
}

} // namespace

bool MainWindow::isPlanShown() const
{
    return std::holds_alternative<Ready>(m_inHand);
}

const UnmeasurableFile* MainWindow::unmeasurable() const
{
    const auto* inHand = std::get_if<Unmeasurable>(&m_inHand);
    return inHand ? &inHand->file : nullptr;
}

std::optional<config::NetworkName> MainWindow::missingNetwork() const
{
    const UnmeasurableFile* file = unmeasurable();
    return file && file->config ? file->config->missingNetwork() : std::nullopt;
}

void MainWindow::downloadNetwork(bool isAllowed)
{
    if (const auto missing = missingNetwork())
        m_download->begin(*missing, configInHand(), m_theme, isAllowed);
    draw();
}

void MainWindow::connectDownloads()
{
    connect(m_actions->downloadNetwork, &QAction::triggered, this, [this] { downloadNetwork(); });
    connect(m_actions->keepsAsking, &QAction::triggered, this, [this] {
        m_download->askAgain();
        draw();
    });
    connect(m_download, &NetworkDownload::began, this, [this](const QString& sentence) {
        m_view->banner()->showMessage(MessageBanner::Kind::Note, sentence);
    });
    connect(m_download, &NetworkDownload::ended, this, &MainWindow::takeDownload);
}

void MainWindow::takeDownload(const QString& path, const QString& problem)
{
    if (!problem.isEmpty()) {
        showError(problem);
    } else if (unmeasurable() && path == configInHand()) {
        // Another file may have been opened meanwhile.
        m_view->banner()->hide();
        openConfig(path);
    }
    draw();
}

const MainWindow::Ready* MainWindow::planInHand() const
{
    if (const auto* earlier = std::get_if<Earlier>(&m_inHand))
        return std::get_if<Ready>(&earlier->before);
    return std::get_if<Ready>(&m_inHand);
}

MainWindow::Ready* MainWindow::planInHand()
{
    return const_cast<Ready*>(std::as_const(*this).planInHand());
}

const MainWindow::Running* MainWindow::runInHand() const
{
    if (const auto* earlier = std::get_if<Earlier>(&m_inHand))
        return std::get_if<Running>(&earlier->before);
    return std::get_if<Running>(&m_inHand);
}

const MainWindow::Running* MainWindow::engineRun() const
{
    const auto* unreadable = std::get_if<Unmeasurable>(&m_inHand);
    const Ready* const plan = planInHand();
    if (!plan && !unreadable)
        return runInHand();
    const std::optional<Running>& ended = plan ? plan->ended : unreadable->ended;
    return ended ? &*ended : nullptr;
}

MainWindow::Running* MainWindow::engineRun()
{
    return const_cast<Running*>(std::as_const(*this).engineRun());
}

const MainWindow::Asked* MainWindow::asked() const
{
    if (const Ready* const plan = planInHand())
        return &plan->asked;
    const Running* const run = runInHand();
    return run ? &run->asked : nullptr;
}

const engine::Snapshot& MainWindow::own() const
{
    return engineRun() ? m_exploration->snapshot() : nothing();
}

const engine::Snapshot& MainWindow::present() const
{
    const Ready* const plan = planInHand();
    return plan ? plan->snapshot : runInHand() ? own() : nothing();
}

const engine::Snapshot& MainWindow::shown() const
{
    const auto* earlier = std::get_if<Earlier>(&m_inHand);
    return earlier ? earlier->run.snapshot : present();
}

void MainWindow::showEarlierRun(const EarlierRun& run)
{
    if (auto* earlier = std::get_if<Earlier>(&m_inHand)) {
        earlier->run = run;
    } else if (auto* ready = std::get_if<Ready>(&m_inHand)) {
        ready->startsOnceKnown = false;
        m_inHand = Earlier{.run = run, .before = std::move(*ready)};
    } else if (auto* running = std::get_if<Running>(&m_inHand)) {
        m_inHand = Earlier{.run = run, .before = std::move(*running)};
    } else if (auto* unreadable = std::get_if<Unmeasurable>(&m_inHand)) {
        m_view->hideUnmeasurable();
        m_inHand = Earlier{.run = run, .before = std::move(*unreadable)};
    } else {
        m_inHand = Earlier{.run = run, .before = Nothing{}};
    }
    draw();
}

void MainWindow::endLookingBack()
{
    auto* earlier = std::get_if<Earlier>(&m_inHand);
    if (!earlier)
        return;
    auto before = std::move(earlier->before);
    if (const auto* unreadable = std::get_if<Unmeasurable>(&before))
        m_view->showUnmeasurable(unreadable->file);
    std::visit([this](auto& inHand) { m_inHand = std::move(inHand); }, before);
    draw();
}

void MainWindow::backToPresent()
{
    if (std::holds_alternative<Earlier>(m_inHand)) {
        endLookingBack();
        if (auto* ready = std::get_if<Ready>(&m_inHand)) {
            // The message about the failure of the earlier run has replaced the remarks on the plan.
            if (m_view->banner()->isHidden())
                showRemarks(*m_view->banner(), ready->asked.file);
        }
    } else if (const Running* const run = engineRun(); run && !runInHand()) {
        Running present = *run;
        m_view->hideUnmeasurable();
        m_inHand = std::move(present);
        handOver(*asked());
    }
    lookAtHistory();
    draw();
}

bool MainWindow::openConfig(const QString& path, const QString& network)
{
    if (const QString sentence = obstacle(); !sentence.isEmpty()) {
        showError(sentence);
        return false;
    }
    return readConfig(path, network);
}

bool MainWindow::readConfig(const QString& path, const QString& network)
{
    const bool trustsCode = m_options.takeTrust();
    const QString name = QFileInfo(path).absoluteFilePath();
    std::optional<Running> ended;
    if (const Running* const run = engineRun(); run && absolutePath(run->asked.file) == name)
        ended = *run;
    std::optional<engine::ConfigFile> file;
    try {
        file = engine::ConfigFile::open(path);
        const engine::ConfigFile completed = m_networks->completed(*file, network);
        showPlan({.asked = {.file = completed,
                            .options = m_options.open(name),
                            .phases = engine::PhaseSequence(),
                            .trustsCode = trustsCode},
                  .ended = ended,
                  .cut = {},
                  .snapshot = {}});
    } catch (const NetworkNeeded& need) {
        rememberOpened(path);
        showUnmeasurable(unmeasurableFile(path, need, file), std::move(ended));
        return false;
    } catch (const config::ConfigError& error) {
        showUnmeasurable(unmeasurableFile(path, error, file), std::move(ended));
        return false;
    } catch (const std::exception& error) {
        showUnmeasurable({.path = path, .why = QString::fromUtf8(error.what()), .config = file},
                         std::move(ended));
        return false;
    }
    m_view->hideUnmeasurable();
    rememberOpened(path);
    showRemarks(*m_view->banner(), asked()->file);
    draw();
    return true;
}

void MainWindow::showUnmeasurable(UnmeasurableFile file, std::optional<Running> ended)
{
    // A message about what was written into the same file is kept.
    if (!unmeasurable() || unmeasurable()->path != file.path)
        m_view->banner()->hide();
    m_view->showUnmeasurable(file);
    m_inHand = Unmeasurable{.file = std::move(file), .ended = std::move(ended)};
    setWritten(configInHand());
    draw();
}

void MainWindow::rememberOpened(const QString& path)
{
    m_recent->add(path);
    m_settings.setRecentFiles(m_recent->files());
    m_settings.setLastFolder(QFileInfo(path).absolutePath());
}

QString MainWindow::configInHand() const
{
    if (unmeasurable())
        return unmeasurable()->path;
    const Asked* const inHand = asked();
    return inHand ? inHand->file.path() : QString();
}

void MainWindow::showPlan(Ready ready)
{
    // Deferred until now: the first paint of an empty window does not wait for it.
    if (m_planSearch->begin()) {
        connect(m_view->plan(), &PlanView::optionsChanged, this, &MainWindow::takeOptions);
        connect(m_view->plan(), &PlanView::problemChanged, this, &MainWindow::draw);
    }
    m_view->plan()->setHistory(m_earlierRuns->history());
    const engine::ConfigFile file = ready.asked.file;
    const engine::ExplorationOptions options = ready.asked.options;
    m_inHand = std::move(ready);
    setAsked(std::get<Ready>(m_inHand), file, options);
    m_view->plan()->setPython(m_planSearch->python());
    m_planSearch->lookFor(options.python);
    // The first paint does not wait for the history either.
    QTimer::singleShot(0, this, [this] {
        setWritten(configInHand());
        m_earlierRuns->lookElsewhere();
        lookAtHistory();
        draw();
    });
}

void MainWindow::setAsked(Ready& ready, const engine::ConfigFile& file,
                          const engine::ExplorationOptions& options)
{
    ready.asked = {.file = file,
                   .options = options,
                   .phases = engine::PhaseSequence(options),
                   .trustsCode = ready.asked.trustsCode};
    ready.startsOnceKnown = false;
    m_view->plan()->setConfig(file, options);
    handOver(ready.asked);
}

/// Passes the config and options to everything beside plan and exploration that uses them.
void MainWindow::handOver(const Asked& asked)
{
    m_exports->setOptions(asked.options);
    m_view->setConfig(asked.file);
    m_training->setConfig(asked.file, asked.options);
}

/// Offers to continue an exploration that ended with its program, if the config is unchanged.
void MainWindow::offerToResume()
{
    m_offerTimer.stop();
    auto* ready = std::get_if<Ready>(&m_inHand);
    if (!ready)
        return;
    std::optional<store::StoredExploration> cut;
    try {
        cut = engine::cutExplorationOf(m_earlierRuns->history(), ready->asked.file.path());
    } catch (const store::StoreError& error) {
        // EarlierRuns reports the error when its entries are requested.
        if (error.kind() == store::StoreError::Kind::Busy)
            m_offerTimer.start();
        return;
    }
    if (cut && cut->summary.info.configText.toStdString() != ready->asked.file.text())
        cut.reset();
    const auto before = std::exchange(ready->cut, std::move(cut));
    const bool isSame = before && ready->cut && before->summary.id == ready->cut->summary.id;
    if (!isSame && m_view->banner()->offers(m_actions->resume))
        showRemarks(*m_view->banner(), ready->asked.file);
    showOffer();
}

/// Shows the offer, unless a message other than the config's remarks is visible, or the user has closed this
/// offer.
void MainWindow::showOffer()
{
    const auto* ready = std::get_if<Ready>(&m_inHand);
    MessageBanner& banner = *m_view->banner();
    if (!ready || !ready->cut || ready->cut->summary.id == ready->declined ||
        banner.offers(m_actions->resume))
        return;
    const QString remarks = remarksText(ready->asked.file);
    if (!banner.isHidden() && banner.text() != remarks)
        return;
    const QString sentence = tr("An exploration of this config that began at %1 was interrupted after %2. "
                                "Continue it, or start a new one.")
                                 .arg(engine::momentText(ready->cut->summary.info.started),
                                      engine::trialsText(ready->cut->summary.trials));
    banner.showMessage(MessageBanner::Kind::Warning,
                       remarks.isEmpty() ? sentence : sentence + QLatin1Char('\n') + remarks, {},
                       m_actions->resume);
}

/// Hides the message that the plan cannot start, once it does not apply to the plan any more.
void MainWindow::takeAwayProblem()
{
    if (m_shownProblem.isEmpty() || (isPlanShown() && m_view->plan()->problem() == m_shownProblem))
        return;
    if (const QString problem = std::exchange(m_shownProblem, {}); m_view->banner()->text() != problem)
        return;
    if (const Asked* const inHand = asked())
        showRemarks(*m_view->banner(), inHand->file);
    else
        m_view->banner()->hide();
}

/// Resumes with the options of the interrupted exploration, whatever the plan has now; if the user then
/// declines, the plan is as before, and the user may resume later.
void MainWindow::resumeCut()
{
    endLookingBack();
    if (const Running* const run = runInHand(); run && own().canBeTakenUp())
        return resumeFailed(Running(*run));
    auto* ready = std::get_if<Ready>(&m_inHand);
    if (!ready || !ready->cut)
        return;
    const store::StoredExploration cut = *ready->cut;
    const Asked before = ready->asked;
    const engine::ExplorationOptions options = engine::optionsOf(cut.summary.info);
    try {
        const QString& network = cut.summary.info.chosenModel;
        const bool isOther = !network.isEmpty() && network != before.file.chosenModel();
        setAsked(*ready, isOther ? before.file.withModel(network) : before.file, options);
        startInHand(cut);
    } catch (const std::exception& error) {
        showError(QString::fromUtf8(error.what()));
    }
    // Not remembered beyond this window: the next start uses the same options.
    if (runInHand())
        m_options.askOnce(absolutePath(before.file), options);
    else if ((ready = std::get_if<Ready>(&m_inHand)))
        setAsked(*ready, before.file, before.options);
    draw();
}

/// Resumes an exploration that failed, for example because its place could not be reached, from its trials in
/// the history.
void MainWindow::resumeFailed(const Running& run)
{
    try {
        const QString history = m_earlierRuns->history();
        const auto stored = store::ExplorationStore(history).show(own().numberInHistory);
        QString refusal = stored ? engine::resumeError(history, *stored)
                                 : tr("The history does not have this exploration any more; start it again.");
        Asked asked = run.asked;
        if (refusal.isEmpty() && !letsCodeRun(asked))
            return;
        if (refusal.isEmpty()) {
            load(asked);
            refusal = m_exploration->resumeFrom(*engine::interruptedRunFrom(*stored));
        }
        if (!refusal.isEmpty())
            return showError(refusal);
        m_exploration->start();
    } catch (const std::exception& error) {
        showError(QString::fromUtf8(error.what()));
    }
    draw();
}

/// Takes options of the plan that the user has changed, and remembers them.
void MainWindow::takeOptions(const engine::ExplorationOptions& options)
{
    auto* ready = std::get_if<Ready>(&m_inHand);
    if (!ready)
        return;
    Asked& asked = ready->asked;
    ready->startsOnceKnown = false;
    asked.options = options;
    // Trust applies to one config in its current state: it must not carry over to another config or launch.
    asked.options.trustsCode = false;
    asked.phases = engine::PhaseSequence(asked.options);
    m_options.ask(absolutePath(asked.file), asked.options);
    m_planSearch->askPython(options.python);
    handOver(asked);
    draw();
}

void MainWindow::setWritten(const QString& path)
{
    m_written = m_exports->canTakeBack(path) ? path : QString();
}

void MainWindow::showWritten(const QString& sentence, const QString& path)
{
    setWritten(path);
    const bool canTakeBack = !m_written.isEmpty();
    // An earlier size may have been written into the config, too.
    if (!canTakeBack)
        setWritten(configInHand());
    if (const QString inHand = configInHand(); !inHand.isEmpty() && engine::isSameFile(path, inHand)) {
        try {
            readWritten();
        } catch (const config::ConfigError& error) {
            draw();
            return showError(QString::fromUtf8(error.what()));
        }
    }
    draw();
    m_view->banner()->showMessage(MessageBanner::Kind::Note, sentence, {},
                                  canTakeBack ? m_actions->takeBack : nullptr);
}

/// Reads the file again, so that the next size is written into its current content.
void MainWindow::readWritten()
{
    if (isPlanShown() || unmeasurable()) {
        const std::optional<Asked> before = isPlanShown() ? std::optional(*asked()) : std::nullopt;
        readConfig(configInHand());
        // The user has not opened it anew, so that trust in the same code is kept.
        auto* ready = std::get_if<Ready>(&m_inHand);
        if (ready && before &&
            engine::codeOf(ready->asked.file.contents()) == engine::codeOf(before->file.contents()))
            ready->asked.trustsCode = before->trustsCode;
    }
    if (Running* const run = engineRun())
        run->asked.file = readAgain(run->asked.file);
    auto* earlier = std::get_if<Earlier>(&m_inHand);
    if (auto* ready = earlier ? std::get_if<Ready>(&earlier->before) : nullptr)
        setAsked(*ready, readAgain(ready->asked.file), ready->asked.options);
    else if (const Running* const run = runInHand())
        handOver(run->asked);
}

/// Reads the config of the plan again if the file was changed, for example in an editor.
/// \return whether it was read
bool MainWindow::readIfChanged()
{
    const Asked* const inHand = asked();
    // An editor may remove the file for a moment.
    if (!isPlanShown() || !QFileInfo(inHand->file.path()).isFile() || inHand->file.isUnchanged())
        return false;
    readWritten();
    if (isPlanShown()) {
        m_view->banner()->showMessage(MessageBanner::Kind::Note,
                                      tr("The config has changed since it was opened, and was read again."));
    }
    return true;
}

void MainWindow::resetOptions()
{
    const Asked* const inHand = asked();
    if (!inHand)
        return;
    const engine::ConfigFile file = inHand->file;
    m_options.reset(absolutePath(file));
    if (runInHand()) {
        m_view->banner()->showMessage(
            MessageBanner::Kind::Note,
            tr("The options remembered for this config were removed. The current run keeps its options."));
    } else {
        endLookingBack();
        const engine::ExplorationOptions options = m_options.open(absolutePath(file));
        setAsked(std::get<Ready>(m_inHand), file, options);
        m_planSearch->askPython(options.python);
    }
    draw();
}

void MainWindow::exploreOnCpu()
{
    if (isUnderWay())
        return;
    endLookingBack();
    const Asked* const inHand = asked();
    if (!inHand)
        return;
    engine::ExplorationOptions options = inHand->options;
    options.devices = {QStringLiteral("cpu")};
    m_options.ask(absolutePath(inHand->file), options);
    if (auto* ready = std::get_if<Ready>(&m_inHand))
        setAsked(*ready, ready->asked.file, options);
    startExploring();
}

/// Shows in the banner which options of the present plan or run were remembered from an earlier launch.
void MainWindow::showRemembered()
{
    const Asked* const inHand = std::holds_alternative<Earlier>(m_inHand) ? nullptr : asked();
    const QString words =
        inHand ? m_options.rememberedWords(absolutePath(inHand->file), inHand->options) : QString();
    if (words.isEmpty())
        m_view->setRemembered({});
    else
        m_view->setRemembered((runInHand() ? tr("This run uses options remembered for this config: %1")
                                           : tr("Options remembered for this config: %1"))
                                  .arg(words));
}

/// Polls what other programs run, since they send no notification.
void MainWindow::watchOthers()
{
    auto* earlier = std::get_if<Earlier>(&m_inHand);
    if (!isVisible() || (!isPlanShown() && !earlier))
        return;
    if (m_earlierRuns->lookElsewhere()) {
        lookAtHistory();
        draw();
    }
    if (isFollowing())
        return drawSoon();
    if (!earlier)
        return;
    try {
        if (earlier->run.awaitsSearch && m_earlierRuns->mayThink())
            return m_earlierRuns->lookAt(earlier->run.exploration);
        if (!earlier->run.snapshot.isUnderWay())
            return;
        const auto now = m_earlierRuns->read(earlier->run.exploration);
        if (now && now->snapshot.finish)
            m_earlierRuns->lookAt(earlier->run.exploration);
        else if (now)
            showEarlierRun(*now);
    } catch (const store::StoreError&) {
        // The history is being written right now, or cannot be read any more: the last state is kept.
    }
}

/// Looks for explorations of the config whose plan is shown.
void MainWindow::lookAtHistory()
{
    if (!isPlanShown())
        return;
    m_view->plan()->setEarlier(m_earlierRuns->entries());
    offerToResume();
}

QStringList MainWindow::chosenDevices() const
{
    QStringList devices;
    for (const engine::DevicePreview& device : m_view->plan()->preview().devices) {
        if (device.isChosen)
            devices << QString::fromStdString(device.device.id());
    }
    return devices;
}

QString MainWindow::disturbedText(const Asked& asked, const QStringList& devices) const
{
    // The target of a launcher is not this computer.
    if (!asked.options.isHere())
        return {};
    return m_earlierRuns->elsewhereText(absolutePath(asked.file),
                                        devices.isEmpty() ? asked.options.devices : devices);
}

bool MainWindow::mayStartBeside(const Asked& asked, const QStringList& devices)
{
    m_earlierRuns->lookElsewhere();
    const QString other = disturbedText(asked, devices);
    return other.isEmpty() || wantsToStartBeside(this, other, m_theme);
}

QString MainWindow::startObstacle() const
{
    if (unmeasurable())
        return unmeasurable()->why;
    const QString problem = planInHand() ? m_view->plan()->problem() : QString();
    return problem.isEmpty() ? m_lease->obstacleFor(engine::DeviceLease::Holder::Exploration) : problem;
}

/// Updates the actions for what is shown, which need not be the current exploration.
void MainWindow::showWhatIsInHand()
{
    const bool looksBack = std::holds_alternative<Earlier>(m_inHand);
    const Asked* const inHand = asked();
    const engine::ConfigFile* file = inHand ? &inHand->file : nullptr;
    if (unmeasurable() && unmeasurable()->config)
        file = &*unmeasurable()->config;
    m_actions->updateRun(present(), {.obstacle = startObstacle(),
                                     .opensPlan = inHand && !isUnderWay() && !isPlanShown(),
                                     .continues = !looksBack && own().isWorthContinuing()});
    m_actions->updateExports(shown(), selectedToWrite(), doubt());
    m_actions->updateSelected(shown(), m_view->trials().selectedSize(), inHand && !looksBack);
    m_actions->chooseNetwork->setEnabled(!isUnderWay() && file);
    m_actions->downloadNetwork->setEnabled(missingNetwork() && m_download->config().isEmpty());
    m_actions->keepsAsking->setVisible(NetworkDownload::isAlwaysAllowed());
    m_actions->writeSize->setEnabled(file && !file->contents().isNetworkAlone());
    m_actions->takeBack->setEnabled(!m_written.isEmpty());
    m_actions->readAgain->setEnabled(unmeasurable());
    m_earlierRuns->setEnabled(!unmeasurable());
    m_actions->previousRun->setEnabled(inHand && m_earlierRuns->previous());
    using Back = WindowActions::Back;
    m_actions->updatePresent(looksBack || (engineRun() && !runInHand()), isFollowing() ? Back::FromWatching
                                                                         : looksBack && planInHand()
                                                                             ? Back::ToPlan
                                                                             : Back::ToRun);
    m_actions->resetAll->setEnabled(inHand);
    m_actions->watch->setEnabled(isPlanShown() && m_earlierRuns->elsewhereOf(absolutePath(*file)));
    if (isPlanShown())
        m_view->plan()->setElsewhere(disturbedText(*inHand, chosenDevices()));
}

void MainWindow::showLookingBack()
{
    QString sentence;
    QString command;
    auto kind = MessageBanner::Kind::Note;
    if (const auto* earlier = std::get_if<Earlier>(&m_inHand)) {
        kind = MessageBanner::Kind::Past;
        sentence = viewingText(earlier->run);
        if (const auto& run = earlier->run.snapshot.run)
            command = engine::exploreCommand(run->filePath, run->chosenModel, run->command);
    } else if (engineRun() && !runInHand()) {
        sentence = (unmeasurable() ? tr("The present run stays open: %1.")
                                   : tr("This is the plan of the next run. The present one: %1."))
                       .arg(outcomeText(own()));
    }
    m_view->setLookingBack(sentence, command, kind);
}

} // namespace batchpeak::ui
