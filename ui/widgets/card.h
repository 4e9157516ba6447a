// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QScrollArea;
class QVBoxLayout;

namespace batchpeak::ui {

/// A framed part of the window: a title, the unit of its numbers, room for something at the right of
/// them, and a body below.
class Card : public QFrame
{
    Q_OBJECT

public:
    explicit Card(const QString& title, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    void setUnit(const QString& unit);
    /// At the right end of the title line.
    void setHeaderWidget(QWidget* widget);
    QVBoxLayout* body() const { return m_body; }
    /// Within another card it has neither a frame nor a title of its own.
    void setEmbedded(bool isEmbedded);

private:
    QLabel* m_title;
    QLabel* m_unit;
    QHBoxLayout* m_header;
    QVBoxLayout* m_body;
};

/// \p page, which is taken over, where it may be higher than its place on a card.
QScrollArea* scrolledOnCard(QWidget* page);

} // namespace batchpeak::ui
