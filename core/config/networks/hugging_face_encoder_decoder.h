// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hugging_face_keys.h"

namespace batchpeak::config {

/// A config.json of T5 or T5 1.1, of which FLAN-T5 has the sizes. Absent keys take the defaults of T5Config
/// in transformers.
///
/// Where tie_word_embeddings is false, the projection onto the vocabulary has weights of its own, as in the
/// published T5 1.1 and in transformers up to 4; transformers 5 ties them all the same
/// (T5Config.__post_init__).
///
/// \param warnings  receives which head a network without one is run with
/// \throws ConfigError where a value is impossible
HuggingFaceNetwork readHuggingFaceEncoderDecoder(const ConfigSection& config, std::vector<Warning>& warnings);

} // namespace batchpeak::config
