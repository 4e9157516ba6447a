// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "words.h"

#include "text_check.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>
#include <system_error>

namespace batchpeak::config {

std::string filledIn(std::string_view text, std::span<const std::string> values)
{
    constexpr std::string_view mark = "{}";
    std::string result;
    for (const std::string& value : values) {
        const std::size_t place = text.find(mark);
        if (place == std::string_view::npos)
            break;
        result.append(text.substr(0, place)).append(value);
        text.remove_prefix(place + mark.size());
    }
    return result.append(text);
}

bool isAmong(std::string_view word, std::string_view words)
{
    const auto split = splitWords(words);
    return std::ranges::find(split, word) != split.end();
}

std::vector<std::string_view> splitWords(std::string_view words)
{
    std::vector<std::string_view> split;
    for (std::size_t begin = 0; begin < words.size();) {
        const std::size_t end = std::min(words.find(' ', begin), words.size());
        if (end > begin)
            split.push_back(words.substr(begin, end - begin));
        begin = end + 1;
    }
    return split;
}

std::string listed(std::span<const std::string_view> words)
{
    std::string text;
    for (std::string_view word : words)
        text += (text.empty() ? "" : ", ") + std::string(word);
    return text;
}

std::string shortened(const std::string& text)
{
    constexpr std::size_t longest = 60;
    if (text.size() <= longest)
        return text;
    std::size_t cut = longest;
    while (cut > 0 && isContinuationByte(text[cut]))
        --cut;
    return text.substr(0, cut) + "...";
}

std::optional<double> numberIn(std::string_view text)
{
    const bool hasPlus = text.starts_with('+');
    text.remove_prefix(hasPlus ? 1 : 0);
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool isWhole = end == text.data() + text.size() && !(hasPlus && text.starts_with('-'));
    if (!isWhole || error == std::errc::invalid_argument)
        return std::nullopt;
    if (error == std::errc())
        return std::isfinite(number) ? std::optional(number) : std::nullopt;
    // from_chars does not distinguish numbers that are too large from those that are too small, but a stream
    // does.
    std::istringstream stream{std::string(text)};
    stream.imbue(std::locale::classic());
    stream >> number;
    return std::abs(number) > 1.0 ? std::copysign(std::numeric_limits<double>::infinity(), number) : 0.0;
}

std::string lowerCase(std::string text)
{
    std::ranges::transform(text, text.begin(), [](char character) {
        return character >= 'A' && character <= 'Z' ? static_cast<char>(character + ('a' - 'A')) : character;
    });
    return text;
}

} // namespace batchpeak::config
