// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "option_form.h"

#include <QCoreApplication>

#include <array>
#include <utility>

namespace batchpeak::ui {

namespace {

using engine::ExplorationOption;

/// Returns the name of an option that the user sees.
QString nameOf(const std::string& option)
{
    static const std::array<std::pair<const char*, const char*>, 14> names{
        {{"--phase", QT_TRANSLATE_NOOP("OptionForm", "&Phase")},
         {"--setting", QT_TRANSLATE_NOOP("OptionForm", "Size to find")},
         {"--min", QT_TRANSLATE_NOOP("OptionForm", "Smallest size")},
         {"--max", QT_TRANSLATE_NOOP("OptionForm", "Largest size")},
         {"--objective", QT_TRANSLATE_NOOP("OptionForm", "Objective")},
         {"--tolerance", QT_TRANSLATE_NOOP("OptionForm", "Tolerance, %")},
         {"--confidence", QT_TRANSLATE_NOOP("OptionForm", "Confidence, %")},
         {"--min-confidence", QT_TRANSLATE_NOOP("OptionForm", "Export from, %")},
         {"--sample-lengths", QT_TRANSLATE_NOOP("OptionForm", "Sample lengths")},
         {"--strategy", QT_TRANSLATE_NOOP("OptionForm", "Strategy")},
         {"--max-trials", QT_TRANSLATE_NOOP("OptionForm", "Max. trials")},
         {"--time-budget", QT_TRANSLATE_NOOP("OptionForm", "&Time budget")},
         {"--fresh", QT_TRANSLATE_NOOP("OptionForm", "Ignore earlier trials")},
         {"--no-verify", QT_TRANSLATE_NOOP("OptionForm", "Skip verification")}}};
    for (const auto& [name, text] : names) {
        if (option == name)
            return QCoreApplication::translate("OptionForm", text);
    }
    return runOptionName(option);
}

/// Returns the text of the empty field.
QString placeholderOf(const std::string& option)
{
    return option == "--time-budget" || option == "--sample-lengths" ? OptionForm::tr("none")
                                                                     : runOptionPlaceholder(option);
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
        if (!field(option.name) && !option.isRepeated && option.name != "--with")
            others.push_back(option.name);
    }
    addFields(tr("More options…"), others, true);
    setOptions({});
}

void OptionForm::addFields(const QString& title, const std::vector<std::string>& names, bool isFolded)
{
    std::vector<OptionField*> fields;
    for (const std::string& name : names) {
        const ExplorationOption& option = engine::explorationOption(name);
        const auto normal = [&option](const std::string& text) { return engine::normalText(option, text); };
        auto* field = new OptionField(option, nameOf(name), placeholderOf(name), normal, this);
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
