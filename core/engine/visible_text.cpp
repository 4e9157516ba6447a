// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "visible_text.h"

#include <algorithm>
#include <array>

namespace batchpeak::engine {

namespace {

struct Range
{
    char32_t first;
    char32_t last;
};

// In their order (unicode.org/Public/UCD/latest/ucd: PropList.txt, extracted/DerivedGeneralCategory.txt).
constexpr std::array unseen{Range{0x00, 0x1f}, Range{0x7f, 0x9f},
                            // Soft hyphen.
                            Range{0xad, 0xad},
                            // Arabic letter mark.
                            Range{0x61c, 0x61c},
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
                            // Byte order mark.
                            Range{0xfeff, 0xfeff},
                            // Interlinear annotations.
                            Range{0xfff9, 0xfffb},
                            // Tags.
                            Range{0xe0000, 0xe007f}};

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

} // namespace

bool isUnseen(char32_t code)
{
    const auto* const range = std::ranges::lower_bound(unseen, code, {}, &Range::last);
    return range != unseen.end() && code >= range->first;
}

QString withUnseenSpelled(const QString& text, const std::function<QString(char32_t)>& spell)
{
    QString visible;
    for (qsizetype place = 0; place < text.size(); ++place) {
        const char32_t code = codeAt(text, place);
        const qsizetype units = QChar::requiresSurrogates(code) ? 2 : 1;
        if (isUnseen(code) && !staysAt(text, place))
            visible += spell(code);
        else
            visible += QStringView(text).mid(place, units);
        place += units - 1;
    }
    return visible;
}

QString visibleText(const QString& text)
{
    // Most of it, by far.
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
