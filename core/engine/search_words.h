// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/enum_names.h"
#include "search/strategy.h"

// The words of what a search says, in events.

namespace batchpeak::search {

constexpr model::EnumNames<Instability::Cause, 4> wordsOf(Instability::Cause)
{
    using enum Instability::Cause;
    return {{{None, "none"}, {Drift, "drift"}, {Noise, "noise"}, {OtherTenants, "other_tenants"}}};
}

constexpr model::EnumNames<SpeedLimit::Kind, 5> wordsOf(SpeedLimit::Kind)
{
    using enum SpeedLimit::Kind;
    return {{{LaunchBound, "launch_bound"},
             {Saturated, "saturated"},
             {TileQuantized, "tile_quantised"},
             {MemoryThrashing, "memory_thrashing"},
             {Unknown, "unknown"}}};
}

constexpr model::EnumNames<SearchState::Status, 5> wordsOf(SearchState::Status)
{
    using enum SearchState::Status;
    return {{{Searching, "searching"},
             {Confident, "confident"},
             {Exhausted, "exhausted"},
             {Budget, "budget"},
             {NothingFits, "nothing_fits"}}};
}

constexpr model::EnumNames<Reason::Kind, 6> wordsOf(Reason::Kind)
{
    using enum Reason::Kind;
    return {{{TooEarly, "too_early"},
             {Climbing, "climbing"},
             {Compared, "compared"},
             {MemoryEnds, "memory_ends"},
             {Verified, "verified"},
             {AllTried, "all_tried"}}};
}

} // namespace batchpeak::search
