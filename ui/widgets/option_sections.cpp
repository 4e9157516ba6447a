// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "option_sections.h"

#include "labels.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace batchpeak::ui {

namespace {

constexpr int columnGap = 28;
// Width for explanations of several words per line.
constexpr int besideWidth = 200;

} // namespace

OptionSections::OptionSections(QWidget* parent) : QWidget(parent)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
}

void OptionSections::addSection(const QString& title, const std::vector<OptionField*>& fields, bool isFolded)
{
    auto* layout = static_cast<QVBoxLayout*>(this->layout());
    Section section{.body = new QWidget(this), .grid = nullptr, .fields = fields};
    section.grid = new QGridLayout(section.body);
    section.grid->setContentsMargins(0, 0, 0, 6);
    section.grid->setHorizontalSpacing(columnGap);
    section.grid->setVerticalSpacing(m_isCompact ? 5 : 8);
    for (OptionField* field : fields) {
        field->setParent(section.body);
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
    m_columns = 0;
}

void OptionSections::setCompact()
{
    m_isCompact = true;
    layout()->setSpacing(5);
}

OptionField* OptionSections::field(const std::string& name) const
{
    const auto place = std::ranges::find(m_fields, name, &OptionField::name);
    return place == m_fields.end() ? nullptr : *place;
}

QString OptionSections::problem() const
{
    QStringList problems;
    for (const OptionField* field : m_fields)
        problems << field->problem();
    problems.removeAll(QString());
    return problems.join(QLatin1Char('\n'));
}

void OptionSections::layOut()
{
    const int min = OptionField::minWidth();
    const int columns = !m_isCompact && width() >= 2 * min + columnGap ? 2 : 1;
    using Explanation = OptionField::Explanation;
    const Explanation explanation = m_isCompact                                    ? Explanation::Problems
                                    : columns == 1 && width() >= min + besideWidth ? Explanation::Beside
                                                                                   : Explanation::Below;
    if (columns == m_columns && explanation == m_explanation)
        return;
    m_columns = columns;
    m_explanation = explanation;
    for (const Section& section : m_sections) {
        int place = 0;
        for (OptionField* field : section.fields) {
            field->setExplanation(explanation);
            section.grid->addWidget(field, place / columns, place % columns, Qt::AlignTop);
            ++place;
        }
        section.grid->setColumnStretch(0, 1);
        section.grid->setColumnStretch(1, columns == 2 ? 1 : 0);
    }
}

QSize OptionSections::minimumSizeHint() const
{
    return {OptionField::minWidth(), QWidget::minimumSizeHint().height()};
}

void OptionSections::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    layOut();
}

} // namespace batchpeak::ui
