// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

struct pcre2_real_code_8;

namespace batchpeak::config {

/// Thrown if a pattern cannot be used. The message is the end of a sentence about its value: "has a
/// repetition of nothing".
struct NamePatternError : std::runtime_error
{
    NamePatternError(const std::string& problem, bool illegal)
        : std::runtime_error(problem), isIllegal(illegal)
    {}
    /// Whether Python refuses the pattern too. If not, the pattern is valid but not supported here.
    bool isIllegal = false;
};

/// The remaining work that the patterns of one config may take together, counted in items of a pattern that
/// are tried at a character. Real networks need far fewer, and a hostile config ends within a second.
struct MatchEffort
{
    std::int64_t steps = 2'000'000;

    /// \throws NamePatternError if less is left
    void spend(std::int64_t count)
    {
        steps -= count;
        if (steps < 0)
            throw NamePatternError("takes too long to be matched with all names of the network", false);
    }
};

/// A regular expression of Python's re module (docs.python.org/3/library/re.html), with which configs name
/// modules and parameters. PCRE2 compiles and matches it; this class handles the differences between the two
/// languages.
///
/// PCRE2's second matcher (pcre2_dfa_match) follows all alternatives at once, so no pattern takes exponential
/// time. It does not remember groups, so back references are not supported.
class NamePattern
{
public:
    /// \throws NamePatternError
    explicit NamePattern(std::string_view pattern);

    /// Matches as re.fullmatch does.
    /// \throws NamePatternError if no effort is left
    bool matchesAll(std::string_view name, MatchEffort& effort) const;
    /// Matches as re.match does: a prefix of the name.
    /// \throws NamePatternError if no effort is left
    bool matchesStart(std::string_view name, MatchEffort& effort) const;

private:
    /// Returns the length of the longest matching prefix of the name; nothing if there is none.
    std::optional<std::size_t> longestMatch(std::string_view name, MatchEffort& effort) const;

    struct Free
    {
        void operator()(pcre2_real_code_8* code) const;
    };
    std::unique_ptr<pcre2_real_code_8, Free> m_code;
};

/// \throws NamePatternError if a pattern cannot be used, or there are too many
std::vector<NamePattern> patternsOf(const std::vector<std::string>& texts);

} // namespace batchpeak::config
