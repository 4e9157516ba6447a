// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "syntax/config_section.h"

#include <optional>
#include <variant>

namespace batchpeak::config {

/// The model section of a Cerebras config read as an encoder-decoder: T5.
///
/// A feature that changes speed or memory and that a trial would leave out makes the network unsupported.
/// What costs nothing worth measuring is passed over: at which ends of encoder and decoder dropout is
/// applied, muP factors, initialisers, loss weights and smoothing.
class CerebrasEncoderDecoderModel
{
public:
    explicit CerebrasEncoderDecoderModel(ConfigSection section);

    /// \throws ConfigError where a size is missing or impossible
    std::variant<model::EncoderDecoderSpec, UnsupportedModel> read() const;

private:
    std::optional<UnsupportedModel> unsupportedFeature() const;
    model::EncoderDecoderSpec readSpec() const;

    ConfigSection m_section;
};

} // namespace batchpeak::config
