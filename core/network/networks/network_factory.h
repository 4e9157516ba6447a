// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"
#include "network.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace batchpeak::network {

class FlatParameters;

/// Returns every trainable parameter: model::parameterTable(), or the parameters in a TorchScript file.
///
/// \throws std::invalid_argument  if the file cannot be used; the message is a full sentence
std::vector<model::Parameter> networkParameters(const model::ModelSpec& spec);

/// \param parameters  parameters of networkParameters(spec); must outlive the network
/// \throws std::invalid_argument  if the options do not fit the network; the message is a full sentence
std::unique_ptr<Network> makeNetwork(const model::ModelSpec& spec, const FlatParameters& parameters,
                                     const NetworkOptions& options);

/// Returns the bytes of each tensor that the network holds beside its parameters, such as tables of
/// positions, without making any.
std::vector<std::int64_t> networkBufferBytes(const model::ModelSpec& spec, const NetworkOptions& options);

} // namespace batchpeak::network
