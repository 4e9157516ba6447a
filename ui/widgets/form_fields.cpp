// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "form_fields.h"

#include "buttons.h"
#include "theme/glyphs.h"

#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QWheelEvent>

namespace batchpeak::ui {

namespace {

// Room that the style sheet leaves for the arrow.
constexpr int arrowRoom = 22;
constexpr int arrowPixels = 9;

} // namespace

ChoiceBox::ChoiceBox(const QString& name, const QList<Choice>& choices, QWidget* parent) : QComboBox(parent)
{
    setProperty("plain", true);
    setAccessibleName(name);
    setFocusPolicy(Qt::StrongFocus);
    for (const auto& [text, value] : choices)
        addItem(text, value);
}

void ChoiceBox::wheelEvent(QWheelEvent* event)
{
    event->ignore();
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

PathField::PathField(Kind kind, const QString& name, const QString& filter, QWidget* parent)
    : QWidget(parent), m_name(name), m_filter(filter), m_line(new QLineEdit(this))
{
    m_line->setAccessibleName(name);
    auto* button = dialogButton(QStringLiteral("…"), "secondary", this);
    button->setAccessibleName(tr("Look for: %1").arg(name));
    button->setToolTip(kind == Kind::File     ? tr("Choose a file")
                       : kind == Kind::Folder ? tr("Choose a folder")
                                              : tr("Choose a file or a folder"));
    button->setFixedWidth(40);
    if (kind == Kind::Either) {
        // No system dialog accepts both.
        auto* menu = new QMenu(button);
        menu->addAction(tr("A &file…"), this, [this] { browse(Kind::File); });
        menu->addAction(tr("A f&older…"), this, [this] { browse(Kind::Folder); });
        connect(button, &QPushButton::clicked, menu,
                [menu, button] { menu->popup(button->mapToGlobal(QPoint(0, button->height()))); });
    } else {
        connect(button, &QPushButton::clicked, this, [this, kind] { browse(kind); });
    }
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(m_line, 1);
    layout->addWidget(button);
    setFocusProxy(m_line);
}

QString PathField::text() const
{
    return m_line->text().trimmed();
}

void PathField::setText(const QString& text)
{
    m_line->setText(text);
}

void PathField::setPlaceholder(const QString& text)
{
    m_line->setPlaceholderText(text);
}

void PathField::browse(Kind kind)
{
    const QString present = text();
    const QString chosen = kind == Kind::File ? QFileDialog::getOpenFileName(this, m_name, present, m_filter)
                                              : QFileDialog::getExistingDirectory(this, m_name, present);
    if (!chosen.isEmpty())
        setText(QDir::toNativeSeparators(chosen));
}

QLineEdit* numberLine(const QString& name, const QString& placeholder, QWidget* parent)
{
    auto* line = new QLineEdit(parent);
    line->setAccessibleName(name);
    line->setPlaceholderText(placeholder);
    return line;
}

} // namespace batchpeak::ui
