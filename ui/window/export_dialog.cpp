// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "export_dialog.h"

#include "files/output_place.h"
#include "files/unified_diff.h"
#include "plan/phase_sequence.h"
#include "text/batch_text.h"
#include "text/errors.h"
#include "text/readable_text.h"
#include "widgets/buttons.h"
#include "widgets/diff_view.h"
#include "widgets/labels.h"
#include "widgets/questions.h"

#include <QButtonGroup>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>
#include <utility>

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

constexpr QSize defaultDialogSize{720, 460};

// Returns the message without the file, since the dialog is about that one file.
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
    : QWidget(parent),
      m_phase(choice.phase()),
      m_buttons(new QButtonGroup(this)),
      m_layout(new QVBoxLayout(this))
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
    if (const std::int64_t single = choice.single(); single != choice.below() && single != choice.above())
        offer(tr("The &size itself: %1").arg(batchText(plan, microBatchSize, single)), single);
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

ExportDialog::ExportDialog(const engine::ConfigFile& file, const std::vector<config::ChosenSize>& sizes,
                           const Theme& theme, QWidget* parent, const QString& doubt)
    : QDialog(parent), m_file(file), m_theme(theme), m_sizes(sizes)
{
    setWindowTitle(sizes.size() == 1 ? tr("Export micro-batch size %1").arg(sizes.front().microBatchSize)
                                     : tr("Export the micro-batch sizes"));
    try {
        (void)file.withMicroBatchSizes(sizes);
    } catch (const config::BatchNotKept&) {
        // The dialog asks for a batch instead.
    }
    addParts(doubt);
    change();
}

ExportDialog::ExportDialog(const engine::ConfigFile& file, model::Phase phase, const Theme& theme,
                           QWidget* parent)
    : QDialog(parent),
      m_file(file),
      m_theme(theme),
      m_sizes{{.phase = phase, .microBatchSize = file.contents().plan(phase)->writtenSize().value_or(1)}},
      m_size(new QSpinBox(this))
{
    setWindowTitle(tr("Write a micro-batch size"));
    addParts({});
    takeSize();
    m_size->setFocus();
    m_size->selectAll();
}

void ExportDialog::addParts(const QString& doubt)
{
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(10);
    if (!doubt.isEmpty())
        addDoubt(layout, doubt);
    if (m_size)
        addSize(layout);
    addPlace(layout);
    addPreview(layout);
    addButtons(layout, !doubt.isEmpty());
    resize(defaultDialogSize);
    applyPalette(*this, m_theme);
}

void ExportDialog::addDoubt(QVBoxLayout* layout, const QString& doubt)
{
    auto* label = wrapped(new QLabel(doubt, this));
    label->setProperty("warn", true);
    layout->addWidget(label);
}

void ExportDialog::addSize(QVBoxLayout* layout)
{
    m_size->setRange(1, std::numeric_limits<int>::max());
    m_size->setValue(static_cast<int>(m_sizes.front().microBatchSize));
    m_size->setAccessibleName(tr("Micro-batch size"));
    m_size->setMinimumWidth(120);
    auto* label = new QLabel(tr("&Micro-batch size:"), this);
    label->setBuddy(m_size);
    auto* row = new QHBoxLayout;
    row->addWidget(label);
    row->addWidget(m_size);
    row->addStretch(1);
    layout->addLayout(row);
    connect(m_size, &QSpinBox::valueChanged, this, &ExportDialog::takeSize);
}

void ExportDialog::addPlace(QVBoxLayout* layout)
{
    m_into = wrapped(new QLabel(this));
    m_into->setTextFormat(Qt::PlainText);
    showInto();
    m_path = new QLineEdit(m_file.path(), this);
    m_path->setAccessibleName(tr("File to write"));
    m_browse = dialogButton(tr("&Browse…"), "secondary", this);
    connect(m_browse, &QPushButton::clicked, this, &ExportDialog::browse);
    connect(m_path, &QLineEdit::textChanged, this, [this] { m_write->setEnabled(hasSomethingToWrite()); });
    auto* where = new QHBoxLayout;
    where->addWidget(m_path, 1);
    where->addWidget(m_browse);
    layout->addWidget(m_into);
    layout->addLayout(where);
    m_questions = new QVBoxLayout;
    layout->addLayout(m_questions);
}

void ExportDialog::showInto()
{
    QStringList entries;
    for (const config::ChosenSize& size : m_sizes) {
        const QString entry = engine::sizeText(*m_file.contents().plan(size.phase), size.microBatchSize);
        entries << (m_sizes.size() == 1 ? entry : tr("%1 for %2").arg(entry, engine::phaseText(size.phase)));
    }
    m_into->setText(tr("Write %1 into this file:").arg(entries.join(tr(" and "))));
}

/// Takes the size that the user enters, which may be one that the config has no place for.
void ExportDialog::takeSize()
{
    m_sizes.front() = {.phase = m_sizes.front().phase, .microBatchSize = m_size->value()};
    for (BatchChoiceBox* box : std::exchange(m_batches, {}))
        delete box;
    showInto();
    change();
}

void ExportDialog::takeBatches()
{
    for (const BatchChoiceBox* box : m_batches)
        std::ranges::find(m_sizes, box->phase(), &config::ChosenSize::phase)->globalBatchSize = box->chosen();
    change();
}

void ExportDialog::change()
{
    m_problem->hide();
    m_spliced.reset();
    try {
        m_spliced = m_file.withMicroBatchSizes(m_sizes);
        showChange();
    } catch (const config::BatchNotKept& choice) {
        askForBatch(choice);
    } catch (const config::ConfigError& error) {
        showSentence(sentenceOf(error, m_file));
    }
    m_write->setEnabled(hasSomethingToWrite());
}

/// Whether writing would change something. That includes a copy elsewhere of a config that already has the
/// sizes.
bool ExportDialog::hasSomethingToWrite() const
{
    return m_spliced && !engine::holdsAlready(m_file, *m_spliced, path());
}

void ExportDialog::askForBatch(const config::BatchNotKept& choice)
{
    const auto size = std::ranges::find(m_sizes, choice.phase(), &config::ChosenSize::phase);
    auto* box = new BatchChoiceBox(*m_file.contents().plan(size->phase), size->microBatchSize, choice, this);
    QWidget* before = m_browse;
    if (!m_batches.empty())
        before = m_batches.back()->findChildren<QRadioButton*>().back();
    m_batches.push_back(box);
    m_questions->addWidget(box);
    for (auto* button : box->findChildren<QRadioButton*>()) {
        setTabOrder(before, button);
        before = button;
    }
    setTabOrder(before, m_preview);
    connect(box, &BatchChoiceBox::changed, this, &ExportDialog::takeBatches);
    showSentence(tr("%1\n\nNothing is written before a batch is chosen.").arg(sentenceOf(choice, m_file)));
}

void ExportDialog::showSentence(const QString& sentence)
{
    m_preview->setSentence(sentence);
    m_notes->hide();
}

void ExportDialog::addPreview(QVBoxLayout* layout)
{
    m_preview = new DiffView(this);
    m_preview->setTheme(m_theme);
    m_preview->setAccessibleName(tr("Lines that change"));
    m_notes = wrapped(mutedLabel(QString(), this));
    m_notes->hide();
    m_found = wrapped(mutedLabel(QString(), this));
    m_found->hide();
    m_problem = wrapped(new QLabel(this));
    m_problem->setStyleSheet(QStringLiteral("color: %1").arg(m_theme.bad.name()));
    m_problem->hide();
    layout->addWidget(new QLabel(tr("This changes, and nothing else:"), this));
    layout->addWidget(m_preview, 1);
    layout->addWidget(m_notes);
    layout->addWidget(m_found);
    layout->addWidget(m_problem);
}

void ExportDialog::addButtons(QVBoxLayout* layout, bool isDoubtful)
{
    auto* buttons = new QDialogButtonBox(this);
    // Doubtful sizes must be written deliberately, not by Enter.
    m_write = isDoubtful ? dialogButton(tr("&Write anyway"), "secondary", this)
                         : dialogButton(tr("&Write"), "primary", this);
    m_write->setDefault(!isDoubtful);
    buttons->addButton(m_write, QDialogButtonBox::AcceptRole);
    auto* cancel = dialogButton(tr("Cancel"), isDoubtful ? "primary" : "secondary", this);
    cancel->setDefault(isDoubtful);
    buttons->addButton(cancel, QDialogButtonBox::RejectRole);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &ExportDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &ExportDialog::reject);
}

void ExportDialog::showChange()
{
    const QString name = QFileInfo(m_file.path()).fileName();
    const QString diff = engine::unifiedDiff(m_file.text(), m_spliced->text, name, name);
    if (!diff.isEmpty())
        m_preview->setDiff(diff);
    else if (!engine::holdsAlready(m_file, *m_spliced, m_file.path()))
        m_preview->setSentence(tr("The file has changed since it was read; open it again and repeat."));
    else
        m_preview->setSentence(m_sizes.size() == 1 ? tr("The file already has this size.")
                                                   : tr("The file already has these sizes."));
    const QString notes = notesText(*m_spliced);
    m_notes->setText(notes);
    m_notes->setVisible(!notes.isEmpty());
}

void ExportDialog::setMicroBatchSize(std::int64_t microBatchSize)
{
    m_size->setValue(static_cast<int>(microBatchSize));
}

void ExportDialog::setFound(const QString& sentences)
{
    if (sentences.isEmpty())
        return;
    m_found->setText(m_sizes.size() == 1 ? tr("How the size was found: %1").arg(sentences)
                                         : tr("How the sizes were found: %1").arg(sentences));
    m_found->show();
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
    if (chosen.isEmpty())
        return;
    setPath(chosen);
    // The file dialog has already asked about an existing file.
    m_replaced = QFileInfo::exists(chosen) ? chosen : QString();
}

void ExportDialog::showError(const QString& sentence)
{
    setTextWithShortNames(m_problem, sentence);
    m_problem->show();
}

/// Whether the file may be written; if not, reports why or asks.
bool ExportDialog::mayWrite()
{
    if (engine::isSameFile(path(), m_file.path()))
        return true;
    if (engine::isStream(path())) {
        // The window would block until another program reads what is written.
        showError(tr("%1 is a device or pipe; choose a file.").arg(QDir::toNativeSeparators(path())));
        return false;
    }
    switch (engine::obstacleTo(path(), engine::filesNeededBy(m_file) + m_needed)) {
    case engine::OutputObstacle::None:
        break;
    case engine::OutputObstacle::Needed:
        showError(
            tr("%1 is a file that runs of this config need, and is not overwritten; choose another file.")
                .arg(QDir::toNativeSeparators(path())));
        return false;
    case engine::OutputObstacle::There:
        return path() == m_replaced || wantsToReplace(this, path(), m_theme);
    }
    return true;
}

void ExportDialog::accept()
{
    if (!hasSomethingToWrite() || !mayWrite())
        return;
    try {
        m_saved = engine::saveKept(m_file, *m_spliced, path(), m_historyPath);
    } catch (const config::ConfigError& error) {
        showError(QString::fromUtf8(error.what()));
        return;
    }
    QDialog::accept();
}

} // namespace batchpeak::ui
