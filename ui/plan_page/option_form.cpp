// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "option_form.h"

namespace batchpeak::ui {

namespace {

using engine::ExplorationOption;

std::vector<OptionLabel> explorationLabels()
{
    return {{"--phase", OptionForm::tr("&Phase")},
            {"--setting", OptionForm::tr("Size to find")},
            {"--min", OptionForm::tr("Smallest size")},
            {"--max", OptionForm::tr("Largest size")},
            {"--objective", OptionForm::tr("Objective")},
            {"--tolerance", OptionForm::tr("Tolerance, %")},
            {"--confidence", OptionForm::tr("Confidence, %")},
            {"--min-confidence", OptionForm::tr("Export from, %")},
            {"--sample-lengths", OptionForm::tr("Sample lengths"), OptionForm::tr("none")},
            {"--strategy", OptionForm::tr("Strategy")},
            {"--max-trials", OptionForm::tr("Max. trials")},
            {"--time-budget", OptionForm::tr("&Time budget"), OptionForm::tr("none")},
            {"--fresh", OptionForm::tr("Ignore earlier trials")},
            {"--no-verify", OptionForm::tr("Skip verification")}};
}

} // namespace

OptionForm::OptionForm(QWidget* parent) : OptionSections(parent)
{
    addFields(tr("What to explore"),
              {"--phase", "--setting", "--min", "--max", "--tolerance", "--confidence", "--headroom",
               "--time-budget", "--objective", "--max-trials"},
              false);
    addFields(tr("How it runs"),
              {"--precision", "--sequence-length", "--optimizer", "--activation-checkpointing", "--adapter",
               "--adapter-rank", "--frozen-weights", "--memory-limit", "--sample-lengths", "--loss-chunk",
               "--max-gradient-norm", "--attention", "--channels-last", "--cudnn-benchmark"},
              false);
    std::vector<std::string> others;
    for (const ExplorationOption& option : engine::explorationOptions()) {
        // Devices and programs have cards of their own.
        if (!field(option.name) && option.name != "--device" && option.name != "--with")
            others.push_back(option.name);
    }
    addFields(tr("More options…"), others, true);
    setOptions({});
}

void OptionForm::addFields(const QString& title, const std::vector<std::string>& names, bool isFolded)
{
    const std::vector<OptionLabel> labels = explorationLabels();
    std::vector<OptionField*> fields;
    for (const std::string& name : names) {
        const ExplorationOption& option = engine::explorationOption(name);
        const auto normal = [&option](const std::string& text) { return engine::normalText(option, text); };
        auto* field = new OptionField(option, optionLabel(name, labels), normal, this);
        connect(field, &OptionField::edited, this, [this, field] { takeText(field); });
        connect(field, &OptionField::cleared, this, [this, field] { clear(field); });
        fields.push_back(field);
    }
    addSection(title, fields, isFolded);
}

void OptionForm::setOptions(const engine::ExplorationOptions& options)
{
    m_options = options;
    for (OptionField* field : fields())
        field->forget();
}

void OptionForm::changeOptions(const engine::ExplorationOptions& options)
{
    m_options = options;
}

void OptionForm::display(const engine::PlanPreview& preview)
{
    for (OptionField* field : fields())
        field->display(preview.option(field->name()));
}

void OptionForm::takeText(OptionField* field)
{
    const ExplorationOption& option = engine::explorationOption(field->name());
    engine::ExplorationOptions options = m_options;
    option.clear(options);
    try {
        if (const QString text = field->text(); !text.isEmpty())
            option.take(options, text.toStdString());
    } catch (const engine::UsageError& error) {
        // A value parsed from the beginning of the text, while it was typed, must not stay in effect either.
        field->setProblem(error);
        option.clear(m_options);
        emit optionsChanged(m_options);
        emit problemChanged();
        return;
    }
    field->setProblem(QString());
    m_options = options;
    emit optionsChanged(m_options);
}

void OptionForm::clear(OptionField* field)
{
    field->setProblem(QString());
    engine::explorationOption(field->name()).clear(m_options);
    emit optionsChanged(m_options);
}

} // namespace batchpeak::ui
