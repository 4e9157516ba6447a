// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"

#include <functional>
#include <string>
#include <vector>

namespace batchpeak::config {

using Lines = std::vector<std::string>;

/// Returns everything that was read from a config, as lines "key: value". Each key is present in every
/// reading of its kind. Parts of a value have its key before a dot: "network.heads: 4".
///
/// \param shortened  what stands for a sentence
/// \param hasPlaces  whether warnings and refusals begin with the line and column that they are about
Lines readingLines(const ConfigContents& contents, const std::function<std::string(std::string)>& shortened,
                   bool hasPlaces = true);

/// Returns those lines of readingLines() that a network of the kind of \p contents has if nothing is said
/// about them.
Lines defaultLines(const ConfigContents& contents);

/// Returns "2:13 ", or an empty text if there is no position.
std::string placeText(TextPosition position);

} // namespace batchpeak::config
