// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace batchpeak::cli {

/// Quantities as people type them on a command line, whatever the locale. Each function throws
/// UsageError with a sentence that quotes the text and shows a good one.

/// "2GiB", "800MiB", "1.5GB", "6442450944B" [bytes, above 0]. The unit must be there: a bare "6" is
/// more often a forgotten unit than six bytes.
std::int64_t bytesFromText(std::string_view text);

/// "10m", "1h30m", "90s", in this order of units, at least one second. The unit must be there.
std::chrono::seconds durationFromText(std::string_view text);

/// "8", "8%" or "2.5" [percent], returned as a share; from \p lowest to \p highest percent.
double shareFromPercentText(std::string_view text, double lowest, double highest);

/// "1", "0.5": a number that is not negative.
double numberFromText(std::string_view text);

/// "0.0003", "3e-4": a number above 0.
double positiveNumberFromText(std::string_view text);

/// A whole number from \p lowest to \p highest.
std::int64_t countFromText(std::string_view text, std::int64_t lowest, std::int64_t highest);

/// A whole number from 0 to 2^64 - 1.
std::uint64_t seedFromText(std::string_view text);

} // namespace batchpeak::cli
