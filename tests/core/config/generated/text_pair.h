// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chance.h"

#include <string>

namespace batchpeak::config {

/// A text before and after a change, written side by side.
class TextPair
{
public:
    enum class Side { Both, Before, After };

    /// \param lineBreak  line break of every line
    explicit TextPair(std::string lineBreak) : m_lineBreak(std::move(lineBreak)) {}

    void write(const std::string& text)
    {
        if (m_side != Side::After)
            m_before += text;
        if (m_side != Side::Before)
            m_after += text;
    }
    void endLine()
    {
        write(m_lineBreak);
        m_lastLine = m_side;
    }
    void change(const std::string& before, const std::string& after)
    {
        m_before += before;
        m_after += after;
    }

    /// Restricts writing to one of the two texts during its lifetime.
    class Scope
    {
    public:
        Scope(TextPair& pair, Side side) : m_pair(pair), m_outer(pair.m_side) { pair.m_side = side; }
        ~Scope() { m_pair.m_side = m_outer; }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        TextPair& m_pair;
        Side m_outer;
    };

    /// Removes the last line break of both texts, but not of the text after the change if its last lines are
    /// removed there.
    void dropLastLineBreak()
    {
        m_before.erase(m_before.size() - m_lineBreak.size());
        if (m_lastLine != Side::Before)
            m_after.erase(m_after.size() - m_lineBreak.size());
    }
    const std::string& before() const { return m_before; }
    const std::string& after() const { return m_after; }

private:
    std::string m_lineBreak;
    std::string m_before;
    std::string m_after;
    Side m_side = Side::Both;
    Side m_lastLine = Side::Both;
};

} // namespace batchpeak::config
