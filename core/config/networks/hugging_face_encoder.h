// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hugging_face_keys.h"

namespace batchpeak::config {

/// A config.json of BERT. Its class in transformers ("architectures") decides which heads it has; a
/// classifier of two classes is the next-sentence head without the masked-language head, which it is made of
/// the same way. Absent keys take the defaults of BertConfig.
///
/// \param warnings  receives which head a network without one is run with
/// \throws ConfigError where a value is impossible
HuggingFaceNetwork readHuggingFaceEncoder(const ConfigSection& config, std::vector<Warning>& warnings);

} // namespace batchpeak::config
