// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "export_dialog.h"

#include "buttons.h"
#include "diff_view.h"
#include "engine/batch_text.h"
#include "engine/errors.h"
#include "engine/readable_text.h"
#include "engine/unified_diff.h"
#include "labels.h"

#include <QButtonGroup>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QVBoxLayout>

namespace batchpeak::ui {

namespace {

using engine::numberText;

/// "60 samples in 5 accumulation steps of 12"
QString batchText(config::BatchPlan plan, std::int64_t microBatchSize, std::int64_t batch)
{
    plan.globalBatchSize = batch;
    const std::int64_t steps = plan.accumulationSteps(microBatchSize);
    const QString size = numberText(microBatchSize);
    const QString parts =
        steps == 1 ? BatchChoiceBox::tr("1 accumulation step of %1").arg(size)
                   : BatchChoiceBox::tr("%1 accumulation steps of %2").arg(numberText(steps), size);
    const QString samples = plan.isOverAllDevices ? BatchChoiceBox::tr("%1 samples in %2")
                                                  : BatchChoiceBox::tr("%1 samples on each device in %2");
    const QString text = samples.arg(numberText(batch), parts);
    return plan.devices > 1 ? BatchChoiceBox::tr("%1 on %2 devices").arg(text, numberText(plan.devices))
                            : text;
}

constexpr QSize usualSize{720, 460};

// Without the place, since the dialog is about that one file.
QString sentenceOf(const config::ConfigError& error, const engine::ConfigFile& file)
{
    const QString text = QString::fromUtf8(error.what());
    const QString place = engine::located(file.path(), error.position(), QString());
    return text.startsWith(place) ? text.sliced(place.size()) : text;
}

QString notesText(const config::SplicedText& spliced)
{
    QStringList notes;
    for (const std::string& note : spliced.notes)
        notes << QString::fromStdString(note);
    return notes.join(QLatin1Char('\n'));
}

} // namespace

BatchChoiceBox::BatchChoiceBox(const config::BatchPlan& plan, std::int64_t microBatchSize,
                               const config::BatchNotKept& choice, QWidget* parent)
    : QWidget(parent), m_buttons(new QButtonGroup(this)), m_layout(new QVBoxLayout(this))
{
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(4);
    auto* question = new QLabel(
        tr("The batch of one optimizer step is %1. Change it to:").arg(numberText(plan.globalBatchSize)),
        this);
    m_layout->addWidget(question);
    setAccessibleName(question->text());
    if (const auto below = choice.below())
        offer(tr("&Fewer: %1").arg(batchText(plan, microBatchSize, *below)), *below);
    offer(tr("&More: %1").arg(batchText(plan, microBatchSize, choice.above())), choice.above());
    connect(m_buttons, &QButtonGroup::idToggled, this, [this](int, bool isChosen) {
        if (isChosen)
            emit changed();
    });
}

void BatchChoiceBox::offer(const QString& text, std::int64_t batch)
{
    auto* button = new QRadioButton(text, this);
    m_buttons->addButton(button, static_cast<int>(m_batches.size()));
    m_batches.push_back(batch);
    m_layout->addWidget(button);
}

std::optional<std::int64_t> BatchChoiceBox::chosen() const
{
    const int place = m_buttons->checkedId();
    return place < 0 ? std::nullopt : std::optional(m_batches.at(static_cast<std::size_t>(place)));
}

ExportDialog::ExportDialog(const engine::ConfigFile& file, model::Phase phase, std::int64_t microBatchSize,
                           const Theme& theme, QWidget* parent)
    : QDialog(parent), m_file(file), m_chosen{.phase = phase, .microBatchSize = microBatchSize}
{
    setWindowTitle(tr("Export micro-batch size %1").arg(microBatchSize));
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(10);
    std::optional<config::BatchNotKept> question;
    try {
        m_spliced = file.withMicroBatchSize(m_chosen);
    } catch (const config::BatchNotKept& choice) {
        question = choice;
    }
    addPlace(layout);
    if (question)
        addBatches(layout, *question);
    addPreview(layout, theme);
    addButtons(layout);
    applyPalette(*this, theme);
    resize(usualSize);
    if (m_spliced)
        showChange();
    else
        m_preview->setSentence(
            tr("%1\n\nNothing is written before a batch is chosen.").arg(sentenceOf(*question, file)));
}

void ExportDialog::addPlace(QVBoxLayout* layout)
{
    const config::BatchPlan& plan = *m_file.contents().plan(m_chosen.phase);
    auto* into =
        new QLabel(tr("Write %1 into this file:").arg(engine::sizeText(plan, m_chosen.microBatchSize)), this);
    into->setTextFormat(Qt::PlainText);
    m_path = new QLineEdit(m_file.path(), this);
    m_path->setAccessibleName(tr("File to write"));
    auto* browse = dialogButton(tr("&Browse…"), "secondary", this);
    connect(browse, &QPushButton::clicked, this, &ExportDialog::browse);
    auto* where = new QHBoxLayout;
    where->addWidget(m_path, 1);
    where->addWidget(browse);
    layout->addWidget(into);
    layout->addLayout(where);
}

void ExportDialog::addBatches(QVBoxLayout* layout, const config::BatchNotKept& choice)
{
    m_batches =
        new BatchChoiceBox(*m_file.contents().plan(m_chosen.phase), m_chosen.microBatchSize, choice, this);
    layout->addWidget(m_batches);
    connect(m_batches, &BatchChoiceBox::changed, this, &ExportDialog::updateChange);
}

void ExportDialog::addPreview(QVBoxLayout* layout, const Theme& theme)
{
    m_preview = new DiffView(this);
    m_preview->setTheme(theme);
    m_preview->setAccessibleName(tr("Lines that change"));
    m_notes = wrapped(mutedLabel(QString(), this));
    m_notes->hide();
    m_problem = wrapped(new QLabel(this));
    m_problem->setStyleSheet(QStringLiteral("color: %1").arg(theme.bad.name()));
    m_problem->hide();
    layout->addWidget(new QLabel(tr("This changes, and nothing else:"), this));
    layout->addWidget(m_preview, 1);
    layout->addWidget(m_notes);
    layout->addWidget(m_problem);
}

void ExportDialog::addButtons(QVBoxLayout* layout)
{
    auto* buttons = new QDialogButtonBox(this);
    m_write = dialogButton(tr("&Write"), "primary", this);
    m_write->setDefault(true);
    m_write->setEnabled(m_spliced.has_value());
    buttons->addButton(m_write, QDialogButtonBox::AcceptRole);
    buttons->addButton(dialogButton(tr("Cancel"), "secondary", this), QDialogButtonBox::RejectRole);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &ExportDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &ExportDialog::reject);
}

void ExportDialog::updateChange()
{
    m_chosen.globalBatchSize = m_batches->chosen();
    m_problem->hide();
    try {
        m_spliced = m_file.withMicroBatchSize(m_chosen);
        showChange();
    } catch (const config::ConfigError& error) {
        m_spliced.reset();
        m_preview->setSentence(sentenceOf(error, m_file));
    }
    m_write->setEnabled(m_spliced.has_value());
}

void ExportDialog::showChange()
{
    const QString name = QFileInfo(m_file.path()).fileName();
    const QString diff = engine::unifiedDiff(m_file.text(), m_spliced->text, name, name);
    if (diff.isEmpty())
        m_preview->setSentence(tr("The file holds this size already."));
    else
        m_preview->setDiff(diff);
    const QString notes = notesText(*m_spliced);
    m_notes->setText(notes);
    m_notes->setVisible(!notes.isEmpty());
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
    return m_preview->toPlainText();
}

void ExportDialog::browse()
{
    const QString chosen = QFileDialog::getSaveFileName(this, tr("Export"), path());
    if (!chosen.isEmpty())
        setPath(chosen);
}

void ExportDialog::showError(const QString& sentence)
{
    m_problem->setText(sentence);
    m_problem->show();
}

void ExportDialog::accept()
{
    if (!m_spliced)
        return;
    try {
        m_file.save(*m_spliced, path());
    } catch (const config::ConfigError& error) {
        showError(QString::fromUtf8(error.what()));
        return;
    }
    QDialog::accept();
}

} // namespace batchpeak::ui
