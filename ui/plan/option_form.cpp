// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "option_form.h"

#include "buttons.h"
#include "engine/option_values.h"
#include "form_fields.h"
#include "labels.h"

#include <QCoreApplication>
#include <QGridLayout>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <utility>

namespace batchpeak::ui {

namespace {

using engine::ExplorationOption;
using engine::Origin;

constexpr int nameWidth = 120;
constexpr int editorWidth = 190;
constexpr int originWidth = 62;
constexpr int columnWidth = nameWidth + editorWidth + originWidth + 16;
constexpr int columnGap = 28;

/// What is chosen from; something else may be typed where \p takesOthers.
struct Choices
{
    QStringList words;
    bool takesOthers = false;
};

/// No words where anything is typed.
Choices choicesOf(const ExplorationOption& option)
{
    if (option.isSwitch())
        return {.words = {QStringLiteral("off"), QStringLiteral("on")}};
    QStringList words = QString::fromStdString(option.values).split(QLatin1Char('|'));
    const auto isPlaceholder = [](const QString& word) { return word != word.toLower(); };
    const qsizetype placeholders = words.removeIf(isPlaceholder);
    return {.words = words, .takesOthers = placeholders > 0};
}

/// What a person calls an option; one without a name of its own is called as it is typed.
QString nameOf(const std::string& option)
{
    static const std::array<std::pair<const char*, const char*>, 27> names{
        {{"--phase", QT_TRANSLATE_NOOP("OptionForm", "&Phase")},
         {"--setting", QT_TRANSLATE_NOOP("OptionForm", "Size to find")},
         {"--min", QT_TRANSLATE_NOOP("OptionForm", "Smallest size")},
         {"--max", QT_TRANSLATE_NOOP("OptionForm", "Largest size")},
         {"--objective", QT_TRANSLATE_NOOP("OptionForm", "Objective")},
         {"--tolerance", QT_TRANSLATE_NOOP("OptionForm", "Tolerance, %")},
         {"--confidence", QT_TRANSLATE_NOOP("OptionForm", "Confidence, %")},
         {"--min-confidence", QT_TRANSLATE_NOOP("OptionForm", "Export from, %")},
         {"--memory-limit", QT_TRANSLATE_NOOP("OptionForm", "Memory limit")},
         {"--headroom", QT_TRANSLATE_NOOP("OptionForm", "Headroom, %")},
         {"--sequence-length", QT_TRANSLATE_NOOP("OptionForm", "Sequence length")},
         {"--precision", QT_TRANSLATE_NOOP("OptionForm", "Precision")},
         {"--optimizer", QT_TRANSLATE_NOOP("OptionForm", "Optimizer")},
         {"--activation-checkpointing", QT_TRANSLATE_NOOP("OptionForm", "Checkpointing")},
         {"--loss-chunk", QT_TRANSLATE_NOOP("OptionForm", "Loss chunk, rows")},
         {"--max-gradient-norm", QT_TRANSLATE_NOOP("OptionForm", "Gradient norm")},
         {"--attention", QT_TRANSLATE_NOOP("OptionForm", "Attention")},
         {"--channels-last", QT_TRANSLATE_NOOP("OptionForm", "Channels last")},
         {"--cudnn-benchmark", QT_TRANSLATE_NOOP("OptionForm", "cuDNN benchmark")},
         {"--worker", QT_TRANSLATE_NOOP("OptionForm", "Worker")},
         {"--launcher", QT_TRANSLATE_NOOP("OptionForm", "Launcher")},
         {"--seed", QT_TRANSLATE_NOOP("OptionForm", "Seed")},
         {"--sample-lengths", QT_TRANSLATE_NOOP("OptionForm", "Sample lengths")},
         {"--strategy", QT_TRANSLATE_NOOP("OptionForm", "Strategy")},
         {"--max-trials", QT_TRANSLATE_NOOP("OptionForm", "Most trials")},
         {"--time-budget", QT_TRANSLATE_NOOP("OptionForm", "&Time budget")},
         {"--no-verify", QT_TRANSLATE_NOOP("OptionForm", "Skip verification")}}};
    for (const auto& [name, text] : names) {
        if (option == name)
            return QCoreApplication::translate("OptionForm", text);
    }
    return QString::fromStdString(option);
}

/// What is empty is said in the field.
QString placeholderOf(const std::string& option)
{
    if (option == "--time-budget" || option == "--memory-limit")
        return OptionForm::tr("none");
    if (option == "--worker")
        return QStringLiteral("batchpeak-worker");
    if (option == "--launcher" || option == "--sample-lengths")
        return OptionForm::tr("none");
    return {};
}

QString originWord(Origin origin)
{
    switch (origin) {
    case Origin::Config:
        return OptionForm::tr("config");
    case Origin::Yours:
        return OptionForm::tr("yours");
    case Origin::Default:
        break;
    }
    return OptionForm::tr("default");
}

} // namespace

OptionField::OptionField(const ExplorationOption& option, QWidget* parent)
    : QWidget(parent),
      m_option(option),
      m_editor(makeEditor()),
      m_origin(new QPushButton(this)),
      m_explanation(mutedLabel(QString(), this))
{
    auto* label = new QLabel(nameOf(option.name), this);
    label->setFixedWidth(nameWidth);
    label->setBuddy(m_editor);
    m_editor->setToolTip(
        QString::fromStdString(option.name + (option.isSwitch() ? "" : " " + option.values)));
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
    m_grid->setHorizontalSpacing(8);
    m_grid->setVerticalSpacing(2);
    m_grid->addWidget(label, 0, 0);
    m_grid->addWidget(m_editor, 0, 1);
    m_grid->addWidget(m_origin, 0, 2);
    m_grid->setColumnStretch(3, 1);
    setExplanationBeside(false);
    display({.name = option.name});
}

void OptionField::setExplanationBeside(bool isBeside)
{
    m_grid->removeWidget(m_explanation);
    if (isBeside)
        m_grid->addWidget(m_explanation, 0, 3, Qt::AlignVCenter);
    else
        m_grid->addWidget(m_explanation, 1, 1, 1, 3);
}

bool OptionField::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Wheel) {
        event->ignore();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

QWidget* OptionField::makeEditor()
{
    const QString name = nameOf(m_option.name).remove(QLatin1Char('&'));
    if (const auto [words, takesOthers] = choicesOf(m_option); !words.isEmpty()) {
        QList<ChoiceBox::Choice> choices;
        for (const QString& word : words)
            choices.append({word, static_cast<int>(choices.size())});
        auto* box = new ChoiceBox(name, choices, this);
        box->setEditable(takesOthers);
        // A wheel over a form scrolls the form.
        box->setFocusPolicy(Qt::StrongFocus);
        box->installEventFilter(this);
        connect(box, &ChoiceBox::activated, this, &OptionField::edited);
        if (takesOthers)
            connect(box->lineEdit(), &QLineEdit::textEdited, this, &OptionField::edited);
        return box;
    }
    if (m_option.values == "FILE") {
        auto* field = new PathField(PathField::Kind::File, name, {}, this);
        field->setPlaceholder(placeholderOf(m_option.name));
        connect(field->line(), &QLineEdit::textChanged, this, &OptionField::edited);
        return field;
    }
    auto* line = new QLineEdit(this);
    line->setAccessibleName(name);
    line->setPlaceholderText(placeholderOf(m_option.name));
    connect(line, &QLineEdit::textEdited, this, &OptionField::edited);
    return line;
}

QString OptionField::text() const
{
    if (const auto* box = qobject_cast<ChoiceBox*>(m_editor))
        return box->currentText();
    if (const auto* path = qobject_cast<PathField*>(m_editor))
        return path->text();
    return static_cast<QLineEdit*>(m_editor)->text().trimmed();
}

/// As "2." is 2, and "1024MiB" is 1GiB.
bool OptionField::means(const QString& typed, const QString& text) const
{
    if (typed == text || typed.isEmpty())
        return typed == text;
    engine::ExplorationOptions options;
    m_option.clear(options);
    try {
        m_option.take(options, typed.toStdString());
    } catch (const engine::UsageError&) {
        return false;
    }
    return m_option.texts(options) == std::vector<std::string>{text.toStdString()};
}

void OptionField::setText(const QString& text)
{
    if (auto* box = qobject_cast<ChoiceBox*>(m_editor)) {
        // A switch that nobody has spoken of is off.
        const int place = box->findText(text);
        if (box->isEditable() && (box->lineEdit()->hasFocus() || means(box->currentText(), text)))
            return;
        if (place >= 0 || !box->isEditable())
            box->setCurrentIndex(std::max(0, place));
        else
            box->setEditText(text);
        return;
    }
    auto* path = qobject_cast<PathField*>(m_editor);
    auto* line = path ? path->line() : static_cast<QLineEdit*>(m_editor);
    if (line->hasFocus() || means(line->text().trimmed(), text))
        return;
    const QSignalBlocker quiet(line);
    line->setText(text);
}

void OptionField::display(const engine::OptionOutlook& outlook)
{
    m_outlook = outlook;
    if (m_problem.isEmpty())
        setText(outlook.text);
    const bool isYours = outlook.origin == Origin::Yours;
    m_origin->setText(originWord(outlook.origin));
    m_origin->setFont(scaled(font(), 0.9, isYours ? QFont::DemiBold : QFont::Normal));
    m_origin->setEnabled(isYours);
    m_origin->setToolTip(isYours ? tr("Take it back") : QString());
    m_origin->setAccessibleName(isYours ? tr("%1: yours; take it back").arg(QString::fromStdString(name()))
                                        : m_origin->text());
    showExplanation();
}

void OptionField::setProblem(const QString& sentence)
{
    if (sentence == m_problem)
        return;
    m_problem = sentence;
    showExplanation();
}

void OptionField::showExplanation()
{
    const QString help = QString::fromStdString(m_option.help);
    const QString text = !m_problem.isEmpty()         ? m_problem
                         : !m_outlook.place.isEmpty() ? m_outlook.place
                                                      : help;
    setTextIfNew(m_explanation, text);
    m_explanation->setToolTip(text == help ? QString() : help);
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
    return m_explanation->text();
}

OptionForm::OptionForm(QWidget* parent) : QWidget(parent)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    addSection(layout, tr("What to explore"),
               {"--phase", "--setting", "--min", "--max", "--tolerance", "--confidence", "--headroom",
                "--time-budget", "--objective", "--max-trials"},
               false);
    addSection(layout, tr("How it runs"),
               {"--precision", "--sequence-length", "--optimizer", "--activation-checkpointing",
                "--memory-limit", "--sample-lengths", "--loss-chunk", "--max-gradient-norm", "--attention",
                "--channels-last", "--cudnn-benchmark"},
               false);
    std::vector<std::string> others;
    for (const ExplorationOption& option : engine::explorationOptions()) {
        // Devices have a card of their own.
        if (!field(option.name) && !option.isRepeated)
            others.push_back(option.name);
    }
    addSection(layout, tr("More options…"), others, true);
    setOptions({});
}

void OptionForm::addSection(QVBoxLayout* layout, const QString& title, const std::vector<std::string>& names,
                            bool isFolded)
{
    Section section{.body = new QWidget(this), .grid = nullptr, .fields = {}};
    section.grid = new QGridLayout(section.body);
    section.grid->setContentsMargins(0, 0, 0, 6);
    section.grid->setHorizontalSpacing(columnGap);
    section.grid->setVerticalSpacing(8);
    for (const std::string& name : names) {
        auto* field = new OptionField(engine::explorationOption(name), section.body);
        connect(field, &OptionField::edited, this, [this, field] { takeText(field); });
        connect(field, &OptionField::cleared, this, [this, field] { clear(field); });
        section.fields.push_back(field);
        m_fields.push_back(field);
    }
    if (isFolded) {
        auto* button = new QPushButton(this);
        button->setProperty("link", QStringLiteral("heading"));
        button->setFont(scaled(font(), 1.0, QFont::DemiBold));
        button->setCheckable(true);
        const auto unfold = [button, title, body = section.body](bool isOpen) {
            button->setText(isOpen ? tr("Fewer options") : title);
            body->setVisible(isOpen);
        };
        connect(button, &QPushButton::toggled, this, unfold);
        unfold(false);
        layout->addWidget(button, 0, Qt::AlignLeft);
    } else {
        auto* heading = new QLabel(title, this);
        heading->setFont(scaled(font(), 1.0, QFont::DemiBold));
        layout->addWidget(heading);
    }
    layout->addWidget(section.body);
    m_sections.push_back(std::move(section));
}

OptionField* OptionForm::field(const std::string& name) const
{
    const auto place = std::ranges::find(m_fields, name, &OptionField::name);
    return place == m_fields.end() ? nullptr : *place;
}

void OptionForm::layOut()
{
    const int columns = width() >= 2 * columnWidth + columnGap ? 2 : 1;
    if (columns == m_columns)
        return;
    m_columns = columns;
    for (const Section& section : m_sections) {
        int place = 0;
        for (OptionField* field : section.fields) {
            field->setExplanationBeside(columns == 1);
            section.grid->addWidget(field, place / columns, place % columns, Qt::AlignTop);
            ++place;
        }
        section.grid->setColumnStretch(0, 1);
        section.grid->setColumnStretch(1, columns == 2 ? 1 : 0);
    }
}

QSize OptionForm::minimumSizeHint() const
{
    return {columnWidth, QWidget::minimumSizeHint().height()};
}

void OptionForm::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    layOut();
}

void OptionForm::setOptions(const engine::ExplorationOptions& options)
{
    m_options = options;
    for (OptionField* field : m_fields)
        field->setProblem({});
}

void OptionForm::display(const engine::ExplorationOutlook& outlook)
{
    for (OptionField* field : m_fields)
        field->display(outlook.option(field->name()));
}

QString OptionForm::problem() const
{
    for (const OptionField* field : m_fields) {
        if (!field->problem().isEmpty())
            return field->problem();
    }
    return {};
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
        field->setProblem(QString::fromUtf8(error.what()));
        emit problemChanged();
        return;
    }
    field->setProblem({});
    m_options = options;
    emit optionsChanged(m_options);
}

void OptionForm::clear(OptionField* field)
{
    field->setProblem({});
    engine::explorationOption(field->name()).clear(m_options);
    emit optionsChanged(m_options);
}

} // namespace batchpeak::ui
