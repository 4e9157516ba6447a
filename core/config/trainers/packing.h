// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"

#include <string_view>

namespace batchpeak::config {

/// Samples are packed of texts each of which attends to itself alone (arXiv 2107.02027, 3.2.2), which the
/// data make as long as they are: trials take samples as full, of texts of a length that is said.
///
/// \param key  that asks for it, as the config has it
void packTexts(TextPosition position, std::string_view key, ConfigContents& contents);

} // namespace batchpeak::config
