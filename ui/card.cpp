// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "card.h"

#include "labels.h"
#include "theme/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace batchpeak::ui {

Card::Card(const QString& title, QWidget* parent)
    : QFrame(parent),
      m_title(new QLabel(this)),
      m_unit(mutedLabel(QString(), this)),
      m_header(new QHBoxLayout),
      m_body(new QVBoxLayout(this))
{
    setProperty("card", true);
    m_body->setContentsMargins(16, 12, 16, 12);
    m_body->setSpacing(8);
    m_title->setFont(scaled(font(), 1.05, QFont::DemiBold));
    m_unit->setFont(scaled(font(), 0.95));
    m_header->setSpacing(8);
    m_header->addWidget(m_title);
    m_header->addWidget(m_unit);
    m_header->addStretch(1);
    m_body->addLayout(m_header);
    setTitle(title);
}

void Card::setTitle(const QString& title)
{
    setTextIfNew(m_title, title);
    setAccessibleName(title);
}

void Card::setUnit(const QString& unit)
{
    setTextIfNew(m_unit, unit);
    m_unit->setVisible(!unit.isEmpty());
}

void Card::setHeaderWidget(QWidget* widget)
{
    m_header->addWidget(widget, 100);
}

} // namespace batchpeak::ui
