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

/// What is said of trials that compare sizes, within a sentence.

/// "24, 28 and 32"
QString sizesText(const std::vector<std::int64_t>& sizes, const QLocale& locale = QLocale());

/// The sizes of a comparison.
std::vector<std::int64_t> comparedSizes(const trial::TrialRecord& trial);

/// "comparing 24, 28 and 32"
QString comparingText(const std::vector<std::int64_t>& sizes, const QLocale& locale = QLocale());

/// "1.3 % ± 0.4": by how much the fastest size leads, with one standard error where there is one.
QString leadText(const trial::Contrast& contrast, const QLocale& locale = QLocale());

/// "28 is 1.3 % ± 0.4 faster than 24", with one standard error; "28 and 24 cannot be told apart (0.2 % ±
/// 0.4)" where the lead is no larger than that.
QString contrastText(const trial::Contrast& contrast, const QLocale& locale = QLocale());

/// "compared 24, 28 and 32 in 8 visits each: 28 is 1.3 % ± 0.4 faster than 24"; of one that a size ended,
/// "comparing 24, 28 and 32 ended at 28", of one that counts for nothing, "comparing 24, 28 and 32 came to
/// nothing", and of one that runs, comparingText(). Its outcome and its flags are said elsewhere.
QString comparedText(const trial::TrialRecord& trial, const QLocale& locale = QLocale());

} // namespace batchpeak::engine
