// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "option_field.h"

#include "form_fields.h"
#include "labels.h"
#include "options/value_kinds.h"

#include <QGridLayout>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStyle>

#include <algorithm>
#include <utility>

namespace batchpeak::ui {

namespace {

using engine::OptionWords;
using engine::Origin;

constexpr int nameWidth = 120;
constexpr int editorWidth = 190;
constexpr int originWidth = 84;
constexpr int fieldGap = 8;

/// Returns the choices of an option; empty if any text can be typed.
QStringList choicesOf(const OptionWords& option)
{
    if (option.isSwitch())
        return {QStringLiteral("off"), QStringLiteral("on")};
    QStringList words;
    for (const std::string& word : engine::valueKindsOf(option.values).words)
        words << QString::fromStdString(word);
    return words;
}

/// Whether the option takes numbers; in other options a comma is not a decimal separator.
bool takesNumbers(const OptionWords& option)
{
    return engine::valueKindsOf(option.values).takesNumbers;
}

std::optional<PathField::Kind> pathKindOf(const OptionWords& option)
{
    const engine::ValueKinds kinds = engine::valueKindsOf(option.values);
    if (kinds.takesFiles && kinds.takesFolders)
        return PathField::Kind::Either;
    if (kinds.takesFiles)
        return PathField::Kind::File;
    return kinds.takesFolders ? std::optional(PathField::Kind::Folder) : std::nullopt;
}

std::vector<OptionLabel> runLabels()
{
    return {
        {"--device", OptionField::tr("Device"), OptionField::tr("a GPU, else the CPU")},
        {"--memory-limit", OptionField::tr("Memory limit"), OptionField::tr("none")},
        {"--headroom", OptionField::tr("Headroom, %")},
        {"--sequence-length", OptionField::tr("Sequence length")},
        {"--packed-text-length", OptionField::tr("Packed texts, tokens")},
        {"--shrink", OptionField::tr("Smaller network")},
        {"--precision", OptionField::tr("Precision")},
        {"--optimizer", OptionField::tr("Optimizer")},
        {"--adapter", OptionField::tr("Adapter")},
        {"--adapter-rank", OptionField::tr("Adapter rank"), OptionField::tr("nothing is frozen")},
        {"--frozen-weights", OptionField::tr("Frozen weights"), OptionField::tr("nothing is frozen")},
        {"--activation-checkpointing", OptionField::tr("Checkpointing")},
        {"--loss-chunk", OptionField::tr("Loss chunk, rows")},
        {"--max-gradient-norm", OptionField::tr("Gradient norm")},
        {"--attention", OptionField::tr("Attention")},
        {"--channels-last", OptionField::tr("Channels last")},
        {"--cudnn-benchmark", OptionField::tr("cuDNN benchmark")},
        {"--worker", OptionField::tr("Worker"), QStringLiteral("batchpeak-worker")},
        {"--processes", OptionField::tr("Processes in a step"),
         OptionField::tr("those of the config, if there are GPUs for them")},
        {"--nodes", OptionField::tr("Nodes in a step"), OptionField::tr("1")},
        {"--on", OptionField::tr("Where"), OptionField::tr("this computer")},
        {"--reconnect", OptionField::tr("Reconnect for")},
        {"--start-timeout", OptionField::tr("Longest start"), OptionField::tr("a minute; none at a place")},
        {"--seed", OptionField::tr("Seed")}};
}

QString originWord(Origin origin)
{
    switch (origin) {
    case Origin::Config:
        return OptionField::tr("config");
    case Origin::Yours:
        return OptionField::tr("set by you");
    case Origin::Explored:
        return OptionField::tr("explored");
    case Origin::Default:
        break;
    }
    return OptionField::tr("default");
}

} // namespace

OptionField::OptionField(const OptionWords& words, const OptionLabel& label, NormalText normalText,
                         QWidget* parent)
    : QWidget(parent),
      m_words(words),
      m_normalText(std::move(normalText)),
      m_label(new QLabel(label.name, this)),
      m_editor(makeEditor(QString(label.name).remove(QLatin1Char('&')))),
      m_origin(new QPushButton(this)),
      m_explanation(mutedLabel(QString(), this))
{
    m_label->setFixedWidth(nameWidth);
    m_label->setBuddy(m_editor);
    setPlaceholder(label.placeholder);
    m_origin->setProperty("link", QStringLiteral("muted"));
    m_origin->setFixedWidth(originWidth);
    m_origin->setFont(scaled(font(), 0.9));
    m_explanation->setFont(scaled(font(), 0.9));
    m_explanation->setWordWrap(true);
    m_explanation->setTextFormat(Qt::PlainText);
    m_explanation->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    connect(m_origin, &QPushButton::clicked, this, &OptionField::cleared);

    m_editor->setFixedWidth(editorWidth);
    m_grid = new QGridLayout(this);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(fieldGap);
    m_grid->setVerticalSpacing(2);
    m_grid->addWidget(m_label, 0, 0);
    m_grid->addWidget(m_editor, 0, 1);
    m_grid->addWidget(m_origin, 0, 2);
    m_grid->setColumnStretch(3, 1);
    setExplanation(Explanation::Below);
    display({.name = words.name});
    // Shows the value that replaces a deleted text.
    if (line())
        connect(line(), &QLineEdit::editingFinished, this, [this] { display(m_preview); });
}

int OptionField::minWidth()
{
    return nameWidth + editorWidth + originWidth + 3 * fieldGap;
}

void OptionField::setExplanation(Explanation explanation)
{
    m_place = explanation;
    m_grid->removeWidget(m_explanation);
    if (explanation == Explanation::Beside)
        m_grid->addWidget(m_explanation, 0, 3, Qt::AlignVCenter);
    else
        m_grid->addWidget(m_explanation, 1, 1, 1, 3);
    const QString typed =
        QString::fromStdString(m_words.name + (m_words.isSwitch() ? "" : " " + m_words.values));
    m_editor->setToolTip(explanation == Explanation::Problems
                             ? QString::fromStdString(m_words.help) + QLatin1Char('\n') + typed
                             : typed);
    showExplanation();
}

QWidget* OptionField::makeEditor(const QString& name)
{
    if (const auto kind = pathKindOf(m_words)) {
        const QString filter = m_words.values.ends_with(".py") ? tr("Python (*.py)") : QString();
        auto* field = new PathField(*kind, name, filter, this);
        connect(field->line(), &QLineEdit::textChanged, this, &OptionField::edited);
        return field;
    }
    if (const QStringList words = choicesOf(m_words); !words.isEmpty()) {
        const bool takesOthers = engine::valueKindsOf(m_words.values).takesOthers;
        QList<ChoiceBox::Choice> choices;
        for (const QString& word : words)
            choices.append({word, static_cast<int>(choices.size())});
        auto* box = new ChoiceBox(name, choices, this);
        box->setEditable(takesOthers);
        connect(box, &ChoiceBox::activated, this, &OptionField::edited);
        if (takesOthers)
            connect(box->lineEdit(), &QLineEdit::textEdited, this, &OptionField::edited);
        return box;
    }
    auto* line = new QLineEdit(this);
    line->setAccessibleName(name);
    connect(line, &QLineEdit::textEdited, this, &OptionField::edited);
    return line;
}

/// Returns null if the editor is a fixed choice.
QLineEdit* OptionField::line() const
{
    if (const auto* box = qobject_cast<ChoiceBox*>(m_editor))
        return box->lineEdit();
    if (const auto* path = qobject_cast<PathField*>(m_editor))
        return path->line();
    return static_cast<QLineEdit*>(m_editor);
}

void OptionField::setPlaceholder(const QString& placeholder)
{
    if (line())
        line()->setPlaceholderText(placeholder);
    else
        static_cast<ChoiceBox*>(m_editor)->setPlaceholderText(placeholder);
}

QString OptionField::title() const
{
    return m_label->text().remove(QLatin1Char('&')).section(QLatin1Char(','), 0, 0);
}

QString OptionField::text() const
{
    if (!line())
        return static_cast<ChoiceBox*>(m_editor)->currentText();
    const QString typed = line()->text().trimmed();
    return takesNumbers(m_words) ? engine::withPlainNumbers(typed, QLocale()) : typed;
}

void OptionField::type(const QString& text)
{
    if (QLineEdit* edit = line()) {
        edit->setText(text);
    } else {
        auto* box = static_cast<ChoiceBox*>(m_editor);
        box->setCurrentIndex(box->findText(text));
    }
    emit edited();
}

/// Whether both texts are the same value, as "2." is 2, and "1024MiB" is 1GiB.
bool OptionField::means(const QString& typed, const QString& text) const
{
    if (typed == text || typed.isEmpty())
        return typed == text;
    return m_normalText(typed.toStdString()) == text.toStdString();
}

void OptionField::setText(const QString& text)
{
    if (auto* box = qobject_cast<ChoiceBox*>(m_editor); box && !box->isEditable()) {
        // A switch that is not set is off.
        box->setCurrentIndex(m_words.isSwitch() ? std::max(0, box->findText(text)) : box->findText(text));
        return;
    }
    const bool isTyping = line()->hasFocus() && !m_isForgotten;
    if (isTyping || means(this->text(), text))
        return;
    const QSignalBlocker quiet(line());
    if (auto* box = qobject_cast<ChoiceBox*>(m_editor); box && box->findText(text) >= 0)
        box->setCurrentIndex(box->findText(text));
    else
        line()->setText(takesNumbers(m_words) ? engine::withLocalNumbers(text, QLocale()) : text);
}

void OptionField::display(const engine::OptionPreview& preview)
{
    m_preview = preview;
    if (m_problem.isEmpty())
        setText(preview.text);
    m_isForgotten = false;
    m_label->setEnabled(preview.playsAPart);
    m_editor->setEnabled(preview.playsAPart);
    // Invalid input is not in effect, but it is still the user's.
    const bool isYours = preview.origin == Origin::Yours || !m_problem.isEmpty();
    m_origin->setText(originWord(isYours ? Origin::Yours : preview.origin));
    m_origin->setFont(scaled(font(), 0.9, isYours ? QFont::DemiBold : QFont::Normal));
    m_origin->setEnabled(isYours);
    m_origin->setToolTip(isYours ? tr("Reset") : preview.place);
    m_origin->setAccessibleName(isYours ? tr("%1: set by you; reset").arg(QString::fromStdString(name()))
                                        : m_origin->text());
    showExplanation();
}

void OptionField::forget()
{
    setProblem(QString());
    m_isForgotten = true;
}

void OptionField::setProblem(const QString& sentence)
{
    if (sentence == m_problem)
        return;
    m_problem = sentence;
    if (auto* editor = line()) {
        editor->setProperty("bad", !sentence.isEmpty());
        style()->unpolish(editor);
        style()->polish(editor);
    }
    display(m_preview);
}

void OptionField::setProblem(const engine::UsageError& error)
{
    const auto* value = dynamic_cast<const engine::ValueError*>(&error);
    // When problems are listed together, the field is not beside them.
    QString sentence =
        value
            ? value->sentence(title(), QLocale())
            : tr("%1: %2", "field, and what is wrong with it").arg(title(), QString::fromUtf8(error.what()));
    if (!sentence.isEmpty())
        sentence[0] = sentence.at(0).toUpper();
    setProblem(sentence);
}

void OptionField::showExplanation()
{
    const QString help = m_place == Explanation::Problems ? QString() : QString::fromStdString(m_words.help);
    const QString place = m_place == Explanation::Problems ? QString() : m_preview.place;
    const QString text = !m_problem.isEmpty() ? m_problem : !place.isEmpty() ? place : help;
    m_explained = text;
    setBreakableText(m_explanation, text);
    m_explanation->setAccessibleName(text);
    m_explanation->setVisible(!text.isEmpty());
    m_explanation->setToolTip(text == help ? QString() : help);
    m_editor->setAccessibleDescription(m_problem);
    const bool isBad = !m_problem.isEmpty();
    if (m_explanation->property("bad").toBool() == isBad)
        return;
    m_explanation->setProperty("bad", isBad);
    style()->unpolish(m_explanation);
    style()->polish(m_explanation);
}

QString OptionField::originText() const
{
    return m_origin->text();
}

QString OptionField::explanation() const
{
    return m_explained;
}

OptionLabel optionLabel(const std::string& option, const std::vector<OptionLabel>& ofForm)
{
    const std::vector<OptionLabel> ofRuns = runLabels();
    for (const auto* labels : {&ofForm, &ofRuns}) {
        const auto place = std::ranges::find(*labels, option, &OptionLabel::option);
        if (place != labels->end())
            return *place;
    }
    return {.option = option, .name = QString::fromStdString(option)};
}

} // namespace batchpeak::ui
