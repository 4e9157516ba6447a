// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"
#include "rotary_decoder_class.h"
#include "syntax/config_section.h"

namespace batchpeak::config {

/// Which layers of a decoder keep to a window of attention and which are not rotated, by a config.json: of
/// keys that say so for each layer, and where they are absent, of the rule of its class. It does not judge
/// whether a window is shorter than the texts of a run.
/// \param spec  its layers are known
/// \throws ConfigError where a value is impossible
void readAttentionLayers(model::DecoderSpec& spec, const ConfigSection& config,
                         const RotaryDecoderClass& known);

} // namespace batchpeak::config
