// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "export_dialog.h"

#include "card.h"
#include "fonts.h"
#include "text_change.h"

#include <QDialogButtonBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace batchpeak::ui {

namespace {

QString previewText(const TextChange& change)
{
    if (change.line == 0)
        return ExportDialog::tr("The file holds this size already.");
    QStringList lines{ExportDialog::tr("line %1").arg(change.line)};
    for (const QString& line : change.before)
        lines << QStringLiteral("- ") + line;
    for (const QString& line : change.after)
        lines << QStringLiteral("+ ") + line;
    return lines.join(QLatin1Char('\n'));
}

QLabel* wrapped(QLabel* label)
{
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    return label;
}

} // namespace

ExportDialog::ExportDialog(const engine::ConfigFile& file, model::Phase phase, std::int64_t microBatchSize,
                           const Theme& theme, QWidget* parent)
    : QDialog(parent),
      m_file(file),
      m_spliced(file.withMicroBatchSize({.phase = phase, .microBatchSize = microBatchSize})),
      m_path(new QLineEdit(file.path(), this)),
      m_preview(new QLabel(this)),
      m_problem(wrapped(new QLabel(this)))
{
    setWindowTitle(tr("Export micro-batch size %1").arg(microBatchSize));
    setMinimumWidth(560);
    m_path->setAccessibleName(tr("File to write"));
    auto* browse = new QPushButton(tr("&Browse…"), this);
    auto* where = new QHBoxLayout;
    where->addWidget(m_path, 1);
    where->addWidget(browse);

    m_preview->setFont(fixedFont(font(), 0.95));
    m_preview->setTextFormat(Qt::PlainText);
    m_preview->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_preview->setText(previewText(changeBetween(file.text(), m_spliced.text)));
    m_preview->setAccessibleName(tr("Lines that change"));
    m_problem->setStyleSheet(QStringLiteral("color: %1").arg(theme.bad.name()));
    m_problem->hide();

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    QPushButton* write = buttons->addButton(tr("&Write"), QDialogButtonBox::AcceptRole);
    write->setDefault(true);

    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(10);
    layout->addWidget(new QLabel(tr("Write it into this file:"), this));
    layout->addLayout(where);
    layout->addWidget(new QLabel(tr("This changes, and nothing else:"), this));
    layout->addWidget(m_preview);
    for (const std::string& note : m_spliced.notes)
        layout->addWidget(wrapped(mutedLabel(QString::fromStdString(note), this)));
    layout->addWidget(m_problem);
    layout->addWidget(buttons);

    connect(browse, &QPushButton::clicked, this, &ExportDialog::browse);
    connect(buttons, &QDialogButtonBox::accepted, this, &ExportDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &ExportDialog::reject);
}

QString ExportDialog::path() const
{
    return m_path->text();
}

void ExportDialog::setPath(const QString& path)
{
    m_path->setText(path);
}

QString ExportDialog::preview() const
{
    return m_preview->text();
}

void ExportDialog::browse()
{
    const QString chosen = QFileDialog::getSaveFileName(this, tr("Export"), path());
    if (!chosen.isEmpty())
        setPath(chosen);
}

void ExportDialog::accept()
{
    try {
        m_file.save(m_spliced, path());
    } catch (const config::ConfigError& error) {
        m_problem->setText(QString::fromUtf8(error.what()));
        m_problem->show();
        return;
    }
    QDialog::accept();
}

} // namespace batchpeak::ui
