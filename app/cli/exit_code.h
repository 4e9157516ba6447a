// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchpeak::cli {

/// What a script may rely on.
namespace exitCode {
/// A recommendation was reached, or the command did what it was asked.
inline constexpr int success = 0;
/// Usage or input error.
inline constexpr int badInput = 1;
/// Not even the smallest allowed size fits.
inline constexpr int nothingFits = 2;
/// Trials could not be run, or ended without a recommendation.
inline constexpr int noTrials = 3;
/// 128 + SIGINT, as shells count a command that was interrupted.
inline constexpr int interrupted = 130;
} // namespace exitCode

} // namespace batchpeak::cli
