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

/// Every trainable parameter: model::parameterTable, or what a TorchScript file holds.
///
/// \throws std::invalid_argument  a full sentence, where the file cannot be used
std::vector<model::Parameter> networkParameters(const model::ModelSpec& spec);

/// \param parameters  of networkParameters(spec); outlives the network
/// \throws std::invalid_argument  a full sentence, where the options do not fit the network
std::unique_ptr<Network> makeNetwork(const model::ModelSpec& spec, const FlatParameters& parameters,
                                     const NetworkOptions& options);

/// Bytes of each tensor that the network holds beside its parameters, such as tables of positions,
/// without making any.
std::vector<std::int64_t> networkBufferBytes(const model::ModelSpec& spec, const NetworkOptions& options);

} // namespace batchpeak::network
