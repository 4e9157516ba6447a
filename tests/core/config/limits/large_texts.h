// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace batchpeak::config {

/// Generated text that is far longer or more convoluted than any that a person writes.
struct MadeText
{
    const char* name = "";
    std::string text;
};

/// Returns configs of about \p bytes each that can be read and written: ordinary ones with much more content.
std::vector<MadeText> largeConfigs(std::size_t bytes);

/// Returns texts that would exhaust the time, memory or stack of a careless reader, or that are not texts at
/// all. None of them is a config.
std::vector<MadeText> hostileTexts();

} // namespace batchpeak::config
