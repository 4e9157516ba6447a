// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "config_text.h"

#include <memory>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// What a format is known by, for recognise() and for what it says of a text that fits none.
struct FormatEntry
{
    std::string_view name;
    /// What makes a text one of this format, for a sentence: "trainer.init".
    std::string_view mark;
    /// Keys that its configs have, as paths from the root: of two formats that a text is not, the one with
    /// more of them there is the nearer.
    std::vector<std::string_view> usualKeys;
    /// Nothing if the text is of another format. It does not throw because of what is in the text.
    std::unique_ptr<ConfigFormat> (*recognise)(const std::shared_ptr<const ConfigText>& text) = nullptr;
};

/// The format of a text that was looked at already.
/// \throws ConfigError as recognise() of a text does
std::unique_ptr<ConfigFormat> recognise(const std::shared_ptr<const ConfigText>& text);

} // namespace batchpeak::config
