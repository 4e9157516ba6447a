// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "usage_error.h"

#include <optional>
#include <string>

namespace batchpeak::cli {

/// The value that a word stands for.
/// \param choices  the words that there are, for the sentence
/// \throws UsageError  where \p text is none of them
template<typename Value>
Value known(const std::optional<Value>& value, const std::string& text, const std::string& choices)
{
    if (!value)
        throw UsageError("'" + text + "' is not one of " + choices + ".");
    return *value;
}

} // namespace batchpeak::cli
