// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/enum_names.h"

namespace batchpeak::trial {

/// How a trial ended. A worker reports all but Crashed, which its parent reports for a worker that died.
enum class Outcome { Ok, OutOfMemory, Unsupported, Failed, Timeout, Cancelled, Crashed };

using model::fromText;
using model::toText;

constexpr model::EnumNames<Outcome, 7> wordsOf(Outcome)
{
    return {{{Outcome::Ok, "ok"},
             {Outcome::OutOfMemory, "oom"},
             {Outcome::Unsupported, "unsupported"},
             {Outcome::Failed, "failed"},
             {Outcome::Timeout, "timeout"},
             {Outcome::Cancelled, "cancelled"},
             {Outcome::Crashed, "crashed"}}};
}

} // namespace batchpeak::trial
