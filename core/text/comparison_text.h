// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/contrast.h"
#include "trial/trial_record.h"

#include <QLocale>
#include <QString>

#include <cstdint>
#include <vector>

namespace batchpeak::engine {

/// Texts about trials that compare sizes, for use within a sentence.

/// "24, 28 and 32"
QString sizesText(const std::vector<std::int64_t>& sizes, const QLocale& locale = QLocale());

/// Returns the sizes of a comparison.
std::vector<std::int64_t> comparedSizes(const trial::TrialRecord& trial);

/// "comparing 24, 28 and 32"
QString comparingText(const std::vector<std::int64_t>& sizes, const QLocale& locale = QLocale());

/// "1.3 % ± 0.4": the lead of the fastest size, with one standard error if there is one.
QString leadText(const trial::Contrast& contrast, const QLocale& locale = QLocale());

/// "28 is 1.3 % ± 0.4 faster than 24", with one standard error; "28 and 24 cannot be told apart (0.2 % ±
/// 0.4)" if the lead is not larger than that.
QString contrastText(const trial::Contrast& contrast, const QLocale& locale = QLocale());

/// "compared 24, 28 and 32 in 8 visits each: 28 is 1.3 % ± 0.4 faster than 24". For a comparison that a size
/// ended: "comparing 24, 28 and 32 ended at 28". For one that counts for nothing: "comparison of 24, 28
/// and 32 discarded". For one that is running: comparingText(). The outcome and the flags are stated
/// elsewhere.
QString comparedText(const trial::TrialRecord& trial, const QLocale& locale = QLocale());

} // namespace batchpeak::engine
