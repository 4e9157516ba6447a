// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace batchpeak::config {

/// A generated text: far longer, or far more convoluted, than any that a person writes.
struct MadeText
{
    const char* name = "";
    std::string text;
};

/// Returns configs of about \p bytes each that can be read and written: ordinary ones with much more content.
std::vector<MadeText> largeConfigs(std::size_t bytes);

/// Returns texts on which a careless reader uses up all time, memory or stack, or that are not texts at all.
/// None of them is a config.
std::vector<MadeText> hostileTexts();

} // namespace batchpeak::config
