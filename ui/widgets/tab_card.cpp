// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tab_card.h"

#include "theme/theme.h"

#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

namespace batchpeak::ui {

TabCard::TabCard(QWidget* parent)
    : QFrame(parent), m_tabs(new QTabBar(this)), m_pages(new QStackedWidget(this))
{
    setProperty("card", true);
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setFont(scaled(font(), 1.0, QFont::DemiBold));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 8, 16, 12);
    layout->setSpacing(8);
    layout->addWidget(m_tabs);
    layout->addWidget(m_pages, 1);
    connect(m_tabs, &QTabBar::currentChanged, m_pages, &QStackedWidget::setCurrentIndex);
}

void TabCard::addPage(const QString& name, QWidget* page)
{
    insertPage(m_tabs->count(), name, page);
}

void TabCard::insertPage(int place, const QString& name, QWidget* page)
{
    page->setAccessibleName(name);
    m_pages->insertWidget(place, page);
    m_tabs->insertTab(place, name);
}

void TabCard::takePage(QWidget* page)
{
    const int place = m_pages->indexOf(page);
    m_pages->removeWidget(page);
    m_tabs->removeTab(place);
}

bool TabCard::hasPage(const QWidget* page) const
{
    return m_pages->indexOf(const_cast<QWidget*>(page)) >= 0;
}

void TabCard::showPage(const QWidget* page)
{
    m_tabs->setCurrentIndex(m_pages->indexOf(const_cast<QWidget*>(page)));
}

} // namespace batchpeak::ui
