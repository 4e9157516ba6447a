// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trial_record.h"

#include <algorithm>

namespace batchpeak::trial {

std::string disturbedBy(std::string_view reason)
{
    return std::string(flag::disturbed).append(": ").append(reason);
}

bool hasFlag(const std::vector<std::string>& flags, std::string_view word)
{
    return std::ranges::any_of(flags, [word](std::string_view flag) {
        return flag.starts_with(word) && (flag.size() == word.size() || flag[word.size()] == ':');
    });
}

void addFlags(TrialRecord& trial, const std::vector<std::string>& flags)
{
    trial.flags.insert(trial.flags.end(), flags.begin(), flags.end());
    trial.thrashes = trial.thrashes || hasFlag(flags, flag::thrashes);
    trial.abandoned = trial.abandoned || hasFlag(flags, flag::abandoned);
    trial.disturbed = trial.disturbed || hasFlag(flags, flag::disturbed);
    trial.withinHeadroom = trial.withinHeadroom && !hasFlag(flags, flag::withinHeadroom);
    trial.isVerification = trial.isVerification || hasFlag(flags, flag::verification);
}

} // namespace batchpeak::trial
