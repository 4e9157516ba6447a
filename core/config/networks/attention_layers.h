// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"
#include "rotary_decoder_class.h"
#include "syntax/config_section.h"

namespace batchpeak::config {

/// Reads from a config.json which layers of a decoder use sliding-window attention and which have no rotary
/// positions: from keys that say so for each layer or, if they are absent, from the rule of its class. It
/// does not check whether a window is shorter than the texts of a run.
/// \param spec  specification whose layers are known
/// \throws ConfigError if a value is impossible
void readAttentionLayers(model::DecoderSpec& spec, const ConfigSection& config,
                         const RotaryDecoderClass& known);

} // namespace batchpeak::config
