// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "card.h"

#include "focus_scroll.h"
#include "labels.h"
#include "theme/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QStyle>
#include <QVBoxLayout>

namespace batchpeak::ui {

namespace {

constexpr QMargins defaultMargins(16, 12, 16, 12);

} // namespace

Card::Card(const QString& title, QWidget* parent)
    : QFrame(parent),
      m_title(new QLabel(this)),
      m_unit(mutedLabel(QString(), this)),
      m_header(new QHBoxLayout),
      m_body(new QVBoxLayout(this))
{
    setProperty("card", true);
    m_body->setContentsMargins(defaultMargins);
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

void Card::setEmbedded(bool isEmbedded)
{
    if (property("card").toBool() != isEmbedded)
        return;
    setProperty("card", !isEmbedded);
    style()->unpolish(this);
    style()->polish(this);
    m_title->setVisible(!isEmbedded);
    m_unit->setVisible(!isEmbedded && !m_unit->text().isEmpty());
    m_body->setContentsMargins(isEmbedded ? QMargins() : defaultMargins);
}

void Card::setHeaderWidget(QWidget* widget)
{
    m_header->addWidget(widget, 100);
}

QScrollArea* scrolledOnCard(QWidget* page)
{
    auto* area = new QScrollArea;
    followFocus(area);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::NoFocus);
    area->setWidget(page);
    // Otherwise both would be filled from the palette, in the color of the window.
    area->viewport()->setAutoFillBackground(false);
    page->setAutoFillBackground(false);
    return area;
}

} // namespace batchpeak::ui
