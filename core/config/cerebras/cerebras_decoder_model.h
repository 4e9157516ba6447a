// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

namespace batchpeak::config {

/// The model section of a Cerebras config, the same in both layouts, read as a decoder: GPT-2, GPT-3,
/// LLaMA, Mixtral, BLOOM or Jais.
///
/// A feature that changes speed or memory and that a trial would leave out makes the network unsupported
/// (cerebras_network.h). What costs nothing worth measuring is passed over: scaling of rotary positions,
/// muP factors, initialisers, loss scaling, the kernel that Cerebras takes for attention.
class CerebrasDecoderModel
{
public:
    explicit CerebrasDecoderModel(ConfigSection section);

    /// \param warnings  receives what a trial does otherwise than the config says
    /// \throws ConfigError where a size is missing or impossible
    std::variant<model::DecoderSpec, UnsupportedModel> read(std::vector<Warning>& warnings) const;

private:
    model::DecoderSpec readSpec(std::vector<Warning>& warnings) const;
    void readExperts(model::DecoderSpec& spec) const;
    void readAttention(model::DecoderSpec& spec) const;
    void readDropout(model::DecoderSpec& spec, std::vector<Warning>& warnings) const;
    void checkSoundness(const model::DecoderSpec& spec) const;

    ConfigSection m_section;
};

} // namespace batchpeak::config
