// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QStackedWidget;
class QTabBar;

namespace batchpeak::ui {

/// A framed part of the window with several pages, one of which is shown; their tabs are where a card has its
/// title.
class TabCard : public QFrame
{
    Q_OBJECT

public:
    explicit TabCard(QWidget* parent = nullptr);

    /// \param page  the card takes ownership
    void addPage(const QString& name, QWidget* page);
    void insertPage(int place, const QString& name, QWidget* page);
    /// Removes a page, whose ownership returns to the caller.
    void takePage(QWidget* page);
    void showPage(const QWidget* page);
    bool hasPage(const QWidget* page) const;

private:
    QTabBar* m_tabs;
    QStackedWidget* m_pages;
};

} // namespace batchpeak::ui
