// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "labels.h"

#include "text/escaped_text.h"
#include "theme/theme.h"

#include <QEvent>
#include <QFontMetrics>
#include <QRegularExpression>
#include <QVBoxLayout>

namespace batchpeak::ui {

namespace {

constexpr char16_t zeroWidthSpace = 0x200b;
constexpr auto breakableProperty = "breakable";

} // namespace

QLabel* mutedLabel(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    // The style sheet of an ancestor would override a palette.
    label->setProperty("muted", true);
    return label;
}

QLabel* wrapped(QLabel* label)
{
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

void setTextIfNew(QLabel* label, const QString& text)
{
    if (label->text() != text)
        label->setText(text);
}

void setBreakableText(QLabel* label, const QString& text)
{
    static const QRegularExpression joints(QStringLiteral("([._/])(?=\\w)"));
    label->setProperty(breakableProperty, true);
    setTextIfNew(label,
                 engine::escapeControls(text).replace(joints, QStringLiteral("\\1") + QChar(zeroWidthSpace)));
}

QString withoutBreaks(const QWidget& widget, QString text)
{
    return widget.property(breakableProperty).toBool() ? text.remove(QChar(zeroWidthSpace)) : text;
}

QString withShortNames(QString text, int longest)
{
    const QRegularExpression longName(
        QStringLiteral("([^\\s/]{%1})[^\\s/]{2,}([^\\s/]{%1})").arg((longest - 1) / 2));
    return text.replace(longName, QStringLiteral("\\1…\\2"));
}

void setTextWithShortNames(QLabel* label, const QString& text, int longest)
{
    const QString shown = withShortNames(text, longest);
    setTextIfNew(label, shown);
    label->setToolTip(shown == text ? QString() : text);
}

QString wholeTextOf(const QLabel* label)
{
    return label->toolTip().isEmpty() ? label->text() : label->toolTip();
}

ElidedLabel::ElidedLabel(Qt::TextElideMode mode, QWidget* parent) : QLabel(parent), m_mode(mode)
{
    setTextFormat(Qt::PlainText);
    setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
}

void ElidedLabel::setFullText(const QString& text)
{
    if (text == m_fullText)
        return;
    m_fullText = text;
    setAccessibleName(text);
    updateGeometry();
    elide();
}

QSize ElidedLabel::sizeHint() const
{
    return {fontMetrics().horizontalAdvance(m_fullText) + 4, fontMetrics().height()};
}

QSize ElidedLabel::minimumSizeHint() const
{
    return {fontMetrics().horizontalAdvance(QLatin1Char('m')) * 6, fontMetrics().height()};
}

void ElidedLabel::elide()
{
    const QString shown = fontMetrics().elidedText(m_fullText, m_mode, width());
    if (shown != text())
        setText(shown);
    setToolTip(shown == m_fullText ? QString() : m_fullText);
}

void ElidedLabel::resizeEvent(QResizeEvent* event)
{
    QLabel::resizeEvent(event);
    elide();
}

void ElidedLabel::changeEvent(QEvent* event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        elide();
}

Metric::Metric(const QString& caption, QWidget* parent)
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

void Metric::setValue(const QString& value)
{
    setTextIfNew(m_value, value);
}

void Metric::setCaption(const QString& caption)
{
    setTextIfNew(m_caption, caption);
}

void Metric::setExplanation(const QString& sentence)
{
    m_caption->setToolTip(sentence);
}

QString Metric::text() const
{
    return QStringLiteral("%1 %2").arg(m_value->text(), m_caption->text());
}

} // namespace batchpeak::ui
