// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/enum_names.h"

namespace batchpeak::trial {

/// Why a trial is run.
enum class Purpose {
    /// One of the first sizes: the memory and the time of small sizes predict those of larger ones.
    FirstSizes,
    /// A size larger than any that ran, tried because larger sizes are still getting faster.
    Climbing,
    /// A size on the way to one that may not fit, to learn where memory runs out.
    Memory,
    /// A size that was not measured yet and may be faster than the recommended one.
    Rival,
    /// A size that was measured before; more steps distinguish it from others.
    Remeasuring,
    /// Interleaved visits of sizes that were measured before.
    Comparison,
    /// A repetition, because something disturbed the trial.
    Repetition,
    /// A repetition, because the trial's worker was lost.
    Retry,
    /// A trial of the recommended size in a fresh process.
    Verification,
    /// A trial that the user requested.
    Asked,
    /// A trial of the only size that can be the answer.
    OnlySize
};

using model::fromText;
using model::toText;

constexpr model::EnumNames<Purpose, 11> wordsOf(Purpose)
{
    return {{{Purpose::FirstSizes, "first_sizes"},
             {Purpose::Climbing, "climbing"},
             {Purpose::Memory, "memory"},
             {Purpose::Rival, "rival"},
             {Purpose::Remeasuring, "remeasuring"},
             {Purpose::Comparison, "comparison"},
             {Purpose::Repetition, "repetition"},
             {Purpose::Retry, "retry"},
             {Purpose::Verification, "verification"},
             {Purpose::Asked, "asked"},
             {Purpose::OnlySize, "only_size"}}};
}

} // namespace batchpeak::trial
