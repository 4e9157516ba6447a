// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"

#include <string>
#include <vector>

namespace batchpeak::config {

using Lines = std::vector<std::string>;

/// Everything that was read from a config, as lines "key: value" of which each key is there in every reading
/// of its kind. Parts of something have its key before a dot: "network.heads: 4".
///
/// \param hasPlaces  warnings and refusals begin with the line and column that they are about
Lines readingLines(const ConfigContents& contents, bool hasPlaces = true);

/// Of readingLines(), the fields that a network of the kind of \p contents has where nothing is said of them.
Lines defaultLines(const ConfigContents& contents);

/// "2:13 ", or nothing where there is no place to name.
std::string placeText(TextPosition position);

} // namespace batchpeak::config
