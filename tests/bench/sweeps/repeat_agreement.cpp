// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "repeat_agreement.h"

#include "trial/trial_record.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using batchpeak::trial::Outcome;
using batchpeak::trial::TrialResult;

namespace {

// Standard errors of a 95 % interval of a normal distribution.
constexpr double standardErrorsOf95Percent = 1.96;

bool isUsable(const TrialResult& trial)
{
    return trial.outcome == Outcome::Ok && trial.relativeError && trial.secondsPerStep > 0 &&
           !batchpeak::trial::hasFlag(trial.flags, batchpeak::trial::flag::disturbed);
}

bool agree(const TrialResult& a, const TrialResult& b)
{
    const double difference = std::abs(std::log(a.secondsPerStep / b.secondsPerStep));
    return difference <= standardErrorsOf95Percent * std::hypot(*a.relativeError, *b.relativeError);
}

RepeatAgreement agreementOf(const std::vector<TrialResult>& trials)
{
    RepeatAgreement agreement{.trials = static_cast<int>(trials.size())};
    std::vector<double> errors;
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < trials.size(); ++i) {
        errors.push_back(*trials[i].relativeError);
        sum += trials[i].secondsPerStep;
        squares += trials[i].secondsPerStep * trials[i].secondsPerStep;
        for (std::size_t j = 0; j < i; ++j) {
            ++agreement.pairs;
            agreement.pairsThatAgree += agree(trials[i], trials[j]) ? 1 : 0;
        }
    }
    const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
    std::nth_element(errors.begin(), middle, errors.end());
    agreement.statedError = *middle;
    const auto count = static_cast<double>(trials.size());
    const double mean = sum / count;
    if (trials.size() > 1)
        agreement.observedSpread =
            std::sqrt(std::max(0.0, (squares - count * mean * mean) / (count - 1))) / mean;
    return agreement;
}

} // namespace

std::map<std::int64_t, RepeatAgreement> agreementBySize(const std::vector<TrialResult>& trials)
{
    std::map<std::int64_t, std::vector<TrialResult>> bySize;
    for (const TrialResult& trial : trials) {
        if (isUsable(trial))
            bySize[trial.microBatchSize].push_back(trial);
    }
    std::map<std::int64_t, RepeatAgreement> agreements;
    for (const auto& [size, ofSize] : bySize)
        agreements.emplace(size, agreementOf(ofSize));
    return agreements;
}
