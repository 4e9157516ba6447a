// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "config_section.h"

#include <cstdint>
#include <string_view>

namespace batchpeak::config {

/// The text with \p microBatchSize under \p key of a section: in the place of what stands there, or in a
/// new line below batch_size. A value that is merged in from another mapping is not changed there but
/// overridden here.
///
/// \throws ConfigError where the text cannot be changed without touching other values
SplicedText spliceEntry(const ConfigSection& section, std::string_view key, std::int64_t microBatchSize);

/// \param setting  as it is read from the new text
/// \throws ConfigError unless it is the size that was written
void checkReadsBack(const Setting& setting, std::int64_t microBatchSize);

} // namespace batchpeak::config
