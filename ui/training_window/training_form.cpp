// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_form.h"

#include "engine/readable_text.h"
#include "form_fields.h"
#include "training_text.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QStackedWidget>

namespace batchpeak::ui {

namespace {

using training::MaximumWay;

constexpr int numberWidth = 84;
constexpr int noMaximum = -1;

enum Length { Steps, Epochs };

} // namespace

TrainingForm::TrainingForm(QWidget* parent) : Card(tr("How to train"), parent), m_grid(new QGridLayout)
{
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(12);
    m_grid->setVerticalSpacing(7);
    m_grid->setColumnStretch(1, 1);
    body()->addLayout(m_grid);
    body()->addStretch(1);

    QWidget* sizeMode = makeSizeMode();
    addRow(tr("Micro-&batch"), sizeMode, m_sizeMode);
    QWidget* maximum = makeMaximum();
    addRow(tr("Find &maximum"), maximum, m_maximum);
    m_growth = new PathField(PathField::Kind::File, tr("Growth of the batch"), tr("Python (*.py)"), this);
    m_growth->setPlaceholder(tr("none; epoch < 3 ? 8 : 0, or a .py file"));
    m_growth->setToolTip(tr("batch_increase_function: by how much the batch grows, asked each epoch with "
                            "epoch and current_batch_size"));
    connect(m_growth->line(), &QLineEdit::textChanged, this, &TrainingForm::enableFields);
    addRow(tr("&Growth"), m_growth, m_growth);
    QWidget* length = makeLength();
    addRow(tr("&Length"), length, m_length);
    QWidget* data = makeData();
    addRow(tr("&Data"), data, m_data);
    m_learningRate = numberLine(tr("The learning rate"), tr("as the config"), this);
    addRow(tr("Learning &rate"), m_learningRate, m_learningRate);
    m_evaluateEvery = numberLine(tr("Evaluate every"), tr("never; or after so many steps"), this);
    addRow(tr("E&valuate every"), m_evaluateEvery, m_evaluateEvery);
    QWidget* checkpoint = makeCheckpoint();
    addRow(tr("C&heckpoints"), checkpoint, m_checkpoints);
    m_resume = new PathField(PathField::Kind::Folder, tr("Checkpoints to go on from"), {}, this);
    m_resume->setPlaceholder(tr("a fresh start"));
    addRow(tr("Res&ume from"), m_resume, m_resume);
    enableFields();
}

void TrainingForm::addRow(const QString& name, QWidget* field, QWidget* focused)
{
    auto* label = new QLabel(name, this);
    label->setBuddy(focused);
    const int row = m_grid->rowCount();
    m_grid->addWidget(label, row, 0);
    m_grid->addWidget(field, row, 1);
}

QWidget* TrainingForm::makeSizeMode()
{
    m_sizeMode = new ChoiceBox(tr("How the micro-batch size is chosen"),
                               {{tr("Halve when memory runs out"), AutomaticHalving},
                                {tr("The whole batch at once"), WholeBatch},
                                {tr("This size:"), Number}},
                               this);
    m_size = numberLine(tr("The micro-batch size"), {}, this);
    m_size->setFixedWidth(numberWidth);
    connect(m_sizeMode, &ChoiceBox::currentIndexChanged, this, &TrainingForm::enableFields);
    return inOneRow({m_sizeMode, m_size}, 0, this);
}

QWidget* TrainingForm::makeMaximum()
{
    m_maximum = new ChoiceBox(tr("How the largest size that fits is found first"),
                              {{tr("no"), noMaximum},
                               {maximumWayText(MaximumWay::Halving), static_cast<int>(MaximumWay::Halving)},
                               {maximumWayText(MaximumWay::Binary), static_cast<int>(MaximumWay::Binary)},
                               {maximumWayText(MaximumWay::Predict), static_cast<int>(MaximumWay::Predict)}},
                              this);
    m_maximum->setToolTip(
        tr("Find the largest micro-batch that fits before the first step, and train with it"));
    m_exact = new QCheckBox(tr("e&xact"), this);
    m_exact->setToolTip(tr("Without rounding down to a power of two"));
    connect(m_maximum, &ChoiceBox::currentIndexChanged, this, &TrainingForm::enableFields);
    return inOneRow({m_maximum, m_exact}, 0, this);
}

QWidget* TrainingForm::makeLength()
{
    m_length = numberLine(tr("The length"), {}, this);
    m_lengthUnit = new ChoiceBox(tr("What the length is counted in"),
                                 {{tr("epochs"), Epochs}, {tr("steps"), Steps}}, this);
    const auto showDefault = [this] {
        m_length->setPlaceholderText(m_lengthUnit->value() == Epochs ? tr("1")
                                                                     : tr("as many as an epoch has"));
    };
    showDefault();
    connect(m_lengthUnit, &ChoiceBox::currentIndexChanged, this, showDefault);
    return inOneRow({m_length, m_lengthUnit}, 0, this);
}

QWidget* TrainingForm::makeData()
{
    m_data = new ChoiceBox(tr("Where the samples come from"),
                           {{tr("Synthetic"), static_cast<int>(trial::DataKind::Synthetic)},
                            {tr("Text file"), static_cast<int>(trial::DataKind::Text)},
                            {tr("Folder"), static_cast<int>(trial::DataKind::Arrays)}},
                           this);
    m_samples = numberLine(tr("Samples in an epoch"), tr("samples: 16 batches"), this);
    m_text = new PathField(PathField::Kind::File, tr("Text whose bytes are the tokens"), {}, this);
    m_text->setPlaceholder(tr("a text file"));
    m_arrays = new PathField(PathField::Kind::Folder, tr("Folder of .npy files of tokens"), {}, this);
    m_arrays->setPlaceholder(tr("of .npy files"));
    m_dataFields = new QStackedWidget(this);
    for (QWidget* field :
         {static_cast<QWidget*>(m_samples), static_cast<QWidget*>(m_text), static_cast<QWidget*>(m_arrays)})
        m_dataFields->addWidget(field);
    m_dataFields->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(m_data, &ChoiceBox::currentIndexChanged, m_dataFields, &QStackedWidget::setCurrentIndex);
    return inOneRow({m_data, m_dataFields}, 1, this);
}

QWidget* TrainingForm::makeCheckpoint()
{
    m_checkpoints = new PathField(PathField::Kind::Folder, tr("Folder for checkpoints"), {}, this);
    m_checkpoints->setPlaceholder(tr("none"));
    m_checkpointEvery = numberLine(tr("Save every"), tr("every"), this);
    m_checkpointEvery->setToolTip(tr("Save after so many steps; empty for at the end alone"));
    m_checkpointEvery->setFixedWidth(numberWidth);
    return inOneRow({m_checkpoints, m_checkpointEvery}, 0, this);
}

void TrainingForm::enableFields()
{
    const bool findsMaximum = m_maximum->value() != noMaximum;
    // A batch that grows begins at the chosen size, and the maximum only bounds it.
    const bool choosesSize = !findsMaximum || !m_growth->text().isEmpty();
    m_exact->setEnabled(findsMaximum);
    m_sizeMode->setEnabled(choosesSize);
    m_size->setVisible(m_sizeMode->value() == Number);
    m_size->setEnabled(choosesSize);
}

void TrainingForm::setConfig(const config::ConfigContents& contents)
{
    setRecommended(0);
    m_sizeMode->setValue(AutomaticHalving);
    if (const auto written = contents.train ? contents.train->writtenSize() : std::nullopt) {
        m_sizeMode->setValue(Number);
        m_size->setText(engine::numberText(*written));
    }
    const auto& settings = contents.training;
    m_maximum->setValue(settings.usesMaximumBatchSize ? static_cast<int>(MaximumWay::Halving) : noMaximum);
    m_growth->setText(QString::fromStdString(settings.batchIncreaseFunction));
    m_learningRate->setPlaceholderText(
        settings.learningRate
            ? tr("as the config: %1").arg(QLocale().toString(*settings.learningRate, 'g', 4))
            : tr("as the config, or 3e-4"));
    enableFields();
}

void TrainingForm::setRecommended(std::int64_t size)
{
    if (size == m_recommended)
        return;
    m_recommended = size;
    if (const int place = m_sizeMode->findData(Recommended); place >= 0)
        m_sizeMode->removeItem(place);
    if (size <= 0)
        return;
    m_sizeMode->insertItem(0, tr("The recommended size, %1").arg(engine::numberText(size)), Recommended);
    m_sizeMode->setValue(Recommended);
}

void TrainingForm::takeSize(training::TrainingOptions& options) const
{
    const int maximum = m_maximum->value();
    if (maximum != noMaximum) {
        options.maximum = static_cast<MaximumWay>(maximum);
        options.exact = m_exact->isChecked();
        if (m_growth->text().isEmpty())
            return;
    }
    switch (static_cast<SizeMode>(m_sizeMode->value())) {
    case Recommended:
        options.run.setting = config::Fixed{m_recommended};
        break;
    case AutomaticHalving:
        options.run.setting = config::Auto{};
        options.halvesAutomatically = true;
        break;
    case WholeBatch:
        options.run.setting = config::Whole{};
        break;
    case Number:
        const auto size = numberOf(m_size, 1);
        if (!size)
            throw FormProblem(tr("No micro-batch size is given. Write one, or choose another way."), m_size);
        options.run.setting = config::Fixed{*size};
        break;
    }
}

void TrainingForm::takeData(training::TrainingOptions& options) const
{
    options.data.kind = static_cast<trial::DataKind>(m_data->value());
    switch (options.data.kind) {
    case trial::DataKind::Synthetic:
        options.data.samples = numberOf(m_samples, 1).value_or(0);
        break;
    case trial::DataKind::Text:
        options.data.path = pathOf(m_text, tr("No text is given. Choose a file, or synthetic data."));
        break;
    case trial::DataKind::Arrays:
        options.data.path =
            pathOf(m_arrays, tr("No folder of token arrays is given. Choose one, or synthetic data."));
        break;
    }
}

training::TrainingOptions TrainingForm::options(const engine::ExplorationOptions& base) const
{
    training::TrainingOptions options = training::trainingOptions(base);
    takeSize(options);
    options.growth = m_growth->text();
    const auto length = numberOf(m_length, 1);
    if (m_lengthUnit->value() == Steps)
        options.steps = length;
    else
        options.epochs = length;
    takeData(options);
    options.learningRate = rateOf(m_learningRate);
    options.evaluateEvery = numberOf(m_evaluateEvery, 0).value_or(0);
    options.checkpointFolder = m_checkpoints->text();
    options.checkpointEvery = numberOf(m_checkpointEvery, 0).value_or(0);
    if (options.checkpointEvery > 0 && options.checkpointFolder.isEmpty())
        throw FormProblem(tr("Checkpoints have no folder. Choose one, or leave their number of steps empty."),
                          m_checkpoints->line());
    options.resumeFolder = m_resume->text();
    return options;
}

} // namespace batchpeak::ui
