// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "model/model_spec.h"
#include "model/tuning.h"
#include "named_value.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// Parts of a network that are trained while the rest is frozen.
struct TrainedParts
{
    /// The parts in the form of model::Tuning: the prefix of a layer that is trained in full, else full
    /// names.
    std::vector<std::string> parts;
    /// Whether nothing is frozen.
    bool isAll = false;
    /// Whether the run trains some rows and freezes others of a matrix that is one here; the matrix is among
    /// the parts.
    bool hasPartsOfMatrices = false;
};

/// How a module that shares its matrix with another one is counted.
enum class SharedOutput {
    /// As the embedding: torch.nn.Module.named_parameters() names a shared parameter once, by the module that
    /// comes first.
    IsEmbedding,
    /// As a module of its own.
    IsModule
};

/// Returns the parameters for whose names in transformers \p isTrained returns true.
/// \throws NamePatternError if there are more parts than can be distinguished in reasonable time
TrainedParts trainedPartsOf(const model::ModelSpec& spec,
                            const std::function<bool(std::string_view)>& isTrained, SharedOutput shared);

/// Returns the tuning of a run that trains only those parameters.
/// \param value  value that names them
/// \throws NotRun if trials cannot freeze the others
/// \throws ConfigError if no parameter is named
model::Tuning tuningOfParts(const model::ModelSpec& spec,
                            const std::function<bool(std::string_view)>& isTrained, const NamedValue& value,
                            model::FrozenWeights frozenWeights, std::vector<Warning>& warnings);

/// Warns that only some rows of a matrix are trained (TrainedParts::hasPartsOfMatrices).
void warnOfPartsOfMatrices(TextPosition position, std::vector<Warning>& warnings);

} // namespace batchpeak::config
