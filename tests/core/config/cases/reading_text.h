// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"

#include <functional>
#include <string>
#include <vector>

namespace batchpeak::config {

using Lines = std::vector<std::string>;

/// Returns everything that was read from a config, as lines "key: value". All readings of one kind of network
/// have the same keys. The key of a part contains a dot after the key of the value: "network.heads: 4".
///
/// \param shortened  returns the text that replaces a sentence
/// \param hasPlaces  whether warnings and refusals begin with their line and column
Lines readingLines(const ConfigContents& contents, const std::function<std::string(std::string)>& shortened,
                   bool hasPlaces = true);

/// Returns the lines of readingLines() that a network of the kind in \p contents has if all its fields have
/// their defaults.
Lines defaultLines(const ConfigContents& contents);

/// Returns "2:13 ", or an empty text if there is no position.
std::string placeText(TextPosition position);

} // namespace batchpeak::config
