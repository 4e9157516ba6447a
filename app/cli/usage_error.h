// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stdexcept>
#include <string>

namespace batchpeak::cli {

/// A command line that cannot be followed, as a full sentence that tells the user what to do.
class UsageError : public std::runtime_error
{
public:
    explicit UsageError(const std::string& sentence) : std::runtime_error(sentence) {}
};

} // namespace batchpeak::cli
