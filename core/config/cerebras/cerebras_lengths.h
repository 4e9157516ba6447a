// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <vector>

namespace batchpeak::config {

/// What the input sections of a Cerebras config say about a sample, written into \p contents, whose model
/// is known by then: the tokens of its sequence, those of a decoder's own sequence, and how many masked
/// tokens of it an encoder predicts. The first section that says something counts; where none does, the
/// network's usual lengths stand, and 0 where there is no network.
///
/// \throws ConfigError where a length is less than 1, or more than the network has learned positions
void readLengths(const std::vector<ConfigSection>& inputs, ConfigContents& contents);

} // namespace batchpeak::config
