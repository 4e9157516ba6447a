// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial_safety.h"

#include <cstdint>
#include <optional>

namespace batchpeak::search {

struct Judgement;

/// What to try where nothing safe teaches more, but the next allowed size is neither safe nor excluded: such
/// as 48 after 24 of a list of divisors.
///
/// A trial on the way to it, of a size that need not be allowed as an answer, tells more of memory and costs
/// no failure. Only where that is told and the chance is even is the size itself risked, once. It is for the
/// strategy to ask no sooner than it must.
class LimitProbe
{
public:
    LimitProbe(const TrialSafety::Situation& situation, const Judgement& judgement);

    std::optional<std::int64_t> next() const;

    /// Whether all that could still beat the best size is beyond what may be tried, so that more trials of
    /// what is known would be in vain.
    bool isInVain() const;

private:
    bool isWorthIt() const;
    std::optional<std::int64_t> onTheWayTo(std::int64_t size) const;

    TrialSafety::Situation m_situation;
    TrialSafety m_safety;
    const Judgement& m_judgement;
};

} // namespace batchpeak::search
