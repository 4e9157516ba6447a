// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "name_pattern.h"

#include <algorithm>
#include <array>
#include <optional>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace batchpeak::config {

namespace {

// Patterns of real configs have about a hundred characters.
constexpr std::size_t longestPattern = 2000;
constexpr std::uint32_t deepestGroup = 50;
// Configs that choose among all matrices of a network have a few hundred patterns.
constexpr std::size_t maxPatterns = 2000;

[[noreturn]] void illegal(const std::string& problem)
{
    throw NamePatternError(problem, true);
}

[[noreturn]] void notRead(const std::string& what)
{
    throw NamePatternError("has " + what + ", which is not read here", false);
}

bool isAmong(char byte, std::string_view bytes)
{
    return bytes.find(byte) != std::string_view::npos;
}

/// Rewrites a pattern of Python for PCRE2 where the same characters have another meaning, and refuses syntax
/// that only one of them supports. PCRE2 checks brackets and groups.
class PythonPattern
{
public:
    explicit PythonPattern(std::string_view pattern) : m_rest(pattern) {}

    std::string forPcre2()
    {
        copyIf("(?i)");
        while (!m_rest.empty())
            readItem();
        return std::move(m_text);
    }

private:
    /// What precedes a repetition: nothing, an item, or another repetition.
    enum class Last { Nothing, Item, Repetition };

    bool copyIf(std::string_view text)
    {
        if (!m_rest.starts_with(text))
            return false;
        copy(text.size());
        return true;
    }
    void copy(std::size_t count)
    {
        m_text += m_rest.substr(0, count);
        m_rest.remove_prefix(std::min(count, m_rest.size()));
    }

    void readItem()
    {
        if (readRepetition())
            return;
        const char byte = m_rest.front();
        m_last = isAmong(byte, "(|^$") ? Last::Nothing : Last::Item;
        if (byte == '\\')
            readEscape();
        else if (byte == '[')
            readSet();
        else if (byte == '(')
            readGroup();
        else {
            // Braces that repeat nothing: from version 10.43 on, PCRE2 reads {1, 2} as a repetition.
            if (byte == '{')
                m_text += '\\';
            copy(1);
        }
    }

    bool readRepetition()
    {
        const std::size_t length = isAmong(m_rest.front(), "*+?") ? 1 : countsLength();
        if (length == 0)
            return false;
        if (m_last != Last::Item)
            illegal(m_last == Last::Nothing ? "has a repetition of nothing"
                                            : "has a repetition of a repetition");
        // Before version 10.43, PCRE2 reads {,3} as characters.
        if (m_rest.starts_with("{,")) {
            m_text += "{0";
            m_rest.remove_prefix(1);
            copy(length - 1);
        } else {
            copy(length);
        }
        // The matcher that follows all alternatives takes the longest match there, and Python the first.
        if (m_rest.starts_with('+'))
            notRead("a possessive repetition");
        copyIf("?");
        m_last = Last::Repetition;
        return true;
    }

    /// Returns the length of {2}, {2,}, {,3} or {2,3}, and of {,}, which Python accepts too; 0 for literal
    /// braces.
    std::size_t countsLength() const
    {
        const std::size_t end = m_rest.find('}');
        if (!m_rest.starts_with('{') || end == std::string_view::npos || end == 1)
            return 0;
        const std::string_view inner = m_rest.substr(1, end - 1);
        const bool isCount = inner.find_first_not_of("0123456789,") == std::string_view::npos &&
                             std::ranges::count(inner, ',') <= 1;
        return isCount ? end + 1 : 0;
    }

    void readEscape()
    {
        const char byte = m_rest.size() > 1 ? m_rest[1] : '\0';
        if (byte == 'Z') {
            // In Python it matches only at the very end; in PCRE2 also before a line break at the end.
            m_text += "\\z";
            m_rest.remove_prefix(2);
            m_last = Last::Nothing;
            return;
        }
        checkEscape(byte, "dDwWsSntbBA");
        m_last = isAmong(byte, "bBA") ? Last::Nothing : Last::Item;
        copy(2);
    }

    static void checkEscape(char byte, std::string_view known)
    {
        if (byte >= '0' && byte <= '9')
            notRead("a reference to a group");
        const bool isLetter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
        if (isLetter && !isAmong(byte, known))
            notRead(std::string("the escape \\") + byte);
    }

    void readSet()
    {
        copy(1);
        copyIf("^");
        copyIf("]");
        while (!m_rest.empty() && !copyIf("]")) {
            // Python takes such a bracket literally; PCRE2 has classes such as [:alpha:].
            if (m_rest.starts_with('['))
                m_text += '\\';
            const bool isEscape = m_rest.front() == '\\' && m_rest.size() > 1;
            if (isEscape)
                checkEscape(m_rest[1], "dDwWsSnt");
            copy(isEscape ? 2 : 1);
        }
    }

    void readGroup()
    {
        constexpr std::array<std::string_view, 6> known{"(?:", "(?=", "(?!", "(?P<", "(?<=", "(?<!"};
        if (std::ranges::none_of(known, [this](std::string_view begin) { return copyIf(begin); })) {
            if (m_rest.starts_with("(?"))
                notRead("a group that begins with " + std::string(m_rest.substr(0, 4)));
            if (m_rest.starts_with("(*"))
                illegal("has a repetition of nothing");
            copy(1);
        } else if (m_text.ends_with("(?P<")) {
            copy(std::min(m_rest.find('>'), m_rest.size() - 1) + 1);
        }
    }

    std::string_view m_rest;
    std::string m_text;
    Last m_last = Last::Nothing;
};

std::string messageOf(int error)
{
    std::array<unsigned char, 256> text{};
    const int length = pcre2_get_error_message(error, text.data(), text.size());
    return {text.begin(), text.begin() + std::max(length, 0)};
}

[[noreturn]] void refuse(int error)
{
    switch (error) {
    case PCRE2_ERROR_PATTERN_TOO_LARGE:
    case PCRE2_ERROR_QUANTIFIER_TOO_BIG:
        notRead("more repetitions than names have characters");
    case PCRE2_ERROR_PARENTHESES_NEST_TOO_DEEP:
        notRead("groups that are nested more than " + std::to_string(deepestGroup) + " deep");
    // Limits of PCRE2 that Python does not have.
    case PCRE2_ERROR_HEAP_FAILED:
    case PCRE2_ERROR_LOOKBEHIND_TOO_COMPLICATED:
    case PCRE2_ERROR_PATTERN_TOO_COMPLICATED:
    case PCRE2_ERROR_SUBPATTERN_NAME_TOO_LONG:
        notRead("an expression that is too complicated");
    default:
        illegal("is no regular expression: " + messageOf(error));
    }
}

/// Is called by PCRE2 for each item of a pattern that it tries.
int spendOne(pcre2_callout_block* /*block*/, void* steps)
{
    return --*static_cast<std::int64_t*>(steps) < 0 ? PCRE2_ERROR_CALLOUT : 0;
}

template<typename Type, auto release>
struct Released
{
    void operator()(Type* object) const { release(object); }
};
template<typename Type, auto release>
using Owned = std::unique_ptr<Type, Released<Type, release>>;

} // namespace

void NamePattern::Free::operator()(pcre2_real_code_8* code) const
{
    pcre2_code_free(code);
}

NamePattern::NamePattern(std::string_view pattern)
{
    if (pattern.size() > longestPattern)
        notRead("more than " + std::to_string(longestPattern) + " characters");
    const std::string text = PythonPattern(pattern).forPcre2();
    const Owned<pcre2_compile_context, pcre2_compile_context_free> context(
        pcre2_compile_context_create(nullptr));
    pcre2_set_parens_nest_limit(context.get(), deepestGroup);
    int error = 0;
    PCRE2_SIZE offset = 0;
    m_code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                               PCRE2_UTF | PCRE2_UCP | PCRE2_AUTO_CALLOUT | PCRE2_NO_START_OPTIMIZE, &error,
                               &offset, context.get()));
    if (!m_code)
        refuse(error);
}

std::optional<std::size_t> NamePattern::longestMatch(std::string_view name, MatchEffort& effort) const
{
    // PCRE2 takes six ints for each state that it is in at once, and two states for each alternative.
    std::array<int, 16384> workspace; // NOLINT(cppcoreguidelines-pro-type-member-init): PCRE2 writes it
    const Owned<pcre2_match_data, pcre2_match_data_free> data(pcre2_match_data_create(1, nullptr));
    const Owned<pcre2_match_context, pcre2_match_context_free> context(pcre2_match_context_create(nullptr));
    pcre2_set_callout(context.get(), spendOne, &effort.steps);
    // PCRE2_ENDANCHORED would apply to lookahead assertions, too.
    const int result =
        pcre2_dfa_match(m_code.get(), reinterpret_cast<PCRE2_SPTR>(name.data()), name.size(), 0,
                        PCRE2_ANCHORED, data.get(), context.get(), workspace.data(), workspace.size());
    effort.spend(1);
    if (result == PCRE2_ERROR_NOMATCH)
        return std::nullopt;
    if (result < 0)
        throw NamePatternError("takes too long to be matched with all names of the network", false);
    // The first match is the longest.
    return pcre2_get_ovector_pointer(data.get())[1];
}

bool NamePattern::matchesAll(std::string_view name, MatchEffort& effort) const
{
    return longestMatch(name, effort) == name.size();
}

bool NamePattern::matchesStart(std::string_view name, MatchEffort& effort) const
{
    return longestMatch(name, effort).has_value();
}

std::vector<NamePattern> patternsOf(const std::vector<std::string>& texts)
{
    if (texts.size() > maxPatterns)
        notRead("more than " + std::to_string(maxPatterns) + " patterns");
    std::vector<NamePattern> patterns;
    patterns.reserve(texts.size());
    for (const std::string& text : texts)
        patterns.emplace_back(text);
    return patterns;
}

} // namespace batchpeak::config
