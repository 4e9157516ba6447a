// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "log_view.h"

#include "table_layout.h"
#include "theme/theme.h"

#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextDocument>
#include <QVBoxLayout>

#include <algorithm>

namespace batchpeak::ui {

namespace {

constexpr int maxLines = 2000;

bool isSame(const engine::LogLine& a, const engine::LogLine& b)
{
    return a.time == b.time && a.text == b.text;
}

} // namespace

QString logLineText(const engine::LogLine& line)
{
    const QString time = line.time.toLocalTime().time().toString(QStringLiteral("HH:mm:ss"));
    switch (line.level) {
    case engine::LogLevel::Info:
        break;
    case engine::LogLevel::Warning:
        return LogView::tr("%1  warning: %2").arg(time, line.text);
    case engine::LogLevel::Error:
        return LogView::tr("%1  error: %2").arg(time, line.text);
    }
    return QStringLiteral("%1  %2").arg(time, line.text);
}

LogView::LogView(QWidget* parent) : QWidget(parent), m_text(new QPlainTextEdit)
{
    m_text->setFont(fixedFont(font(), 0.9));
    m_text->setReadOnly(true);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setMaximumBlockCount(maxLines);
    m_text->setTabChangesFocus(true);
    m_text->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_text->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    m_text->document()->setDocumentMargin(0);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_text->setAccessibleName(tr("Log"));
    auto* bar = m_text->verticalScrollBar();
    connect(bar, &QScrollBar::valueChanged, this,
            [this](int value) { m_following = value >= lineOfNewest(); });
    connect(bar, &QScrollBar::rangeChanged, this, [this, bar] {
        if (m_following)
            bar->setValue(lineOfNewest());
    });
    auto* rows = new WholeRows(
        m_text, [] { return 2; }, [this] { return m_text->fontMetrics().lineSpacing(); }, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(rows, 1);
}

int LogView::lineOfNewest() const
{
    return std::min(m_text->verticalScrollBar()->maximum(),
                    m_text->document()->lastBlock().firstLineNumber());
}

void LogView::display(const std::vector<engine::LogLine>& log)
{
    if (log.empty()) {
        m_text->clear();
        m_shownLines = 0;
        return;
    }
    // The newest shown line is at its previous index, or at a lower one if old lines were dropped.
    std::size_t next = 0;
    if (m_shownLines > 0) {
        for (std::size_t place = std::min(m_shownLines, log.size()); place > 0 && next == 0; --place) {
            if (isSame(log[place - 1], m_newest))
                next = place;
        }
        if (next == 0)
            m_text->clear();
    }
    const bool follows = m_following;
    for (; next < log.size(); ++next)
        m_text->appendPlainText(logLineText(log[next]));
    // If the view is at the bottom, the text edit itself scrolls to the end of the last appended line.
    if (follows)
        m_text->verticalScrollBar()->setValue(lineOfNewest());
    m_shownLines = log.size();
    m_newest = log.back();
}

QString LogView::text() const
{
    return m_text->toPlainText();
}

} // namespace batchpeak::ui
