// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "syntax/yaml_document.h"

#include <cstddef>

namespace batchpeak::fuzz {

/// How many nodes of one text have to be removed or added, in the order of the text, for it to have the nodes
/// of the other; \p most + 1 where more. What aliases stand for is not compared.
///
/// Myers, "An O(ND) difference algorithm and its variations", Algorithmica 1 (1986).
std::size_t nodeDistance(const config::YamlDocument& before, const config::YamlDocument& after,
                         std::size_t max);

} // namespace batchpeak::fuzz
