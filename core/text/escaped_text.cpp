// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "escaped_text.h"

#include <algorithm>
#include <array>
#include <span>

namespace batchpeak::engine {

namespace {

struct Range
{
    char32_t first;
    char32_t last;
};

// Ascending (unicode.org/Public/UCD/latest/ucd: PropList.txt, DerivedCoreProperties.txt with
// Default_Ignorable_Code_Point, extracted/DerivedGeneralCategory.txt).
constexpr std::array unseen{Range{0x00, 0x1f}, Range{0x7f, 0x9f},
                            // Soft hyphen.
                            Range{0xad, 0xad},
                            // Combining grapheme joiner.
                            Range{0x34f, 0x34f},
                            // Arabic letter mark.
                            Range{0x61c, 0x61c},
                            // Fillers of Hangul.
                            Range{0x115f, 0x1160},
                            // Inherent vowels of Khmer.
                            Range{0x17b4, 0x17b5},
                            // Mongolian vowel separator.
                            Range{0x180e, 0x180e},
                            // Zero width space.
                            Range{0x200b, 0x200b},
                            // Left-to-right and right-to-left marks.
                            Range{0x200e, 0x200f},
                            // Separators of lines and paragraphs, embeddings and overrides.
                            Range{0x2028, 0x202e},
                            // Word joiner, invisible operators, isolates, and what is deprecated.
                            Range{0x2060, 0x206f},
                            // Braille without a dot.
                            Range{0x2800, 0x2800},
                            // Another filler of Hangul.
                            Range{0x3164, 0x3164},
                            // Byte order mark.
                            Range{0xfeff, 0xfeff},
                            // The filler in half its width.
                            Range{0xffa0, 0xffa0},
                            // Reserved, and interlinear annotations.
                            Range{0xfff0, 0xfffb},
                            // Controls of shorthand and of music.
                            Range{0x1bca0, 0x1bca3}, Range{0x1d173, 0x1d17a},
                            // Tags, and what is reserved beside them.
                            Range{0xe0000, 0xe00ff}, Range{0xe01f0, 0xe0fff}};

// Visible only in their effect on the character before them.
constexpr std::array modifying{// Variation selectors of Mongolian.
                               Range{0x180b, 0x180d}, Range{0x180f, 0x180f},
                               // Joiners.
                               Range{0x200c, 0x200d},
                               // Variation selectors, as of emoji and ideographs.
                               Range{0xfe00, 0xfe0f}, Range{0xe0100, 0xe01ef}};

bool isIn(std::span<const Range> ranges, char32_t code)
{
    const auto range = std::ranges::lower_bound(ranges, code, {}, &Range::last);
    return range != ranges.end() && code >= range->first;
}

QString spelled(char32_t code)
{
    const auto hex = [code](int digits) {
        return QStringLiteral("%1").arg(static_cast<uint>(code), digits, 16, QLatin1Char('0'));
    };
    if (code <= 0xff)
        return QLatin1String("\\x") + hex(2);
    return code <= 0xffff ? QLatin1String("\\u") + hex(4) : QLatin1String("\\U") + hex(8);
}

bool staysAt(const QString& text, qsizetype place)
{
    const QChar character = text.at(place);
    if (character == QLatin1Char('\r'))
        return place + 1 < text.size() && text.at(place + 1) == QLatin1Char('\n');
    return character == QLatin1Char('\t') || character == QLatin1Char('\n');
}

char32_t codeAt(const QString& text, qsizetype place)
{
    const QChar character = text.at(place);
    const bool isPair =
        character.isHighSurrogate() && place + 1 < text.size() && text.at(place + 1).isLowSurrogate();
    return isPair ? QChar::surrogateToUcs4(character, text.at(place + 1)) : character.unicode();
}

bool isJoiner(char32_t code)
{
    return code == 0x200c || code == 0x200d;
}

/// Whether a joiner or a selector can change how the character before it is drawn. At most one of each is
/// allowed, so that nothing can be hidden in a row of them.
bool changes(char32_t modifier, char32_t before)
{
    // Latin, Greek, Cyrillic, Armenian, Hebrew, and spaces, which are written without joiners and selectors.
    constexpr std::array plain{Range{0, 0x5ff}, Range{0x1e00, 0x203b}};
    if (isIn(modifying, before))
        return isJoiner(modifier) && !isJoiner(before);
    return !isIn(plain, before) && !isIn(unseen, before);
}

} // namespace

QString withUnseenSpelled(const QString& text, const std::function<QString(char32_t)>& spell)
{
    QString visible;
    // 0 if no character before is drawn.
    char32_t before = 0;
    for (qsizetype place = 0; place < text.size(); ++place) {
        const char32_t code = codeAt(text, place);
        const qsizetype units = QChar::requiresSurrogates(code) ? 2 : 1;
        const bool isUnseen = isIn(unseen, code) || (isIn(modifying, code) && !changes(code, before));
        const bool isSpelled = isUnseen && !staysAt(text, place);
        if (isSpelled)
            visible += spell(code);
        else
            visible += QStringView(text).mid(place, units);
        place += units - 1;
        before = isSpelled ? 0 : code;
    }
    return visible;
}

QString escapeControls(const QString& text)
{
    // Most text, by far, is plain.
    const auto isPlain = [](QChar character) {
        return character.unicode() >= 0x20 && character.unicode() < 0x7f;
    };
    return std::ranges::all_of(text, isPlain) ? text : withUnseenSpelled(text, spelled);
}

QString withIndentedBreaks(QString text)
{
    return text.replace(QLatin1Char('\n'), QLatin1String("\n  "));
}

} // namespace batchpeak::engine
