// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QScrollArea;
class QVBoxLayout;

namespace batchpeak::ui {

/// A framed part of the window: a title, the unit of its numbers, room for a widget at their right, and a
/// body below.
class Card : public QFrame
{
    Q_OBJECT

public:
    explicit Card(const QString& title, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    void setUnit(const QString& unit);
    /// Places a widget at the right end of the title line.
    void setHeaderWidget(QWidget* widget);
    QVBoxLayout* body() const { return m_body; }
    /// Sets whether the card is within another card, where it has neither a frame nor a title of its own.
    void setEmbedded(bool isEmbedded);

private:
    QLabel* m_title;
    QLabel* m_unit;
    QHBoxLayout* m_header;
    QVBoxLayout* m_body;
};

/// Returns a scroll area for \p page, which may be higher than its place on a card. The scroll area takes
/// ownership.
QScrollArea* scrolledOnCard(QWidget* page);

} // namespace batchpeak::ui
