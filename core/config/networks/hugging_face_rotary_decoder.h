// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hugging_face_keys.h"

namespace batchpeak::config {

/// A config.json of LLaMA or of a network made after it: mistral, mixtral, qwen2, qwen3. Absent keys take the
/// defaults of its class in transformers. The scaling of rotary positions (rope_scaling) is passed over: it
/// changes numbers alone.
///
/// \param type      its model_type, one of these
/// \param warnings  receives what a trial does otherwise than the network
/// \throws ConfigError where a value is impossible
HuggingFaceNetwork readHuggingFaceRotaryDecoder(const ConfigSection& config, std::string_view type,
                                                std::vector<Warning>& warnings);

} // namespace batchpeak::config
