// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace batchpeak::config {

/// A text made by a program: far longer, or far more twisted, than any that a person writes.
struct MadeText
{
    const char* name = "";
    std::string text;
};

/// Configs of about \p bytes each that can be read and written: ordinary ones, with much more in them.
std::vector<MadeText> largeConfigs(std::size_t bytes);

/// Texts on which a careless reader spends all time, memory or stack there is, or that are no texts at all.
/// None of them is a config.
std::vector<MadeText> hostileTexts();

} // namespace batchpeak::config
