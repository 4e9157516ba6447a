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
    /// As model::Tuning has them: a whole layer by its beginning, else whole names.
    std::vector<std::string> parts;
    /// Nothing is frozen.
    bool isAll = false;
    /// Of a matrix that is one here, the run trains some rows and freezes others; it is among the parts.
    bool hasPartsOfMatrices = false;
};

/// What a module that shares its matrix with another one counts for.
enum class SharedOutput {
    /// torch.nn.Module.named_parameters() names a shared parameter once, by the module that comes first.
    IsEmbedding,
    /// A module of its own.
    IsModule
};

/// The parameters of which \p isTrained says so by the name that transformers has for them.
/// \throws NamePatternError where they are more parts than can be told apart in good time
TrainedParts trainedPartsOf(const model::ModelSpec& spec,
                            const std::function<bool(std::string_view)>& isTrained, SharedOutput shared);

/// A run that trains those parameters alone.
/// \param value  that names them
/// \throws NotRun where trials cannot leave the others as they are
/// \throws ConfigError where there is none
model::Tuning tuningOfParts(const model::ModelSpec& spec,
                            const std::function<bool(std::string_view)>& isTrained, const NamedValue& value,
                            model::FrozenWeights frozenWeights, std::vector<Warning>& warnings);

/// Of a matrix some rows are trained (TrainedParts::hasPartsOfMatrices).
void warnOfPartsOfMatrices(TextPosition position, std::vector<Warning>& warnings);

} // namespace batchpeak::config
