// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hugging_face_keys.h"

namespace batchpeak::config {

/// A config.json of GPT-2 or BLOOM, whose keys have names of their own. Absent keys take the defaults of
/// GPT2Config and BloomConfig in transformers.
///
/// \param warnings  receives what a trial does otherwise than the network
/// \throws ConfigError where a value is impossible
HuggingFaceNetwork readHuggingFaceGpt2(const ConfigSection& config, std::vector<Warning>& warnings);
HuggingFaceNetwork readHuggingFaceBloom(const ConfigSection& config, std::vector<Warning>& warnings);

} // namespace batchpeak::config
