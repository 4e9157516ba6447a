// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// Why a pattern is of no use, as the end of a sentence on its value: "has a group that is not closed".
struct NamePatternError : std::runtime_error
{
    NamePatternError(const std::string& problem, bool illegal)
        : std::runtime_error(problem), isIllegal(illegal)
    {}
    /// Python refuses it too; otherwise it is one that is not read here.
    bool isIllegal = false;
};

/// What is left of the work that patterns of one config may take together. It is far more than names of any
/// network take, and little enough to be spent at once.
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
/// modules and parameters.
///
/// All ways through a pattern are followed at once (Thompson, "Regular expression search algorithm", 1968),
/// so that no pattern takes longer than its length times that of the name. Groups are not remembered, so
/// references back to them are not read, nor is what looks behind.
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
    friend class NamePatternCompiler;
    using Bytes = std::bitset<256>;

    enum class Step {
        /// One byte of a set, and on to the next step.
        Take,
        /// On in two places.
        Fork,
        AtBegin,
        AtEnd,
        AtWordEdge,
        InWord,
        /// On if what stands elsewhere matches from here, or does not.
        Ahead,
        NotAhead,
        Done
    };
    struct Instruction
    {
        Step step = Step::Done;
        Bytes bytes;
        std::size_t next = 0;
        std::size_t other = 0;
    };
    class Run;

    std::vector<Instruction> m_program;
};

/// \throws NamePatternError where one is of no use, or they are too many
std::vector<NamePattern> patternsOf(const std::vector<std::string>& texts);

} // namespace batchpeak::config
