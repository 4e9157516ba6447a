// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme.h"

namespace batchpeak::ui {

Theme Theme::day()
{
    return {.dark = false,
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
            .hoverBox = QColor(0xFFFFFF),
            .addedLine = QColor(0xE6F5EE),
            .removedLine = QColor(0xFDECEB),
            .bandAlpha = 38,
            .zoneAlpha = 14};
}

Theme Theme::night()
{
    return {.dark = true,
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
            .hoverBox = QColor(0x2A303A),
            .addedLine = QColor(0x17322B),
            .removedLine = QColor(0x3A2326),
            .bandAlpha = 54,
            .zoneAlpha = 18};
}

QPalette Theme::palette() const
{
    QPalette palette;
    const auto set = [&palette](QPalette::ColorRole role, const QColor& colour, const QColor& disabled) {
        palette.setColor(QPalette::Active, role, colour);
        palette.setColor(QPalette::Inactive, role, colour);
        palette.setColor(QPalette::Disabled, role, disabled);
    };
    set(QPalette::Window, window, window);
    set(QPalette::Base, card, card);
    set(QPalette::AlternateBase, alternateRow, alternateRow);
    set(QPalette::Button, card, card);
    set(QPalette::ToolTipBase, hoverBox, hoverBox);
    set(QPalette::WindowText, text, mutedText);
    set(QPalette::Text, text, mutedText);
    set(QPalette::ButtonText, text, mutedText);
    set(QPalette::ToolTipText, text, mutedText);
    set(QPalette::PlaceholderText, mutedText, mutedText);
    set(QPalette::BrightText, bad, bad);
    set(QPalette::Highlight, throughput, border);
    set(QPalette::HighlightedText, primaryText, mutedText);
    set(QPalette::Link, throughput, mutedText);
    set(QPalette::Light, dark ? border.lighter(120) : card, border);
    set(QPalette::Midlight, grid, grid);
    set(QPalette::Mid, border, border);
    set(QPalette::Dark, dark ? window.darker(140) : border.darker(120), border);
    set(QPalette::Shadow, dark ? QColor(Qt::black) : border.darker(160), border);
    return palette;
}

QColor colourOf(Tone tone, const Theme& theme)
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

Theme themeFor(ThemeSetting setting, const QPalette& system)
{
    if (setting == ThemeSetting::System)
        return system.color(QPalette::Window).lightness() < 128 ? Theme::night() : Theme::day();
    return setting == ThemeSetting::Dark ? Theme::night() : Theme::day();
}

} // namespace batchpeak::ui
