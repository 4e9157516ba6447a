// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_window.h"

#include "files/trusted_code.h"
#include "runs_card.h"
#include "runs_model.h"
#include "training/training_event_file.h"
#include "training/training_run.h"
#include "training_form.h"
#include "training_text.h"
#include "training_view.h"
#include "widgets/message_banner.h"
#include "widgets/plain_text.h"
#include "widgets/questions.h"

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QVBoxLayout>

#include <chrono>

namespace batchpeak::ui {

namespace {

using namespace std::chrono_literals;

// Ten redraws a second: three charts of 1,000 points each take about a third of that time to draw.
constexpr auto drawInterval = 100ms;
constexpr QSize minSize{980, 640};
constexpr QSize defaultSize{1240, 800};

QString absolutePathOf(const engine::ConfigFile& config)
{
    return QFileInfo(config.path()).absoluteFilePath();
}

} // namespace

TrainingWindow::TrainingWindow(const std::shared_ptr<engine::DeviceLease>& lease, QWidget* parent)
    : QWidget(parent, Qt::Window),
      m_run(new training::TrainingRun({.lease = lease}, this)),
      m_actions(new TrainingActions(this)),
      m_view(new TrainingView(m_actions, this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_view);
    setMinimumSize(minSize);
    resize(defaultSize);
    // Otherwise the first button would have the initial focus, and look pressed.
    m_view->setFocusPolicy(Qt::ClickFocus);
    m_view->setFocus();

    m_drawTimer.setSingleShot(true);
    m_drawTimer.setInterval(drawInterval);
    connect(&m_drawTimer, &QTimer::timeout, this, &TrainingWindow::draw);
    connect(m_run, &training::TrainingRun::snapshotChanged, this, [this] {
        if (!m_drawTimer.isActive())
            m_drawTimer.start();
    });
    engine::onEvent<training::TrainingFinished>(
        *m_run, this, [this](const training::TrainingFinished& finished) {
            draw();
            if (m_closesAtEnd)
                QTimer::singleShot(0, this, &QWidget::close);
            else if (finished.end != training::TrainingEnd::Interrupted)
                QApplication::alert(this);
        });
    connect(m_actions->start, &QAction::triggered, this, [this] { start(); });
    connect(m_actions->stop, &QAction::triggered, this, &TrainingWindow::stop);
    connect(m_actions->close, &QAction::triggered, this, &QWidget::close);
    connect(m_view, &TrainingView::redrawWanted, this, &TrainingWindow::draw);
    connect(m_view->form(), &TrainingForm::changed, this, &TrainingWindow::draw);
    connect(m_view->runsCard(), &RunsCard::addRequested, this, &TrainingWindow::addRun);
    m_settings.attach(this, m_view->splitters());
    m_view->runsCard()->setColumnWidths(m_settings.columnWidths());
    draw();
}

TrainingWindow::~TrainingWindow()
{
    // The run may still emit signals while it ends its process, when this window is partly destroyed.
    m_run->disconnect(this);
    remember();
    m_settings.save();
    m_settings.setColumnWidths(m_view->runsCard()->columnWidths());
}

void TrainingWindow::setTheme(const Theme& theme)
{
    m_theme = theme;
    applyTheme(*this, theme);
    applyPalette(*this, theme);
    m_actions->setTheme(theme);
    m_view->setTheme(theme);
}

void TrainingWindow::setConfig(const engine::ConfigFile& config, const engine::ExplorationOptions& base)
{
    const bool isAnother =
        !m_config || m_config->path() != config.path() || m_config->text() != config.text();
    if (isAnother)
        remember();
    m_config = config;
    m_view->form()->setExploration(base);
    if (!isAnother)
        return;
    m_view->form()->setConfig(config);
    m_view->form()->setWords(m_settings.optionsOf(absolutePathOf(config)));
    const QString name = QFileInfo(config.path()).fileName();
    m_view->setSubject(name);
    setWindowTitle(plainTitle(tr("Training — %1").arg(name)));
    draw();
}

void TrainingWindow::remember()
{
    if (m_config)
        m_settings.setOptionsOf(absolutePathOf(*m_config), m_view->form()->words());
}

void TrainingWindow::setRecommended(std::int64_t size)
{
    m_view->form()->setRecommended(size);
}

void TrainingWindow::addRun()
{
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Compare with another run"), m_settings.lastFolder(),
        tr("Events of batchpeak train (*.jsonl *.json *.events *.log);;All files (*)"));
    if (path.isEmpty())
        return;
    m_settings.setLastFolder(QFileInfo(path).path());
    try {
        m_view->runs()->add(training::readTrainingEvents(path), QFileInfo(path).completeBaseName());
        m_view->banner()->hide();
    } catch (const std::exception& error) {
        showError(QString::fromUtf8(error.what()));
    }
}

void TrainingWindow::setObstacle(const QString& sentence)
{
    if (sentence == m_obstacle)
        return;
    m_obstacle = sentence;
    draw();
}

QString TrainingWindow::obstacle() const
{
    return m_obstacle.isEmpty() && m_config ? m_view->form()->problem() : m_obstacle;
}

bool TrainingWindow::isUnderWay() const
{
    return m_run->snapshot().isUnderWay();
}

void TrainingWindow::start(bool trustsCode)
{
    if (!m_config || isUnderWay() || !obstacle().isEmpty())
        return;
    remember();
    try {
        const training::TrainingSnapshot before = m_run->snapshot();
        training::TrainingOptions options = m_view->form()->options();
        options.run.trustsCode = trustsCode;
        if (!m_config->isUnchanged())
            return showError(
                tr("The config has changed since it was read. Go to the main window, which reads it "
                   "again, and start then."));
        m_run->load(m_config->path(), m_config->contents(), options);
        m_checkpointFolder = options.checkpointFolder;
        m_isStopping = false;
        m_view->runs()->keep(before);
        m_run->start();
    } catch (const engine::UntrustedCode& code) {
        askOfCode(code.path());
        return;
    } catch (const std::exception& error) {
        showError(QString::fromUtf8(error.what()));
        return;
    }
    m_view->banner()->hide();
    m_actions->settings->setChecked(false);
    draw();
}

void TrainingWindow::askOfCode(const QString& path)
{
    try {
        if (!mayRunCode(this, path, m_theme))
            return;
    } catch (const engine::ExplorationError& error) {
        showError(error.sentence());
        return;
    }
    start(/*trustsCode=*/true);
}

void TrainingWindow::draw()
{
    m_actions->update(m_run->snapshot(), obstacle());
    m_view->display(m_run->snapshot(), obstacle());
}

void TrainingWindow::showError(const QString& sentence)
{
    m_view->banner()->showMessage(MessageBanner::Kind::Error, sentence);
}

QString TrainingWindow::closingText() const
{
    const QString& folder = m_checkpointFolder;
    return folder.isEmpty() ? tr("No checkpoint is kept; the weights will be lost.")
                            : tr("It ends after this step, with a checkpoint in %1.")
                                  .arg(QDir::toNativeSeparators(folder));
}

void TrainingWindow::stop()
{
    m_isStopping = true;
    m_run->stop();
}

void TrainingWindow::stopAndClose()
{
    m_closesAtEnd = true;
    if (!isUnderWay())
        close();
    // A second request would stop the run without waiting for its step.
    else if (!m_isStopping)
        stop();
}

void TrainingWindow::closeEvent(QCloseEvent* event)
{
    if (isUnderWay() && !m_closesAtEnd) {
        event->ignore();
        if (wantsToStop(this, UnderWay::Training, closingText(), m_theme))
            stopAndClose();
        return;
    }
    QWidget::closeEvent(event);
    deleteLater();
    emit closed();
}

} // namespace batchpeak::ui
