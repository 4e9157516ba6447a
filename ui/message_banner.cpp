// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "message_banner.h"

#include "labels.h"
#include "theme/glyphs.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

namespace batchpeak::ui {

namespace {

using Kind = MessageBanner::Kind;

Tone toneOf(Kind kind)
{
    return kind == Kind::Error ? Tone::Bad : kind == Kind::Warning ? Tone::Warn : Tone::Good;
}

// As the style sheet knows it.
QString propertyOf(Kind kind)
{
    switch (kind) {
    case Kind::Error:
        return QStringLiteral("error");
    case Kind::Warning:
        return QStringLiteral("warning");
    case Kind::Note:
        break;
    }
    return QStringLiteral("note");
}

QString wordFor(Kind kind)
{
    switch (kind) {
    case Kind::Error:
        return MessageBanner::tr("Error");
    case Kind::Warning:
        return MessageBanner::tr("Warning");
    case Kind::Note:
        break;
    }
    return MessageBanner::tr("Message");
}

} // namespace

MessageBanner::MessageBanner(QWidget* parent)
    : QFrame(parent),
      m_sign(new QLabel(this)),
      m_text(wrapped(new QLabel(this))),
      m_details(wrapped(mutedLabel(QString(), this))),
      m_button(new QPushButton(this)),
      m_close(new QToolButton(this))
{
    setProperty("banner", QStringLiteral("note"));
    m_details->setFont(fixedFont(font(), 0.9));
    m_button->setProperty("secondary", true);
    m_close->setToolTip(tr("Close this message"));
    m_close->setAccessibleName(tr("Close this message"));

    auto* texts = new QVBoxLayout;
    texts->setSpacing(4);
    texts->addWidget(m_text);
    texts->addWidget(m_details);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(14, 8, 8, 8);
    layout->setSpacing(10);
    layout->addWidget(m_sign, 0, Qt::AlignTop);
    layout->addLayout(texts, 1);
    layout->addWidget(m_button, 0, Qt::AlignVCenter);
    layout->addWidget(m_close, 0, Qt::AlignTop);
    connect(m_button, &QPushButton::clicked, this, [this] {
        if (m_action)
            m_action->trigger();
    });
    connect(m_close, &QToolButton::clicked, this, &QWidget::hide);
    hide();
}

void MessageBanner::applySign()
{
    const QIcon icon = glyphIcon(m_kind == Kind::Note ? Glyph::Check : Glyph::Warning,
                                 colourOf(toneOf(m_kind), m_theme), m_theme.mutedText);
    m_sign->setPixmap(icon.pixmap(QSize(16, 16), devicePixelRatioF()));
    m_close->setIcon(glyphIcon(Glyph::Cross, m_theme.mutedText, m_theme.mutedText));
    setProperty("banner", propertyOf(m_kind));
    style()->unpolish(this);
    style()->polish(this);
}

void MessageBanner::setTheme(const Theme& theme)
{
    m_theme = theme;
    applySign();
}

void MessageBanner::showMessage(Kind kind, const QString& text, const QString& details, QAction* action)
{
    m_kind = kind;
    m_text->setText(text);
    m_details->setText(details);
    m_details->setVisible(!details.isEmpty());
    m_action = action;
    m_button->setText(action ? action->text() : QString());
    m_button->setVisible(action != nullptr);
    setAccessibleName(wordFor(kind));
    setAccessibleDescription(text);
    applySign();
    show();
}

QString MessageBanner::text() const
{
    return m_text->text();
}

} // namespace batchpeak::ui
