// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "diff_view.h"

#include "text/escaped_text.h"

#include <QPainter>
#include <QTextBlock>
#include <QTextCursor>

namespace batchpeak::ui {

namespace {

constexpr int innerMargin = 8;
constexpr int fewestRows = 6;

QTextCharFormat inColor(const QColor& color)
{
    QTextCharFormat format;
    format.setForeground(color);
    return format;
}

// States of the blocks, which determine their backgrounds.
constexpr int addedState = 1;
constexpr int removedState = 2;

} // namespace

DiffView::DiffView(QWidget* parent) : QPlainTextEdit(parent)
{
    setProperty("framed", true);
    setReadOnly(true);
    setTabChangesFocus(true);
    // What is outside of the view must be reachable by keyboard.
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    document()->setDocumentMargin(innerMargin);
    const QFont fixed = fixedFont(font(), 0.95);
    setFont(fixed);
    setMinimumHeight(fewestRows * QFontMetrics(fixed).lineSpacing() + 2 * innerMargin);
}

void DiffView::setTheme(const Theme& theme)
{
    m_theme = theme;
    draw();
}

void DiffView::setDiff(const QString& diff)
{
    m_text = diff;
    m_isDiff = true;
    draw();
}

void DiffView::setSentence(const QString& sentence)
{
    m_text = sentence;
    m_isDiff = false;
    draw();
}

void DiffView::draw()
{
    clear();
    setLineWrapMode(m_isDiff ? NoWrap : WidgetWidth);
    if (!m_isDiff) {
        QTextCharFormat format = inColor(m_theme.mutedText);
        format.setFont(parentWidget() ? parentWidget()->font() : QFont());
        textCursor().insertText(m_text, format);
        return;
    }
    bool isHeader = true;
    for (QStringView rest = m_text; !rest.isEmpty();) {
        const qsizetype end = rest.indexOf(QLatin1Char('\n'));
        const QStringView line = end < 0 ? rest : rest.first(end);
        rest = end < 0 ? QStringView() : rest.sliced(end + 1);
        isHeader = isHeader && !line.startsWith(QLatin1String("@@"));
        // Lines keep their line endings from the file, which are not shown.
        const QStringView shown = line.endsWith(QLatin1Char('\r')) ? line.chopped(1) : line;
        // Characters that reverse or break a line would make it look like a different change.
        addLine(engine::escapeControls(shown.toString()), isHeader);
    }
    moveCursor(QTextCursor::Start);
}

void DiffView::addLine(const QString& line, bool isHeader)
{
    QTextCursor cursor(document());
    cursor.movePosition(QTextCursor::End);
    if (!document()->isEmpty())
        cursor.insertBlock();
    const bool isAdded = !isHeader && line.startsWith(QLatin1Char('+'));
    const bool isRemoved = !isHeader && line.startsWith(QLatin1Char('-'));
    if (isAdded || isRemoved) {
        cursor.block().setUserState(isAdded ? addedState : removedState);
        cursor.insertText(line.first(1), inColor(isAdded ? m_theme.good : m_theme.bad));
        cursor.insertText(line.sliced(1), inColor(m_theme.text));
        return;
    }
    const bool isContext = !isHeader && line.startsWith(QLatin1Char(' '));
    cursor.insertText(line, inColor(isContext ? m_theme.text : m_theme.mutedText));
}

/// Paints the backgrounds from edge to edge; the background of a block format would exclude the margins.
void DiffView::paintEvent(QPaintEvent* event)
{
    QPainter painter(viewport());
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
        if (place.top() > viewport()->height())
            break;
        const QRectF row(0, place.top(), viewport()->width(), place.height());
        if (block.userState() == addedState)
            painter.fillRect(row, m_theme.addedLine);
        if (block.userState() == removedState)
            painter.fillRect(row, m_theme.removedLine);
    }
    painter.end();
    QPlainTextEdit::paintEvent(event);
}

} // namespace batchpeak::ui
