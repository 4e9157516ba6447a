// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/enum_names.h"

namespace batchpeak::trial {

/// Why a trial is run.
enum class Purpose {
    /// One of the first sizes: what small ones need and take tells what larger ones may.
    FirstSizes,
    /// A size larger than any that ran, since they still get faster.
    Climbing,
    /// On the way to a size that may not fit, to learn where memory ends.
    Memory,
    /// A size that was not measured yet, and may be faster than the recommended one.
    Rival,
    /// Measured before: more steps tell it from others.
    Remeasuring,
    /// Sizes that were measured before, in turn.
    Comparison,
    /// Once more, since something disturbed it.
    Repetition,
    /// Once more, since its worker was lost.
    Retry,
    /// The recommended size, in a fresh process.
    Verification,
    /// A person asked for it.
    Asked,
    /// The only size that may be the answer.
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
