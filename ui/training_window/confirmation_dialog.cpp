// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "confirmation_dialog.h"

#include "confirmation_model.h"
#include "text/fidelity_text.h"
#include "text/readable_text.h"
#include "training/confirmation_snapshot.h"
#include "widgets/buttons.h"
#include "widgets/labels.h"
#include "widgets/message_banner.h"
#include "widgets/table_layout.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QHideEvent>
#include <QLabel>
#include <QProgressBar>
#include <QTableView>

namespace batchpeak::ui {

namespace {

constexpr int defaultWidth = 740;
// The recommended size and its runner-up.
constexpr int rows = 2;
// Lines that a verdict may need, so that the buttons do not move when it appears.
constexpr int verdictLines = 3;

} // namespace

ConfirmationDialog::ConfirmationDialog(const Theme& theme, QWidget* parent)
    : QDialog(parent),
      m_model(new ConfirmationModel(this)),
      m_banner(new MessageBanner(this)),
      m_introduction(wrapped(new QLabel(this))),
      m_verdict(wrapped(new QLabel(this))),
      m_remarks(wrapped(mutedLabel(QString(), this)))
{
    setWindowTitle(tr("Confirm the recommendation"));
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(10);
    layout->addWidget(m_banner);
    layout->addWidget(m_introduction);
    addTable(layout);
    addProgress(layout);
    m_verdict->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_verdict->setMinimumHeight(verdictLines * fontMetrics().lineSpacing());
    layout->addWidget(m_verdict);
    layout->addWidget(m_remarks);
    layout->addStretch(1);
    addButtons(layout);
    setTheme(theme);
    display({});
    resize(defaultWidth, sizeHint().height());
}

void ConfirmationDialog::addTable(QVBoxLayout* layout)
{
    auto* table = new QTableView(this);
    table->setModel(m_model);
    table->setAccessibleName(tr("Predicted and achieved samples per second of each size"));
    const int rowHeight = applyTableStyle(*table);
    table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    new ColumnWidths(table, table->horizontalHeader(), ConfirmationModel::Role);
    table->setFixedHeight(table->horizontalHeader()->height() + rows * rowHeight);
    layout->addWidget(table);
}

void ConfirmationDialog::addProgress(QVBoxLayout* layout)
{
    m_progress = new QProgressBar(this);
    m_progress->setFixedHeight(6);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress"));
    m_steps = mutedLabel(QString(), this);
    auto* row = new QHBoxLayout;
    row->setSpacing(10);
    row->addWidget(m_progress, 1);
    row->addWidget(m_steps);
    layout->addLayout(row);
}

void ConfirmationDialog::addButtons(QVBoxLayout* layout)
{
    auto* buttons = new QDialogButtonBox(this);
    m_stop = dialogButton(tr("S&top"), "secondary", this);
    m_again = dialogButton(tr("&Confirm again"), "primary", this);
    buttons->addButton(m_again, QDialogButtonBox::ActionRole);
    buttons->addButton(m_stop, QDialogButtonBox::ActionRole);
    auto* close = dialogButton(tr("C&lose"), "secondary", this);
    buttons->addButton(close, QDialogButtonBox::RejectRole);
    // Otherwise the table would have the initial focus, and a cell would look selected.
    close->setFocus();
    layout->addWidget(buttons);
    connect(m_stop, &QPushButton::clicked, this, &ConfirmationDialog::stopRequested);
    connect(m_again, &QPushButton::clicked, this, &ConfirmationDialog::againRequested);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

void ConfirmationDialog::setTheme(const Theme& theme)
{
    m_model->setTheme(theme);
    m_banner->setTheme(theme);
    applyPalette(*this, theme);
}

void ConfirmationDialog::display(const training::ConfirmationSnapshot& snapshot)
{
    m_isRunning = snapshot.isRunning;
    m_introduction->setText(tr("Whole optimizer steps of %1 samples at the recommended size and its "
                               "runner-up, interleaved, in one "
                               "fresh process. Samples/s, with 95 % intervals:")
                                .arg(engine::numberText(snapshot.batchSize)));
    m_model->display(snapshot);
    m_progress->setRange(0, std::max(1, snapshot.stepsInAll));
    m_progress->setValue(snapshot.stepsDone);
    m_steps->setText(
        tr("%1 of %2 steps")
            .arg(engine::numberText(snapshot.stepsDone), engine::numberText(snapshot.stepsInAll)));
    const bool isMeasured = !snapshot.isRunning && snapshot.stepsInAll > 0 && snapshot.failure.isEmpty();
    m_verdict->setVisible(snapshot.failure.isEmpty());
    m_verdict->setText(isMeasured           ? training::verdictText(snapshot)
                       : snapshot.isRunning ? tr("The steps are being timed.")
                                            : QString());
    QStringList remarks = isMeasured ? training::confirmationRemarks(snapshot) : QStringList();
    if (isMeasured || snapshot.isRunning)
        remarks.prepend(engine::fidelitySentence(snapshot.fidelity));
    m_remarks->setText(remarks.join(QLatin1Char('\n')));
    m_remarks->setVisible(!remarks.isEmpty());
    m_stop->setEnabled(snapshot.isRunning);
    setObstacle(m_obstacle);
    m_banner->showFailure(snapshot.failure);
    setAccessibleDescription(summary());
    makeRoom();
}

void ConfirmationDialog::makeRoom()
{
    const int needed = layout()->totalHeightForWidth(width());
    if (needed > height())
        resize(width(), needed);
}

void ConfirmationDialog::showError(const QString& sentence)
{
    m_banner->showMessage(MessageBanner::Kind::Error, sentence);
    makeRoom();
}

void ConfirmationDialog::setObstacle(const QString& obstacle)
{
    m_obstacle = obstacle;
    m_again->setEnabled(!m_isRunning && obstacle.isEmpty());
    m_again->setToolTip(obstacle);
}

QString ConfirmationDialog::summary() const
{
    return m_model->asText() + m_steps->text() + QLatin1Char('\n') + m_verdict->text() + QLatin1Char('\n') +
           m_remarks->text();
}

void ConfirmationDialog::hideEvent(QHideEvent* event)
{
    QDialog::hideEvent(event);
    if (!event->spontaneous())
        emit closed();
}

} // namespace batchpeak::ui
