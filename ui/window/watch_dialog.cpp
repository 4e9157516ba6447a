// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "watch_dialog.h"

#include "options/option_values.h"
#include "watch/watch_target.h"
#include "widgets/buttons.h"
#include "widgets/labels.h"

#include <QDialogButtonBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace batchpeak::ui {

namespace {

constexpr int fieldWidth = 620;

} // namespace

WatchDialog::WatchDialog(const Theme& theme, QWidget* parent)
    : QDialog(parent),
      m_theme(theme),
      m_field(new QLineEdit(this)),
      m_finding(wrapped(new QLabel(this))),
      m_watch(dialogButton(tr("&Watch"), "primary", this))
{
    setWindowTitle(tr("Watch an exploration"));
    m_field->setPlaceholderText(tr("run.jsonl, 4711, or ssh:gpu7:run.jsonl"));
    m_field->setAccessibleName(tr("Events or job"));
    auto* label = new QLabel(tr("&Events or job:"), this);
    label->setBuddy(m_field);
    auto* browse = dialogButton(tr("&Browse…"), "secondary", this);
    connect(browse, &QPushButton::clicked, this, &WatchDialog::browse);
    auto* row = new QHBoxLayout;
    row->addWidget(label);
    row->addWidget(m_field, 1);
    row->addWidget(browse);
    auto* buttons = new QDialogButtonBox(this);
    buttons->addButton(m_watch, QDialogButtonBox::AcceptRole);
    buttons->addButton(dialogButton(tr("Cancel"), "secondary", this), QDialogButtonBox::RejectRole);
    m_watch->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &WatchDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &WatchDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(10);
    layout->addWidget(
        wrapped(new QLabel(tr("Name the file that the exploration writes by --events, or the number "
                              "of a Slurm job; for another computer, with ssh:HOST: before it."),
                           this)));
    layout->addLayout(row);
    layout->addWidget(m_finding);
    layout->addWidget(buttons);
    applyPalette(*this, theme);
    connect(m_field, &QLineEdit::textChanged, this, &WatchDialog::check);
    check();
    m_field->setFocus();
    resize(fieldWidth, sizeHint().height());
}

QString WatchDialog::what() const
{
    return m_field->text().trimmed();
}

void WatchDialog::check()
{
    QString problem;
    try {
        engine::watchTargetFrom(what());
    } catch (const engine::UsageError& error) {
        problem = QString::fromUtf8(error.what());
        problem.front() = problem.front().toUpper();
    }
    m_watch->setEnabled(problem.isEmpty());
    m_finding->setText(what().isEmpty() ? QString() : problem);
}

void WatchDialog::browse()
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Choose the events"), {},
                                                      tr("Events (*.jsonl);;All files (*)"));
    if (!path.isEmpty())
        m_field->setText(path);
}

} // namespace batchpeak::ui
