// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "figure.h"

#include "card.h"
#include "fonts.h"

#include <QLabel>
#include <QVBoxLayout>

namespace batchpeak::ui {

namespace {

// Setting the same text again would lay the window out again.
void setIfNew(QLabel* label, const QString& text)
{
    if (label->text() != text)
        label->setText(text);
}

} // namespace

Figure::Figure(const QString& caption, QWidget* parent)
    : QWidget(parent), m_value(new QLabel(this)), m_caption(mutedLabel(caption, this))
{
    m_value->setFont(scaled(font(), 1.1, QFont::DemiBold));
    m_value->setTextFormat(Qt::PlainText);
    m_caption->setFont(scaled(font(), 0.9));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_value);
    layout->addWidget(m_caption);
}

void Figure::setValue(const QString& value)
{
    setIfNew(m_value, value);
}

void Figure::setCaption(const QString& caption)
{
    setIfNew(m_caption, caption);
}

void Figure::setExplanation(const QString& sentence)
{
    m_caption->setToolTip(sentence);
}

QString Figure::text() const
{
    return QStringLiteral("%1 %2").arg(m_value->text(), m_caption->text());
}

} // namespace batchpeak::ui
