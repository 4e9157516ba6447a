// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// Lists of words as tables have them: one text with blanks between, "learned rotary alibi".

bool isAmong(std::string_view word, std::string_view words);

std::vector<std::string_view> splitWords(std::string_view words);

/// For a sentence: "learned, rotary, alibi".
std::string listed(std::span<const std::string_view> words);

/// A text of a config as far as it fits into a sentence, cut between characters.
std::string shortened(const std::string& text);

/// ASCII letters in lower case, whatever the locale; all else as it is.
std::string lowerCase(std::string text);

} // namespace batchpeak::config
