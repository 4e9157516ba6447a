// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "climb_baseline.h"

ClimbBaseline::ClimbBaseline(const batchpeak::search::SearchSpace& space, double ratio, bool stopsWhenSlower)
    : BaselineStrategy(space), m_ratio(ratio), m_stopsWhenSlower(stopsWhenSlower)
{}

std::optional<std::int64_t> ClimbBaseline::nextSize()
{
    if (m_stopsWhenSlower && hasRun() && fastest() != largestRun())
        return std::nullopt;
    return nextClimb(m_ratio);
}
