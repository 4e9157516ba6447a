// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"

#include <string_view>

namespace batchpeak::config {

/// Packs texts into samples; each text attends only to itself (arXiv 2107.02027, 3.2.2). The data decide how
/// long texts are: trials take full samples, of texts of a length that a warning states.
///
/// \param key  key that turns packing on, as in the config
void packTexts(TextPosition position, std::string_view key, ConfigContents& contents);

} // namespace batchpeak::config
