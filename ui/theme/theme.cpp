// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme.h"

#include <QFontDatabase>
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
QLabel:disabled { color: @faint; }
QLabel[muted="true"] { color: @mutedText; }
QLabel[warn="true"] { color: @warn; }
QLabel[bad="true"] { color: @bad; }
QLabel[code="true"] { background: @alternateRow; border: 1px solid @border; border-radius: 4px; padding: 8px; }
QLabel[chip] { color: @mutedText; border: 1px solid @border; border-radius: 7px; padding: 1px 8px; }
QLabel[chip="warn"] { color: @warn; }

QToolButton { background: transparent; color: @text; border: 1px solid transparent; border-radius: 6px;
              padding: 5px 9px; }
QToolButton:hover { background: @window; }
QToolButton:pressed, QToolButton:checked { background: @grid; }
QToolButton:focus { border-color: @throughput; }
QToolButton:disabled { color: @faint; }
QToolButton[slim] { color: @mutedText; padding: 0px 2px; }
QToolButton[slim="outlined"] { color: @text; border-color: @border; padding: 0px 8px; }
QToolButton[slim]:focus { border-color: @throughput; }
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
QPushButton[link] { background: transparent; color: @throughput; border: 1px solid transparent; padding: 1px 4px;
                    text-align: left; }
QPushButton[link]:hover { color: @text; }
QPushButton[link]:focus { border-color: @throughput; }
QPushButton[link]:disabled { color: @mutedText; }

QProgressBar { background: @grid; border: none; border-radius: 3px; }
QProgressBar::chunk { background: @throughput; border-radius: 3px; }

QTabBar { background: transparent; }
QTabBar::tab { background: transparent; color: @mutedText; border: none; border-bottom: 2px solid transparent;
               padding: 4px 2px; margin-right: 14px; }
QTabBar::tab:selected { color: @text; border-bottom-color: @throughput; }
QTabBar::tab:hover { color: @text; }
QTabBar::tab:focus { color: @throughput; }

QHeaderView { background: transparent; border: none; }
QHeaderView::section { background: @card; color: @mutedText; border: none; border-bottom: 1px solid @border;
                       padding: 3px 4px; }
QTableView, QTreeView { background: @card; alternate-background-color: @alternateRow; border: none;
             selection-background-color: @selection; selection-color: @text; outline: none; color: @text; }
QPlainTextEdit { background: @card; color: @text; border: none; }
QPlainTextEdit[framed="true"] { border: 1px solid @border; border-radius: 6px; }
QPlainTextEdit[framed="true"]:focus { border-color: @throughput; }
QLineEdit { background: @card; color: @text; border: 1px solid @border; border-radius: 6px; padding: 5px 8px;
            selection-background-color: @selection; selection-color: @text; }
QLineEdit:disabled { color: @faint; }
QLineEdit:focus { border-color: @throughput; }
QLineEdit[bad="true"] { border-color: @bad; }
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
QToolTip { background: @toolTip; color: @text; border: 1px solid @border; padding: 3px; }
)";

} // namespace

Theme Theme::light()
{
    return {.isDark = false,
            .window = QColor(0xF4F5F7),
            .card = QColor(0xFFFFFF),
            .border = QColor(0xDFE3E8),
            .grid = QColor(0xE9ECF0),
            .text = QColor(0x1B2430),
            .mutedText = QColor(0x5B6675),
            .throughput = QColor(0x1F6FEB),
            .memory = QColor(0x7A4FD0),
            .loss = QColor(0xB0307A),
            .good = QColor(0x0B7A53),
            .warn = QColor(0x9A6200),
            .bad = QColor(0xC4302B),
            .primaryText = QColor(0xFFFFFF),
            .alternateRow = QColor(0xF8F9FB),
            .scrollBar = QColor(0xC9D0D8),
            .gaugeTrack = QColor(0xDCDFE2),
            .toolTip = QColor(0xFFFFFF),
            .addedLine = QColor(0xE6F5EE),
            .removedLine = QColor(0xFDECEB),
            .bandAlpha = 38,
            .zoneAlpha = 14};
}

Theme Theme::dark()
{
    return {.isDark = true,
            .window = QColor(0x13161B),
            .card = QColor(0x1B1F26),
            .border = QColor(0x2D343F),
            .grid = QColor(0x272D36),
            .text = QColor(0xE7EBF0),
            .mutedText = QColor(0x9AA5B4),
            .throughput = QColor(0x5EA2FF),
            .memory = QColor(0xB59AF2),
            .loss = QColor(0xF08BC4),
            .good = QColor(0x3DD6A0),
            .warn = QColor(0xF2B84B),
            .bad = QColor(0xFF7B72),
            .primaryText = QColor(0x0B0E12),
            .alternateRow = QColor(0x1E232B),
            .scrollBar = QColor(0x3A4350),
            .gaugeTrack = QColor(0x2D343F),
            .toolTip = QColor(0x2A303A),
            .addedLine = QColor(0x17322B),
            .removedLine = QColor(0x3A2326),
            .bandAlpha = 54,
            .zoneAlpha = 18};
}

QPalette Theme::palette() const
{
    QPalette palette;
    const auto set = [&palette](QPalette::ColorRole role, const QColor& color, const QColor& disabled) {
        palette.setColor(QPalette::Active, role, color);
        palette.setColor(QPalette::Inactive, role, color);
        palette.setColor(QPalette::Disabled, role, disabled);
    };
    set(QPalette::Window, window, window);
    set(QPalette::Base, card, card);
    set(QPalette::AlternateBase, alternateRow, alternateRow);
    set(QPalette::Button, card, card);
    set(QPalette::ToolTipBase, toolTip, toolTip);
    set(QPalette::WindowText, text, mutedText);
    set(QPalette::Text, text, mutedText);
    set(QPalette::ButtonText, text, mutedText);
    set(QPalette::ToolTipText, text, mutedText);
    set(QPalette::PlaceholderText, mutedText, mutedText);
    set(QPalette::BrightText, bad, bad);
    set(QPalette::Highlight, throughput, border);
    set(QPalette::HighlightedText, primaryText, mutedText);
    set(QPalette::Link, throughput, mutedText);
    set(QPalette::Light, isDark ? border.lighter(120) : card, border);
    set(QPalette::Midlight, grid, grid);
    set(QPalette::Mid, border, border);
    set(QPalette::Dark, isDark ? window.darker(140) : border.darker(120), border);
    set(QPalette::Shadow, isDark ? QColor(Qt::black) : border.darker(160), border);
    return palette;
}

QColor colorOf(Tone tone, const Theme& theme)
{
    switch (tone) {
    case Tone::Good:
        return theme.good;
    case Tone::Warn:
        return theme.warn;
    case Tone::Bad:
        return theme.bad;
    case Tone::Muted:
        return theme.mutedText;
    case Tone::Plain:
        break;
    }
    return theme.text;
}

QColor mixed(const QColor& a, const QColor& b, double share)
{
    const auto mix = [share](int x, int y) { return static_cast<int>(x * (1.0 - share) + y * share); };
    return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

QColor withAlpha(QColor color, int alpha)
{
    color.setAlpha(alpha);
    return color;
}

Theme themeFor(ThemeSetting setting, const QPalette& system)
{
    if (setting == ThemeSetting::System)
        return system.color(QPalette::Window).lightness() < 128 ? Theme::dark() : Theme::light();
    return setting == ThemeSetting::Dark ? Theme::dark() : Theme::light();
}

QString styleSheetFor(const Theme& theme)
{
    // Longer names before those that they begin with.
    const std::array<std::pair<const char*, QColor>, 16> colors{{
        {"@primaryText", theme.primaryText},
        {"@primaryHover", mixed(theme.throughput, theme.text, 0.15)},
        {"@alternateRow", theme.alternateRow},
        {"@mutedText", theme.mutedText},
        {"@throughput", theme.throughput},
        {"@scrollBar", theme.scrollBar},
        {"@selection", mixed(theme.card, theme.throughput, 0.18)},
        {"@toolTip", theme.toolTip},
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
    for (const auto& [name, color] : colors)
        text.replace(QLatin1String(name), color.name());
    return text;
}

void applyTheme(QWidget& window, const Theme& theme)
{
    // The other way round, Qt 6.4 would bring back the palette that it saw with the old style sheet.
    window.setStyleSheet(styleSheetFor(theme));
    window.setPalette(theme.palette());
}

void applyPalette(QWidget& dialog, const Theme& theme)
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

QFont scaled(const QFont& font, double factor, QFont::Weight weight)
{
    QFont result = font;
    result.setPointSizeF(font.pointSizeF() * factor);
    result.setWeight(weight);
    return result;
}

QFont fixedFont(const QFont& font, double factor)
{
    QFont result = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    result.setPointSizeF(font.pointSizeF() * factor);
    return result;
}

} // namespace batchpeak::ui
