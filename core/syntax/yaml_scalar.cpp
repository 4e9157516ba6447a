// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "yaml_scalar.h"

#include "words.h"
#include "yaml_tag.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

namespace batchpeak::config {

namespace {

/// Whether a node may be of a kind: by its tag, or, without a tag, if it is plain.
bool mayBe(TagKind kind, const YamlNode& node)
{
    const TagKind tag = tagKind(node);
    return node.kind == NodeKind::Scalar && (tag == kind || (tag == TagKind::None && node.plain));
}

bool isOneOf(std::string_view word, const auto& words)
{
    return std::ranges::find(words, word) != std::ranges::end(words);
}

std::string withoutUnderscores(std::string_view text)
{
    std::string kept(text);
    std::erase(kept, '_');
    return kept;
}

struct Integer
{
    std::int64_t value = 0;
    std::errc error = std::errc::invalid_argument;
};

Integer parsedInteger(const YamlNode& node)
{
    if (!mayBe(TagKind::Integer, node) || node.value.empty() || node.value.front() == '_')
        return {};
    std::string digits = withoutUnderscores(node.value);
    const bool negative = digits.front() == '-';
    if (negative || digits.front() == '+')
        digits.erase(0, 1);
    int base = 10;
    if (digits.starts_with("0x") || digits.starts_with("0b")) {
        base = digits[1] == 'x' ? 16 : 2;
        digits.erase(0, 2);
    } else if (digits.size() > 1 && digits.front() == '0') {
        base = 8;
    }
    if (digits.empty() || digits.front() == '-')
        return {};
    if (negative)
        digits.insert(0, 1, '-');

    Integer integer;
    const char* end = digits.data() + digits.size();
    const auto [parsed, error] = std::from_chars(digits.data(), end, integer.value, base);
    integer.error = parsed == end ? error : std::errc::invalid_argument;
    return integer;
}

} // namespace

bool isNull(const YamlNode& node)
{
    constexpr std::array<std::string_view, 5> words{"", "~", "null", "Null", "NULL"};
    const bool isSaid = tagKind(node) == TagKind::Null;
    return mayBe(TagKind::Null, node) && (isSaid || isOneOf(node.value, words));
}

std::optional<bool> asBoolean(const YamlNode& node)
{
    constexpr std::array<std::string_view, 9> trueWords{"true", "True", "TRUE", "yes", "Yes",
                                                        "YES",  "on",   "On",   "ON"};
    constexpr std::array<std::string_view, 9> falseWords{"false", "False", "FALSE", "no", "No",
                                                         "NO",    "off",   "Off",   "OFF"};
    if (!mayBe(TagKind::Boolean, node))
        return std::nullopt;
    // After its tag a word may have any case: bool_values of PyYAML's SafeConstructor.
    const std::string word = tagKind(node) == TagKind::Boolean ? lowerCase(node.value) : node.value;
    if (isOneOf(word, trueWords))
        return true;
    if (isOneOf(word, falseWords))
        return false;
    return std::nullopt;
}

std::optional<std::int64_t> asInteger(const YamlNode& node)
{
    const Integer integer = parsedInteger(node);
    return integer.error == std::errc() ? std::optional(integer.value) : std::nullopt;
}

bool isTooLarge(const YamlNode& node)
{
    return parsedInteger(node).error == std::errc::result_out_of_range;
}

std::optional<double> asNumber(const YamlNode& node)
{
    if (tagKind(node) == TagKind::Integer) {
        const auto integer = asInteger(node);
        return integer ? std::optional(static_cast<double>(*integer)) : std::nullopt;
    }
    if (!mayBe(TagKind::Float, node) || node.value.starts_with('_'))
        return std::nullopt;
    const auto number = numberIn(withoutUnderscores(node.value));
    return number && std::isfinite(*number) ? number : std::nullopt;
}

} // namespace batchpeak::config
