// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace batchpeak::config {

/// ASCII letters in lower case, whatever the locale; all else as it is.
std::string lowerCase(std::string text);

} // namespace batchpeak::config
