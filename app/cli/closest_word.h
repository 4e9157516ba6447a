// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace batchpeak::cli {

/// The word that was probably meant: the one reached with the fewest letters put in, taken out or
/// changed, if those are at most a third of \p typed; nothing where none is that close.
std::optional<std::string> closestWord(std::string_view typed, std::span<const std::string> words);

} // namespace batchpeak::cli
