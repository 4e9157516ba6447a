// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <optional>
#include <string>
#include <variant>

namespace batchpeak::config {

/// The model section of a Cerebras config read as an encoder in pre-training: BERT or ESM-2.
///
/// A feature that changes speed or memory and that a trial would leave out makes the network unsupported.
/// What costs nothing worth measuring is passed over: the activations of the pooler and of the
/// masked-language head, the mask of padding, muP factors, initialisers, loss weights and smoothing.
class CerebrasEncoderModel
{
public:
    /// \param family  "bert" or "esm2"
    CerebrasEncoderModel(ConfigSection section, std::string family);

    /// \throws ConfigError where a size is missing or impossible
    std::variant<model::EncoderSpec, UnsupportedModel> read() const;

private:
    std::optional<UnsupportedModel> unsupportedFeature() const;
    model::EncoderSpec readSpec() const;
    void readPositions(model::EncoderSpec& spec) const;
    void checkSoundness(const model::EncoderSpec& spec) const;

    ConfigSection m_section;
    std::string m_family;
};

} // namespace batchpeak::config
