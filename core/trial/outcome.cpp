// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "outcome.h"

#include "model/word_table.h"

namespace batchpeak::trial {

namespace {

constexpr model::WordTable<Outcome, 7> outcomes{{{Outcome::Ok, "ok"},
                                                 {Outcome::OutOfMemory, "oom"},
                                                 {Outcome::Unsupported, "unsupported"},
                                                 {Outcome::Failed, "failed"},
                                                 {Outcome::Timeout, "timeout"},
                                                 {Outcome::Cancelled, "cancelled"},
                                                 {Outcome::Crashed, "crashed"}}};

} // namespace

std::string_view toText(Outcome outcome)
{
    return model::wordFor(outcomes, outcome);
}

std::optional<Outcome> outcomeFromText(std::string_view text)
{
    return model::valueFor(outcomes, text);
}

} // namespace batchpeak::trial
