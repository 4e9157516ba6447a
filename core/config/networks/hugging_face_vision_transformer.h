// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hugging_face_keys.h"

namespace batchpeak::config {

/// A config.json of ViT, as a classifier of images. Absent keys take the defaults of ViTConfig in
/// transformers.
///
/// \param warnings  receives that a network without a classifier is run with one
/// \throws ConfigError where a value is impossible
HuggingFaceNetwork readHuggingFaceVisionTransformer(const ConfigSection& config,
                                                    std::vector<Warning>& warnings);

} // namespace batchpeak::config
