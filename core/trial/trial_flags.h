// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::trial {

/// The words that the flags of a trial begin with; what else a program flags is shown as it is.
namespace flag {
/// The size fits only by flushing the allocator's cache again and again.
inline constexpr std::string_view thrashes = "thrashes";
/// Cut short, since the size could no longer win.
inline constexpr std::string_view abandoned = "abandoned";
/// Something else than the size moved its times; a reason may follow.
inline constexpr std::string_view disturbed = "disturbed";
// Those below are the parent's.
/// Runs, but needs more than the headroom leaves.
inline constexpr std::string_view withinHeadroom = "within the headroom";
/// Of the recommended size, in a fresh process.
inline constexpr std::string_view verification = "verification";
/// Repeats a trial that was disturbed.
inline constexpr std::string_view repetition = "repetition";
} // namespace flag

/// "disturbed: other programs used 0.8 of 2 processors"
std::string disturbedBy(std::string_view reason);

/// Whether one of \p flags is that word, alone or before a colon and a reason.
bool hasFlag(const std::vector<std::string>& flags, std::string_view word);

} // namespace batchpeak::trial
