// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "style_sheet.h"

#include <QWidget>

#include <array>
#include <utility>

namespace batchpeak::ui {

namespace {

constexpr const char* sheet = R"(
*[card="true"] { background: @card; border: 1px solid @border; border-radius: 8px; }
*[bar="top"] { background: @card; border: none; border-bottom: 1px solid @border; }
*[bar="bottom"] { background: @card; border: none; border-top: 1px solid @border; }
*[banner="error"] { background: @card; border: 1px solid @bad; border-radius: 8px; }
*[banner="warning"] { background: @card; border: 1px solid @warn; border-radius: 8px; }
*[banner="note"] { background: @card; border: 1px solid @throughput; border-radius: 8px; }
QLabel { background: transparent; border: none; color: @text; }
QLabel[muted="true"] { color: @mutedText; }
QLabel[warn="true"] { color: @warn; }
QLabel[chip] { color: @mutedText; border: 1px solid @border; border-radius: 7px; padding: 1px 8px; }
QLabel[chip="warn"] { color: @warn; }

QToolButton { background: transparent; color: @text; border: 1px solid transparent; border-radius: 6px;
              padding: 5px 9px; }
QToolButton:hover { background: @window; }
QToolButton:pressed, QToolButton:checked { background: @grid; }
QToolButton:focus { border-color: @throughput; }
QToolButton:disabled { color: @faint; }
QToolButton::menu-indicator { image: none; width: 0px; }

QPushButton { border-radius: 6px; padding: 6px 14px; }
QPushButton[primary="true"] { background: @throughput; color: @primaryText; border: 1px solid @throughput; }
QPushButton[primary="true"]:hover { background: @primaryHover; border-color: @primaryHover; }
QPushButton[primary="true"]:focus { border: 1px solid @text; }
QPushButton[primary="true"]:disabled { background: @grid; color: @mutedText; border-color: @grid; }
QPushButton[secondary="true"] { background: @card; color: @text; border: 1px solid @border; }
QPushButton[secondary="true"]:hover { background: @window; }
QPushButton[secondary="true"]:focus { border-color: @throughput; }
QPushButton[secondary="true"]:disabled { color: @faint; }

QProgressBar { background: @grid; border: none; border-radius: 3px; }
QProgressBar::chunk { background: @throughput; border-radius: 3px; }

QHeaderView { background: transparent; border: none; }
QHeaderView::section { background: @card; color: @mutedText; border: none; border-bottom: 1px solid @border;
                       padding: 3px 4px; }
QTableView { background: @card; alternate-background-color: @alternateRow; border: none;
             selection-background-color: @selection; selection-color: @text; outline: none; }
QPlainTextEdit { background: @card; color: @text; border: none; }
QPlainTextEdit[framed="true"] { border: 1px solid @border; border-radius: 6px; }
QPlainTextEdit[framed="true"]:focus { border-color: @throughput; }
QTableView { color: @text; }
QLineEdit { background: @card; color: @text; border: 1px solid @border; border-radius: 6px; padding: 5px 8px;
            selection-background-color: @selection; selection-color: @text; }
QLineEdit:disabled { color: @faint; }
QLineEdit:focus { border-color: @throughput; }
QRadioButton { color: @text; spacing: 8px; }
QRadioButton::indicator { width: 12px; height: 12px; background: @card; border: 1px solid @mutedText;
                          border-radius: 7px; }
QRadioButton::indicator:focus { border-color: @throughput; }
QRadioButton::indicator:checked { width: 4px; height: 4px; border: 5px solid @throughput; }
QComboBox[plain="true"] { background: @card; color: @text; border: 1px solid @border; border-radius: 6px;
                          padding: 5px 8px; }
QComboBox[plain="true"]:focus { border-color: @throughput; }
QComboBox[plain="true"]:disabled { color: @faint; }
QComboBox[plain="true"]::drop-down { border: none; width: 14px; }
QComboBox QLineEdit { border: none; padding: 0px 4px; }
*[line="true"] { background: @border; border: none; }

QScrollBar:vertical { background: transparent; width: 8px; margin: 0px; }
QScrollBar:horizontal { background: transparent; height: 8px; margin: 0px; }
QScrollBar::handle { background: @scrollBar; border-radius: 3px; margin: 1px; }
QScrollBar::handle:vertical { min-height: 24px; }
QScrollBar::handle:horizontal { min-width: 24px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0px; height: 0px; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QSplitter::handle { background: transparent; }
QMenu { background: @card; color: @text; border: 1px solid @border; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 24px; border-radius: 4px; }
QMenu::item:selected { background: @grid; }
QMenu::item:disabled { color: @mutedText; }
QMenu::separator { height: 1px; background: @border; margin: 4px 8px; }
QToolTip { background: @hoverBox; color: @text; border: 1px solid @border; padding: 3px; }
)";

QColor mixed(const QColor& a, const QColor& b, double share)
{
    const auto mix = [share](int x, int y) { return static_cast<int>(x * (1.0 - share) + y * share); };
    return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

} // namespace

QString styleSheetFor(const Theme& theme)
{
    // Longer names before those that they begin with.
    const std::array<std::pair<const char*, QColor>, 16> colours{{
        {"@primaryText", theme.primaryText},
        {"@primaryHover", mixed(theme.throughput, theme.text, 0.15)},
        {"@alternateRow", theme.alternateRow},
        {"@mutedText", theme.mutedText},
        {"@throughput", theme.throughput},
        {"@scrollBar", theme.scrollBar},
        {"@selection", mixed(theme.card, theme.throughput, 0.18)},
        {"@hoverBox", theme.hoverBox},
        {"@window", theme.window},
        {"@border", theme.border},
        {"@faint", mixed(theme.card, theme.mutedText, 0.65)},
        {"@card", theme.card},
        {"@grid", theme.grid},
        {"@text", theme.text},
        {"@warn", theme.warn},
        {"@bad", theme.bad},
    }};
    QString text = QString::fromLatin1(sheet);
    for (const auto& [name, colour] : colours)
        text.replace(QLatin1String(name), colour.name());
    return text;
}

void applyTheme(QWidget& window, const Theme& theme)
{
    // The other way round, Qt 6.4 would bring back the palette that it saw with the old style sheet.
    window.setStyleSheet(styleSheetFor(theme));
    window.setPalette(theme.palette());
}

void dressDialog(QWidget& dialog, const Theme& theme)
{
    const QPalette palette = theme.palette();
    // A polish that comes later would bring the former palette back.
    dialog.ensurePolished();
    dialog.setPalette(palette);
    for (QWidget* part : dialog.findChildren<QWidget*>()) {
        part->ensurePolished();
        part->setPalette(palette);
    }
}

} // namespace batchpeak::ui
