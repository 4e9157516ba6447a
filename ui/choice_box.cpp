// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "choice_box.h"

#include "theme/glyphs.h"

#include <QPainter>

namespace batchpeak::ui {

namespace {

// As the style sheet leaves room for it.
constexpr int arrowRoom = 22;
constexpr int arrowPixels = 9;

} // namespace

ChoiceBox::ChoiceBox(const QString& name, const QList<Choice>& choices, QWidget* parent) : QComboBox(parent)
{
    setProperty("plain", true);
    setAccessibleName(name);
    for (const auto& [text, value] : choices)
        addItem(text, value);
}

void ChoiceBox::setValue(int value)
{
    if (const int index = findData(value); index >= 0)
        setCurrentIndex(index);
}

void ChoiceBox::paintEvent(QPaintEvent* event)
{
    QComboBox::paintEvent(event);
    QPainter painter(this);
    const QRectF room(width() - arrowRoom, 0, arrowRoom, height());
    const QSizeF size(arrowPixels, arrowPixels);
    paintGlyph(painter, Glyph::Down, QRectF(room.center() - QPointF(size.width(), size.height()) / 2.0, size),
               palette().color(QPalette::PlaceholderText));
}

} // namespace batchpeak::ui
