// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "empty_view.h"

#include "theme/glyphs.h"
#include "widgets/card.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QFontMetrics>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace batchpeak::ui {

namespace {

constexpr int emptySideWidth = 404;
constexpr int listGap = 10;

} // namespace

/// Area on which a file can be dropped, and on which a click opens one.
class EmptyView::DropZone : public QWidget
{
public:
    explicit DropZone(EmptyView* view) : QWidget(view), m_view(view)
    {
        setAccessibleName(tr("Drop a config here"));
        setCursor(Qt::PointingHandCursor);
        setMinimumSize(240, 160);
    }

    void setTheme(const Theme& theme)
    {
        m_theme = theme;
        update();
    }

    void setInviting(bool inviting)
    {
        if (inviting == m_inviting)
            return;
        m_inviting = inviting;
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QColor edge = m_inviting ? m_theme.throughput : m_theme.scrollBar;
        QPen pen(edge, 1.6, Qt::CustomDashLine);
        pen.setDashPattern({5, 4});
        painter.setPen(pen);
        painter.setBrush(m_theme.card);
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 10, 10);

        const QPointF center = QRectF(rect()).center();
        paintGlyph(painter, Glyph::Open, QRectF(center - QPointF(22, 74), QSizeF(44, 44)),
                   m_inviting ? m_theme.throughput : m_theme.scrollBar);
        painter.setPen(m_theme.text);
        painter.setFont(scaled(font(), 1.5, QFont::DemiBold));
        painter.drawText(QRectF(0, center.y() - 18, width(), 34), Qt::AlignCenter, tr("Drop a config here"));
        painter.setPen(m_theme.mutedText);
        painter.setFont(font());
        painter.drawText(QRectF(16, center.y() + 20, width() - 32, 60),
                         Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap,
                         tr("or click to open one. Batchpeak tries its network on this computer\n"
                            "and finds the micro-batch size with the most samples per second."));
    }

    void mouseReleaseEvent(QMouseEvent* event) override
    {
        if (event->button() == Qt::LeftButton && rect().contains(event->position().toPoint()))
            emit m_view->openRequested();
    }

private:
    EmptyView* m_view;
    Theme m_theme = Theme::light();
    bool m_inviting = false;
};

EmptyView::EmptyView(QWidget* parent) : QWidget(parent), m_zone(new DropZone(this))
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(listGap);
    layout->addWidget(m_zone, 1);
    auto* lists = new QWidget;
    auto* side = new QVBoxLayout(lists);
    side->setContentsMargins(0, 0, 0, 0);
    side->setSpacing(listGap);
    m_recent = addList(side, tr("Recently opened"));
    m_examples = addList(side, tr("Examples"));
    side->addStretch(1);
    // With a tall font the lists are higher than a small window.
    auto* area = scrolledOnCard(lists);
    area->setFixedWidth(emptySideWidth);
    layout->addWidget(area);
    setRecentFiles({});
    fill(m_examples, exampleConfigs(QCoreApplication::applicationDirPath()), false);
}

Card* EmptyView::addList(QVBoxLayout* layout, const QString& title)
{
    auto* card = new Card(title, this);
    card->body()->setSpacing(2);
    layout->addWidget(card);
    return card;
}

void EmptyView::fill(Card* card, const QStringList& files, bool namesFolders)
{
    qDeleteAll(card->findChildren<QPushButton*>());
    card->setVisible(!files.isEmpty());
    for (const QString& path : files) {
        const QFileInfo file(path);
        QString name = file.fileName();
        if (namesFolders)
            name += QStringLiteral("   ") + QDir::toNativeSeparators(file.path());
        // An ampersand in a name must not become a mnemonic.
        name = fontMetrics().elidedText(name, Qt::ElideMiddle, emptySideWidth - 56);
        auto* button = new QPushButton(name.replace(QLatin1Char('&'), QLatin1String("&&")), card);
        button->setProperty("link", QStringLiteral("plain"));
        button->setToolTip(QDir::toNativeSeparators(path));
        connect(button, &QPushButton::clicked, this, [this, path] { emit chosen(path); });
        card->body()->addWidget(button, 0, Qt::AlignLeft);
    }
}

void EmptyView::setTheme(const Theme& theme)
{
    m_zone->setTheme(theme);
}

void EmptyView::setInviting(bool inviting)
{
    m_zone->setInviting(inviting);
}

void EmptyView::setRecentFiles(const QStringList& files)
{
    fill(m_recent, files, true);
}

QStringList exampleConfigs(const QString& programFolder)
{
    // The installed program, and the one in a build tree: build/PRESET/bin.
    for (const char* place : {"../share/doc/batchpeak/examples", "../../../resources/examples"}) {
        const QDir folder(QDir(programFolder).filePath(QString::fromLatin1(place)));
        QStringList files;
        for (const QString& name : folder.entryList({QStringLiteral("*.yaml")}, QDir::Files, QDir::Name))
            files << QDir::cleanPath(folder.absoluteFilePath(name));
        if (!files.isEmpty())
            return files;
    }
    return {};
}

} // namespace batchpeak::ui
