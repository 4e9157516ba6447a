// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "form_fields.h"

#include "buttons.h"
#include "theme/glyphs.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QLocale>
#include <QPainter>

#include <cmath>

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

PathField::PathField(Kind kind, const QString& name, const QString& filter, QWidget* parent)
    : QWidget(parent), m_kind(kind), m_name(name), m_filter(filter), m_line(new QLineEdit(this))
{
    m_line->setAccessibleName(name);
    auto* button = dialogButton(QStringLiteral("…"), "secondary", this);
    button->setAccessibleName(tr("Look for: %1").arg(name));
    button->setToolTip(kind == Kind::File ? tr("Choose a file") : tr("Choose a folder"));
    button->setFixedWidth(40);
    connect(button, &QPushButton::clicked, this, &PathField::browse);
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

void PathField::browse()
{
    const QString present = text();
    const QString chosen = m_kind == Kind::File
                               ? QFileDialog::getOpenFileName(this, m_name, present, m_filter)
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

QWidget* inOneRow(std::initializer_list<QWidget*> parts, int stretched, QWidget* parent)
{
    auto* row = new QWidget(parent);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    int place = 0;
    for (QWidget* part : parts)
        layout->addWidget(part, place++ == stretched ? 1 : 0);
    return row;
}

std::optional<std::int64_t> numberOf(QLineEdit* line, std::int64_t least)
{
    const QString text = line->text().trimmed();
    if (text.isEmpty())
        return std::nullopt;
    bool isNumber = false;
    const qlonglong number = QLocale().toLongLong(text, &isNumber);
    if (!isNumber || number < least)
        throw FormProblem(
            QCoreApplication::translate("FormFields", "%1 is \"%2\"; write a whole number of at least %3.")
                .arg(line->accessibleName(), text)
                .arg(least),
            line);
    return number;
}

std::optional<double> rateOf(QLineEdit* line)
{
    const QString text = line->text().trimmed();
    if (text.isEmpty())
        return std::nullopt;
    bool isNumber = false;
    double rate = QLocale().toDouble(text, &isNumber);
    if (!isNumber)
        rate = QLocale::c().toDouble(text, &isNumber);
    if (!isNumber || !(rate > 0.0) || !std::isfinite(rate))
        throw FormProblem(
            QCoreApplication::translate("FormFields", "%1 is \"%2\"; write a number above 0, as 3e-4.")
                .arg(line->accessibleName(), text),
            line);
    return rate;
}

std::string pathOf(const PathField* field, const QString& sentence)
{
    if (field->text().isEmpty())
        throw FormProblem(sentence, field->line());
    return QFileInfo(field->text()).absoluteFilePath().toStdString();
}

} // namespace batchpeak::ui
