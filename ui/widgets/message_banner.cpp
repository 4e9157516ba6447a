// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "message_banner.h"

#include "labels.h"
#include "theme/glyphs.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace batchpeak::ui {

namespace {

using Kind = MessageBanner::Kind;

// Maximum width of a banner that overlays something.
constexpr int maxBannerWidth = 860;
constexpr int gap = 14;

/// What distinguishes a kind of message from the others.
struct Signs
{
    /// Value of the property in the style sheet.
    QString property;
    QString word;
    Tone tone;
    Glyph glyph;
};

Signs signsOf(Kind kind)
{
    switch (kind) {
    case Kind::Error:
        return {QStringLiteral("error"), MessageBanner::tr("Error"), Tone::Bad, Glyph::Warning};
    case Kind::Warning:
        return {QStringLiteral("warning"), MessageBanner::tr("Warning"), Tone::Warn, Glyph::Warning};
    case Kind::Past:
        return {QStringLiteral("note"), MessageBanner::tr("Earlier run"), Tone::Muted, Glyph::Clock};
    case Kind::Note:
        break;
    }
    return {QStringLiteral("note"), MessageBanner::tr("Message"), Tone::Good, Glyph::Check};
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
    connect(m_close, &QToolButton::clicked, this, [this] {
        hide();
        emit closed(m_action);
    });
    hide();
}

void MessageBanner::applySign()
{
    const Signs signs = signsOf(m_kind);
    const QIcon icon = glyphIcon(signs.glyph, colorOf(signs.tone, m_theme), m_theme.mutedText);
    m_sign->setPixmap(icon.pixmap(QSize(16, 16), devicePixelRatioF()));
    m_close->setIcon(glyphIcon(Glyph::Cross, m_theme.mutedText, m_theme.mutedText));
    setProperty("banner", signs.property);
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
    setTextWithShortNames(m_text, text);
    m_details->setText(details);
    m_details->setVisible(!details.isEmpty());
    layout()->setAlignment(m_sign, details.isEmpty() ? Qt::AlignVCenter : Qt::AlignTop);
    m_action = action;
    m_button->setText(action ? action->text() : QString());
    m_button->setVisible(action != nullptr);
    setAccessibleName(signsOf(kind).word);
    setAccessibleDescription(text);
    applySign();
    show();
}

void MessageBanner::showFailure(const QString& failure, const QString& details, QAction* action)
{
    if (failure == m_failure)
        return;
    const QString before = std::exchange(m_failure, failure);
    if (!failure.isEmpty())
        showMessage(Kind::Error, failure, details, action);
    else if (text() == before)
        hide();
}

bool MessageBanner::offers(const QAction* action) const
{
    return !isHidden() && m_action == action;
}

void MessageBanner::floatOver(QWidget* host)
{
    m_host = host;
    host->installEventFilter(this);
    place();
}

/// Limits the width to what is easy to read, and adjusts the height to it.
void MessageBanner::place()
{
    if (!m_host)
        return;
    const QPoint corner = m_host->mapTo(parentWidget(), QPoint(0, 0));
    const int width = std::min(m_host->width() - 2 * gap, maxBannerWidth);
    const int height = std::min(layout()->totalHeightForWidth(width), m_host->height() - 2 * gap);
    setGeometry(corner.x() + (m_host->width() - width) / 2, corner.y() + m_host->height() - gap - height,
                width, height);
    raise();
}

bool MessageBanner::event(QEvent* event)
{
    const bool isHandled = QFrame::event(event);
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::Show)
        place();
    return isHandled;
}

bool MessageBanner::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize || event->type() == QEvent::Move)
        place();
    return QFrame::eventFilter(watched, event);
}

void MessageBanner::setClosable(bool closable)
{
    m_close->setVisible(closable);
}

QString MessageBanner::text() const
{
    return wholeTextOf(m_text);
}

} // namespace batchpeak::ui
