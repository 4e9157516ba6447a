// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "text_check.h"

#include "words.h"

#include <algorithm>
#include <iterator>

namespace batchpeak::config {

namespace {

constexpr std::string_view breaks = "\r\n";

/// Returns the number of bytes of the UTF-8 sequence that begins here; 0 if it is invalid.
std::size_t sequenceSize(std::string_view text)
{
    const auto byteAt = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byteAt(0);
    if (first < 0x80)
        return 1;
    // The first byte determines the bounds of the second, which exclude overlong forms, surrogates, and
    // characters above U+10FFFF: RFC 3629, section 4.
    std::size_t size = 0;
    unsigned low = 0x80;
    unsigned high = 0xBF;
    if (first >= 0xC2 && first <= 0xDF) {
        size = 2;
    } else if (first >= 0xE0 && first <= 0xEF) {
        size = 3;
        low = first == 0xE0 ? 0xA0 : low;
        high = first == 0xED ? 0x9F : high;
    } else if (first >= 0xF0 && first <= 0xF4) {
        size = 4;
        low = first == 0xF0 ? 0x90 : low;
        high = first == 0xF4 ? 0x8F : high;
    }
    if (size == 0 || text.size() < size || byteAt(1) < low || byteAt(1) > high)
        return 0;
    for (std::size_t i = 2; i < size; ++i) {
        if ((byteAt(i) & 0xC0u) != 0x80u)
            return 0;
    }
    return size;
}

/// Whether a character is ASCII and not a control character.
bool isOrdinary(char character)
{
    return character >= 0x20 && character < 0x7F;
}

bool isForbiddenControl(char character)
{
    const auto value = static_cast<unsigned char>(character);
    return (value < 0x20 && character != '\t' && character != '\n' && character != '\r') || value == 0x7F;
}

} // namespace

std::optional<TextProblem> problemWithText(std::string_view text)
{
    if (text.size() >= maxConfigBytes) {
        return TextProblem{
            sentence("The text has {} bytes, but a config has less than {}; open the config itself.",
                     text.size(), maxConfigBytes)};
    }
    if (text.find_first_not_of(" \t\r\n", byteOrderMarkSize(text)) == std::string_view::npos)
        return TextProblem{"The text is empty; open a config that holds something."};

    for (std::size_t i = 0; i < text.size();) {
        if (isOrdinary(text[i])) {
            ++i;
            continue;
        }
        const std::size_t size = sequenceSize(text.substr(i));
        if (size == 0)
            return TextProblem{"The text is not UTF-8 from here on; save the config as UTF-8.", i};
        if (isForbiddenControl(text[i])) {
            return TextProblem{
                "A control character stands here, so this is no text file; open a config in YAML.", i};
        }
        i += size;
    }
    return std::nullopt;
}

std::size_t byteOrderMarkSize(std::string_view text)
{
    return text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
}

std::vector<std::size_t> lineBegins(std::string_view text)
{
    std::vector<std::size_t> begins{0};
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool isLoneReturn = text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n');
        if (text[i] == '\n' || isLoneReturn)
            begins.push_back(i + 1);
    }
    return begins;
}

bool isContinuationByte(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u;
}

TextPosition positionIn(std::string_view text, std::size_t byte)
{
    return positionIn(text, lineBegins(text), byte);
}

TextPosition positionIn(std::string_view text, std::span<const std::size_t> lines, std::size_t byte)
{
    const auto next = std::ranges::upper_bound(lines, byte);
    // A byte order mark at the beginning does not count as a character; one further on does.
    const std::size_t begin = std::max(*std::prev(next), byteOrderMarkSize(text));
    const std::string_view before = text.substr(std::min(begin, text.size()), std::max(byte, begin) - begin);
    const auto characters = std::ranges::count_if(before, [](char c) { return !isContinuationByte(c); });
    return {.line = static_cast<int>(next - lines.begin()), .column = 1 + static_cast<int>(characters)};
}

std::size_t lineBegin(std::string_view text, std::size_t byte)
{
    const std::size_t found = text.substr(0, byte).find_last_of(breaks);
    return found == std::string_view::npos ? byteOrderMarkSize(text) : found + 1;
}

std::size_t lineEnd(std::string_view text, std::size_t byte)
{
    return std::min(text.find_first_of(breaks, byte), text.size());
}

std::size_t nextLine(std::string_view text, std::size_t byte)
{
    const std::size_t end = lineEnd(text, byte);
    if (end == text.size())
        return end;
    return end + (text.substr(end).starts_with("\r\n") ? 2 : 1);
}

} // namespace batchpeak::config
