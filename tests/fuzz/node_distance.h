// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "syntax/yaml_document.h"

#include <cstddef>

namespace batchpeak::fuzz {

/// Returns the number of nodes that have to be removed from or added to one text, in the order of the text,
/// to get the nodes of the other; \p max + 1 if there are more. The targets of aliases are not compared.
///
/// Myers, "An O(ND) difference algorithm and its variations", Algorithmica 1 (1986).
std::size_t nodeDistance(const config::YamlDocument& before, const config::YamlDocument& after,
                         std::size_t max);

} // namespace batchpeak::fuzz
