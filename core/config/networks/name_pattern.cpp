// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "name_pattern.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace batchpeak::config {

namespace {

// Patterns of real configs have a hundred characters.
constexpr std::size_t longestPattern = 2000;
constexpr std::size_t longestProgram = 4000;
constexpr int deepestGroup = 50;
// Those that choose among all matrices of a network have some hundreds.
constexpr std::size_t mostPatterns = 2000;

using Bytes = std::bitset<256>;

std::size_t indexOf(char byte)
{
    return static_cast<unsigned char>(byte);
}

Bytes setOf(bool (*holds)(char))
{
    Bytes bytes;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = holds(static_cast<char>(i));
    return bytes;
}

bool isDigit(char byte)
{
    return byte >= '0' && byte <= '9';
}

bool isLetter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

bool isWordByte(char byte)
{
    return isDigit(byte) || isLetter(byte) || byte == '_';
}

bool isSpace(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/// \d, \w, \s, and what they leave.
std::optional<Bytes> classOf(char letter)
{
    switch (letter) {
    case 'd':
        return setOf(isDigit);
    case 'D':
        return ~setOf(isDigit);
    case 'w':
        return setOf(isWordByte);
    case 'W':
        return ~setOf(isWordByte);
    case 's':
        return setOf(isSpace);
    case 'S':
        return ~setOf(isSpace);
    default:
        return std::nullopt;
    }
}

[[noreturn]] void illegal(const std::string& problem)
{
    throw NamePatternError(problem, true);
}

[[noreturn]] void notRead(const std::string& what)
{
    throw NamePatternError("has " + what + ", which is not read here", false);
}

} // namespace

/// Reads a pattern and writes the program of its steps in one go: a part is written when it has been read,
/// and a repeated one is written again for each time.
class NamePatternCompiler
{
public:
    using Step = NamePattern::Step;
    using Instruction = NamePattern::Instruction;

    explicit NamePatternCompiler(std::string_view pattern) : m_pattern(pattern) {}

    std::vector<Instruction> compile()
    {
        if (m_pattern.size() > longestPattern)
            notRead("more than " + std::to_string(longestPattern) + " characters");
        if (m_pattern.starts_with("(?i)")) {
            m_ignoresCase = true;
            m_place = 4;
        }
        readAlternatives(0);
        if (m_place < m_pattern.size())
            illegal("has a ) without its (");
        emit({.step = Step::Done});
        return std::move(m_program);
    }

private:
    bool isThere() const { return m_place < m_pattern.size(); }
    bool takes(std::string_view text)
    {
        if (!m_pattern.substr(m_place).starts_with(text))
            return false;
        m_place += text.size();
        return true;
    }
    char takeByte()
    {
        if (!isThere())
            illegal("ends in the middle of an expression");
        return m_pattern[m_place++];
    }

    std::size_t emit(Instruction instruction)
    {
        if (m_program.size() >= longestProgram)
            notRead("more repetitions than names have characters");
        instruction.next = m_program.size() + 1;
        m_program.push_back(instruction);
        return m_program.size() - 1;
    }

    /// Moves what was written since \p begin one step on, and puts a fork before it.
    std::size_t forkBefore(std::size_t begin)
    {
        const std::size_t at = emit({});
        std::rotate(m_program.begin() + static_cast<std::ptrdiff_t>(begin),
                    m_program.begin() + static_cast<std::ptrdiff_t>(at), m_program.end());
        for (std::size_t i = begin + 1; i < m_program.size(); ++i) {
            ++m_program[i].next;
            if (m_program[i].step == Step::Fork || isLook(m_program[i].step))
                ++m_program[i].other;
        }
        m_program[begin] = {.step = Step::Fork, .next = begin + 1};
        return begin;
    }

    static bool isAnchor(Step step)
    {
        return step == Step::AtBegin || step == Step::AtEnd || step == Step::AtWordEdge ||
               step == Step::InWord;
    }

    static bool isLook(Step step) { return step == Step::Ahead || step == Step::NotAhead; }

    void readAlternatives(int depth)
    {
        if (depth > deepestGroup)
            notRead("groups that are nested more than " + std::to_string(deepestGroup) + " deep");
        const std::size_t begin = m_program.size();
        readSequence(depth);
        std::vector<std::size_t> ends;
        while (takes("|")) {
            // What is behind an alternative is not known yet: a fork that goes one way alone.
            ends.push_back(emit({.step = Step::Fork}));
            for (std::size_t& end : ends)
                ++end;
            const std::size_t fork = forkBefore(begin);
            // All that was written before is one way, what comes now the other.
            m_program[fork].other = m_program.size();
            readSequence(depth);
        }
        for (std::size_t end : ends)
            m_program[end].next = m_program[end].other = m_program.size();
    }

    void readSequence(int depth)
    {
        while (isThere() && m_pattern[m_place] != '|' && m_pattern[m_place] != ')')
            readRepeated(depth);
    }

    void readRepeated(int depth)
    {
        if (readCounts())
            illegal("has a repetition of nothing");
        const std::size_t begin = m_program.size();
        const bool isGroup = m_pattern[m_place] == '(';
        readAtom(depth);
        const auto times = readTimes();
        if (!times)
            return;
        // A group with nothing but an anchor may be repeated.
        if (!isGroup && isAnchor(m_program[begin].step))
            illegal("has a repetition of nothing");
        if (takes("+"))
            notRead("a possessive repetition");
        takes("?");
        if (readTimes())
            illegal("has a repetition of a repetition");
        repeat(begin, times->least, times->most);
    }

    struct Times
    {
        std::size_t least = 0;
        /// Nothing for any number.
        std::optional<std::size_t> most;
    };

    std::optional<Times> readTimes()
    {
        if (takes("*"))
            return Times{};
        if (takes("+"))
            return Times{.least = 1};
        if (takes("?"))
            return Times{.most = 1};
        return readCounts();
    }

    /// {2}, {2,}, {,3} and {2,3}; other braces stand for themselves.
    std::optional<Times> readCounts()
    {
        const std::string_view rest = m_pattern.substr(m_place);
        const std::size_t end = rest.find('}');
        if (!rest.starts_with('{') || end == std::string_view::npos || end == 1)
            return std::nullopt;
        const std::string_view inner = rest.substr(1, end - 1);
        if (!std::ranges::all_of(inner, [](char byte) { return isDigit(byte) || byte == ','; }) ||
            std::ranges::count(inner, ',') > 1)
            return std::nullopt;
        const std::size_t comma = inner.find(',');
        Times times{.least = countOf(inner.substr(0, comma), 0)};
        if (comma == std::string_view::npos)
            times.most = times.least;
        else if (comma + 1 < inner.size())
            times.most = countOf(inner.substr(comma + 1), 0);
        if (times.most && *times.most < times.least)
            illegal("repeats at least more often than at most");
        m_place += end + 1;
        return times;
    }

    static std::size_t countOf(std::string_view digits, std::size_t otherwise)
    {
        if (digits.empty())
            return otherwise;
        std::size_t count = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
        if (error != std::errc() || count > longestProgram)
            notRead("more repetitions than names have characters");
        return count;
    }

    /// Writes what was written since \p begin as often as is asked.
    void repeat(std::size_t begin, std::size_t least, std::optional<std::size_t> most)
    {
        const std::vector<Instruction> once(m_program.begin() + static_cast<std::ptrdiff_t>(begin),
                                            m_program.end());
        m_program.resize(begin);
        for (std::size_t i = 0; i < least; ++i)
            append(once, begin);
        if (!most) {
            const std::size_t fork = emit({.step = Step::Fork});
            append(once, begin);
            const std::size_t back = emit({.step = Step::Fork});
            m_program[back].next = m_program[back].other = fork;
            m_program[fork].other = m_program.size();
            return;
        }
        std::vector<std::size_t> forks;
        for (std::size_t i = least; i < *most; ++i) {
            forks.push_back(emit({.step = Step::Fork}));
            append(once, begin);
        }
        for (std::size_t fork : forks)
            m_program[fork].other = m_program.size();
    }

    /// \param begin  where the instructions stood
    void append(const std::vector<Instruction>& once, std::size_t begin)
    {
        const std::size_t shift = m_program.size() - begin;
        for (Instruction instruction : once) {
            const std::size_t next = instruction.next + shift;
            instruction.other += shift;
            m_program[emit(instruction)].next = next;
        }
    }

    void readAtom(int depth)
    {
        const char byte = takeByte();
        switch (byte) {
        case '(':
            readGroup(depth);
            break;
        case '[':
            emitBytes(readSet());
            break;
        case '.':
            emitBytes(~Bytes().set(indexOf('\n')));
            break;
        case '^':
            emit({.step = Step::AtBegin});
            break;
        case '$':
            emit({.step = Step::AtEnd});
            break;
        case '\\':
            readEscape();
            break;
        case '*':
        case '+':
        case '?':
            illegal("has a repetition of nothing");
        default:
            emitBytes(Bytes().set(indexOf(byte)));
        }
    }

    void readGroup(int depth)
    {
        std::optional<std::size_t> look;
        if (takes("?=") || takes("?!")) {
            const bool isNegative = m_pattern[m_place - 1] == '!';
            look = emit({.step = isNegative ? Step::NotAhead : Step::Ahead});
        } else if (takes("?P<")) {
            const std::size_t end = m_pattern.find('>', m_place);
            if (end == std::string_view::npos)
                illegal("has a name of a group that does not end");
            m_place = end + 1;
        } else if (!takes("?:") && isThere() && m_pattern[m_place] == '?') {
            notRead("a group that begins with (" + std::string(m_pattern.substr(m_place, 3)));
        }
        readAlternatives(depth + 1);
        if (!takes(")"))
            illegal("has a ( without its )");
        if (look) {
            // What is looked for stands between, and ends by itself.
            emit({.step = Step::Done});
            m_program[*look].other = *look + 1;
            m_program[*look].next = m_program.size();
        }
    }

    void readEscape()
    {
        const char byte = takeByte();
        if (const auto bytes = classOf(byte)) {
            emitBytes(*bytes);
            return;
        }
        switch (byte) {
        case 'b':
            emit({.step = Step::AtWordEdge});
            return;
        case 'B':
            emit({.step = Step::InWord});
            return;
        case 'A':
            emit({.step = Step::AtBegin});
            return;
        case 'Z':
            emit({.step = Step::AtEnd});
            return;
        default:
            emitBytes(Bytes().set(indexOf(plainEscape(byte))));
        }
    }

    /// The character that a backslash before it stands for.
    static char plainEscape(char byte)
    {
        if (byte == 'n')
            return '\n';
        if (byte == 't')
            return '\t';
        if (isDigit(byte))
            notRead("a reference to a group");
        if (isLetter(byte))
            notRead(std::string("the escape \\") + byte);
        return byte;
    }

    Bytes readSet()
    {
        Bytes bytes;
        const bool isNegative = takes("^");
        bool isFirst = true;
        while (isFirst || !takes("]")) {
            isFirst = false;
            const auto first = readInSet(bytes);
            const bool isRange = m_pattern.substr(m_place).starts_with('-') &&
                                 m_place + 1 < m_pattern.size() && m_pattern[m_place + 1] != ']';
            if (!isRange)
                continue;
            ++m_place;
            const auto last = readInSet(bytes);
            if (!first || !last)
                illegal("has a range in [] from or to more than one character");
            if (indexOf(*last) < indexOf(*first))
                illegal("has a range in [] that ends before it begins");
            for (std::size_t i = indexOf(*first); i <= indexOf(*last); ++i)
                bytes.set(i);
        }
        return isNegative ? ~bytes : bytes;
    }

    /// Adds the next character or class; the character, where it is one.
    std::optional<char> readInSet(Bytes& bytes)
    {
        if (!isThere())
            illegal("has a [ without its ]");
        char byte = takeByte();
        if (byte == '\\') {
            byte = takeByte();
            if (const auto known = classOf(byte)) {
                bytes |= *known;
                return std::nullopt;
            }
            byte = plainEscape(byte);
        }
        bytes.set(indexOf(byte));
        return byte;
    }

    void emitBytes(Bytes bytes)
    {
        if (m_ignoresCase) {
            for (char small = 'a'; small <= 'z'; ++small) {
                const auto capital = static_cast<char>(small - 'a' + 'A');
                const bool isEither = bytes[indexOf(small)] || bytes[indexOf(capital)];
                bytes[indexOf(small)] = bytes[indexOf(capital)] = isEither;
            }
        }
        emit({.step = Step::Take, .bytes = bytes});
    }

    std::string_view m_pattern;
    std::size_t m_place = 0;
    bool m_ignoresCase = false;
    std::vector<Instruction> m_program;
};

/// One pattern over one name.
class NamePattern::Run
{
public:
    Run(const std::vector<Instruction>& program, std::string_view name, MatchEffort& effort)
        : m_program(program), m_name(name), m_effort(effort)
    {}

    /// \param wholly  up to the end of the name
    bool matches(std::size_t start, std::size_t place, bool wholly)
    {
        std::vector<bool> reached(m_program.size());
        std::vector<std::size_t> here = closure({start}, place, reached);
        for (;; ++place) {
            const bool isDone = std::ranges::any_of(
                here, [this](std::size_t at) { return m_program[at].step == Step::Done; });
            if (isDone && (!wholly || place == m_name.size()))
                return true;
            if (place == m_name.size() || here.empty())
                return false;
            std::vector<std::size_t> next;
            for (std::size_t at : here) {
                if (m_program[at].step == Step::Take && m_program[at].bytes[indexOf(m_name[place])])
                    next.push_back(m_program[at].next);
            }
            here = closure(std::move(next), place + 1, reached);
        }
    }

private:
    /// All that can be reached without a byte, as far as it takes one or is the end.
    std::vector<std::size_t> closure(std::vector<std::size_t> open, std::size_t place,
                                     std::vector<bool>& reached)
    {
        reached.assign(reached.size(), false);
        // The marks are cleared in words of 64.
        m_effort.spend(1 + static_cast<std::int64_t>(reached.size() / 64));
        std::vector<std::size_t> found;
        while (!open.empty()) {
            const std::size_t at = open.back();
            open.pop_back();
            if (reached[at])
                continue;
            reached[at] = true;
            m_effort.spend(1);
            const Instruction& instruction = m_program[at];
            if (instruction.step == Step::Take || instruction.step == Step::Done) {
                found.push_back(at);
            } else if (instruction.step == Step::Fork) {
                open.push_back(instruction.other);
                open.push_back(instruction.next);
            } else if (holds(instruction, place)) {
                open.push_back(instruction.next);
            }
        }
        return found;
    }

    bool holds(const Instruction& instruction, std::size_t place)
    {
        switch (instruction.step) {
        case Step::AtBegin:
            return place == 0;
        case Step::AtEnd:
            return place == m_name.size();
        case Step::AtWordEdge:
            return isWordAt(place) != isWordAt(place - 1);
        case Step::InWord:
            return isWordAt(place) == isWordAt(place - 1);
        case Step::Ahead:
            return Run(m_program, m_name, m_effort).matches(instruction.other, place, false);
        default:
            return !Run(m_program, m_name, m_effort).matches(instruction.other, place, false);
        }
    }

    bool isWordAt(std::size_t place) const { return place < m_name.size() && isWordByte(m_name[place]); }

    const std::vector<Instruction>& m_program;
    std::string_view m_name;
    MatchEffort& m_effort;
};

std::vector<NamePattern> patternsOf(const std::vector<std::string>& texts)
{
    if (texts.size() > mostPatterns)
        notRead("more than " + std::to_string(mostPatterns) + " patterns");
    std::vector<NamePattern> patterns;
    for (const std::string& text : texts)
        patterns.emplace_back(text);
    return patterns;
}

NamePattern::NamePattern(std::string_view pattern) : m_program(NamePatternCompiler(pattern).compile()) {}

bool NamePattern::matchesAll(std::string_view name, MatchEffort& effort) const
{
    return Run(m_program, name, effort).matches(0, 0, true);
}

bool NamePattern::matchesStart(std::string_view name, MatchEffort& effort) const
{
    return Run(m_program, name, effort).matches(0, 0, false);
}

} // namespace batchpeak::config
