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

/// Why a pattern cannot be used, as the end of a sentence about its value: "has a repetition of nothing".
struct NamePatternError : std::runtime_error
{
    NamePatternError(const std::string& problem, bool illegal)
        : std::runtime_error(problem), isIllegal(illegal)
    {}
    /// Python refuses it too; otherwise it is one that is not read here.
    bool isIllegal = false;
};

/// What is left of the work that the patterns of one config may take together: items of a pattern that are
/// tried at a character. Real networks take far fewer, and a hostile config ends within a second.
struct MatchEffort
{
    std::int64_t steps = 2'000'000;

    /// \throws NamePatternError where less is left
    void spend(std::int64_t count)
    {
        steps -= count;
        if (steps < 0)
            throw NamePatternError("takes too long to be matched with all names of the network", false);
    }
};

/// A regular expression of Python's re module (docs.python.org/3/library/re.html), by which configs name
/// modules and parameters. PCRE2 compiles and matches it; this class decides where the two languages differ.
///
/// PCRE2's second matcher (pcre2_dfa_match) follows all alternatives at once, so no pattern takes exponential
/// time. It does not remember groups, so references back to them are not read.
class NamePattern
{
public:
    /// \throws NamePatternError
    explicit NamePattern(std::string_view pattern);

    /// As re.fullmatch. \throws NamePatternError where no effort is left
    bool matchesAll(std::string_view name, MatchEffort& effort) const;
    /// As re.match: some first characters of the name. \throws NamePatternError where no effort is left
    bool matchesStart(std::string_view name, MatchEffort& effort) const;

private:
    /// How many first characters of the name match, at most; nothing where none do.
    std::optional<std::size_t> longestMatch(std::string_view name, MatchEffort& effort) const;

    struct Free
    {
        void operator()(pcre2_real_code_8* code) const;
    };
    std::unique_ptr<pcre2_real_code_8, Free> m_code;
};

/// \throws NamePatternError where one cannot be used, or they are too many
std::vector<NamePattern> patternsOf(const std::vector<std::string>& texts);

} // namespace batchpeak::config
