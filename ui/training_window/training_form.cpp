// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_form.h"

#include "training/training_option_table.h"
#include "widgets/focus_scroll.h"
#include "widgets/option_sections.h"

#include <QScrollArea>
#include <QVBoxLayout>

namespace batchpeak::ui {

namespace {

constexpr int scrollBarWidth = 8;
constexpr int scrollBarGap = 6;

/// The placeholders have room for few words.
std::vector<OptionLabel> trainingLabels()
{
    return {
        {"--setting", TrainingForm::tr("Micro-&batch size")},
        {"--maximum", TrainingForm::tr("Find &maximum"), TrainingForm::tr("no")},
        {"--exact", TrainingForm::tr("Exact maximum")},
        {"--grow", TrainingForm::tr("&Growth"), TrainingForm::tr("none; 8, or a file")},
        {"--strict", TrainingForm::tr("Strict batch")},
        {"--steps", TrainingForm::tr("Steps"), TrainingForm::tr("all of the epochs")},
        {"--epochs", TrainingForm::tr("&Epochs"), TrainingForm::tr("determined by the steps")},
        {"--data", TrainingForm::tr("&Data"), TrainingForm::tr("synthetic")},
        {"--samples", TrainingForm::tr("Samples"), TrainingForm::tr("16 batches")},
        {"--learning-rate", TrainingForm::tr("Learning &rate"), TrainingForm::tr("3e-4")},
        {"--weight-by", TrainingForm::tr("Weigh by")},
        {"--eval-split", TrainingForm::tr("Hold &out"), TrainingForm::tr("none; 5% or 1000")},
        {"--evaluate-every", TrainingForm::tr("Evaluate every")},
        {"--evaluation-batches", TrainingForm::tr("Eval batches"), TrainingForm::tr("all held out, or 4")},
        {"--checkpoint", TrainingForm::tr("C&heckpoints"), TrainingForm::tr("none")},
        {"--checkpoint-every", TrainingForm::tr("Save every"), TrainingForm::tr("only at the end")},
        {"--resume", TrainingForm::tr("Res&ume from"), TrainingForm::tr("a fresh start")}};
}

} // namespace

TrainingForm::TrainingForm(QWidget* parent) : Card(tr("How to train"), parent)
{
    auto* area = new QScrollArea(this);
    followFocus(area);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::NoFocus);
    auto* inside = new QWidget(area);
    auto* layout = new QVBoxLayout(inside);
    // Room for the scroll bar, which appears and disappears.
    layout->setContentsMargins(0, 0, scrollBarGap, 0);
    m_sections = new OptionSections(inside);
    m_sections->setCompact();
    layout->addWidget(m_sections);
    layout->addStretch(1);
    area->setWidget(inside);
    inside->setAutoFillBackground(false);
    area->viewport()->setAutoFillBackground(false);
    area->setMinimumWidth(OptionField::minWidth() + scrollBarGap + scrollBarWidth);
    body()->addWidget(area, 1);

    addFields(tr("Size"), {"--setting", "--maximum", "--exact", "--grow"});
    addFields(tr("Length and data"), {"--epochs", "--steps", "--data", "--samples", "--learning-rate"});
    addFields(tr("Evaluation and checkpoints"), {"--eval-split", "--evaluate-every", "--evaluation-batches",
                                                 "--checkpoint", "--checkpoint-every", "--resume"});
    addFields(tr("Device"), {"--device", "--memory-limit", "--headroom"});
    std::vector<std::string> others;
    for (const auto& option : training::trainingOptionTable()) {
        if (!field(option.name))
            others.push_back(option.name);
    }
    addFields(tr("More options…"), others, true);
    follow();
}

void TrainingForm::addFields(const QString& title, const std::vector<std::string>& names, bool isFolded)
{
    const std::vector<OptionLabel> labels = trainingLabels();
    std::vector<OptionField*> fields;
    for (const std::string& name : names) {
        const training::TrainingOption& option = training::trainingOption(name);
        const auto normal = [&option](const std::string& text) { return engine::normalText(option, text); };
        auto* field = new OptionField(option, optionLabel(name, labels), normal, m_sections);
        connect(field, &OptionField::edited, this, [this, field] { takeText(field); });
        connect(field, &OptionField::cleared, this, [this, field] { clear(field); });
        fields.push_back(field);
    }
    m_sections->addSection(title, fields, isFolded);
}

void TrainingForm::setConfig(const engine::ConfigFile& config)
{
    m_config = config;
    setWords({});
}

void TrainingForm::setExploration(const engine::ExplorationOptions& exploration)
{
    m_commands.exploration = exploration;
    follow();
}

void TrainingForm::setRecommended(std::int64_t size)
{
    if (size == m_commands.recommended)
        return;
    m_commands.recommended = size;
    follow();
}

QStringList TrainingForm::words() const
{
    QStringList words;
    for (const auto& [name, text] : m_commands.given)
        words << QString::fromStdString(name) << QString::fromStdString(text);
    return words;
}

void TrainingForm::setWords(const QStringList& words)
{
    m_commands.given.clear();
    for (OptionField* field : fields())
        field->setProblem(QString());
    follow();
    for (qsizetype place = 0; place + 1 < words.size(); place += 2) {
        if (OptionField* asked = field(words.at(place).toStdString()))
            asked->type(words.at(place + 1));
    }
}

QString TrainingForm::problem() const
{
    const QString unreadable = m_sections->problem();
    return unreadable.isEmpty() ? m_preview.problem : unreadable;
}

const std::vector<OptionField*>& TrainingForm::fields() const
{
    return m_sections->fields();
}

OptionField* TrainingForm::field(const std::string& name) const
{
    return m_sections->field(name);
}

void TrainingForm::takeText(OptionField* field)
{
    const training::TrainingOption& option = training::trainingOption(field->name());
    const std::string text = field->text().toStdString();
    if (text.empty())
        return clear(field);
    try {
        training::TrainingOptions alone;
        option.clear(alone);
        option.take(alone, text);
    } catch (const engine::UsageError& error) {
        // A value parsed from the beginning of the text, while it was typed, must not stay in effect either.
        field->setProblem(error);
        m_commands.given.erase(field->name());
        follow();
        return;
    }
    field->setProblem(QString());
    m_commands.given.insert_or_assign(field->name(), text);
    follow();
}

void TrainingForm::clear(OptionField* field)
{
    field->setProblem(QString());
    m_commands.given.erase(field->name());
    follow();
}

void TrainingForm::follow()
{
    static const config::ConfigContents none;
    m_preview = training::previewOn(m_config ? m_config->path() : QString(),
                                    m_config ? m_config->contents() : none, m_commands);
    // If samples are held out, they are used for evaluation even without an explicit interval.
    const bool holdsOut = m_commands.given.contains("--eval-split");
    field("--evaluate-every")->setPlaceholder(holdsOut ? tr("each epoch") : tr("never"));
    for (const engine::OptionPreview& preview : m_preview.fields) {
        if (OptionField* shown = field(preview.name))
            shown->display(preview);
    }
    emit changed();
}

} // namespace batchpeak::ui
