// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_section.h"

#include <string>
#include <vector>

namespace batchpeak::config {

/// A key that is not known is most often a misspelt one, whose value would be passed over in silence.
///
/// \throws ConfigError that names the first other key of \p section and lists the known ones
void refuseOtherKeys(const ConfigSection& section, const std::vector<std::string>& known);

} // namespace batchpeak::config
