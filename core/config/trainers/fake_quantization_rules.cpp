// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_quantization_rules.h"

#include "model/parameter_table.h"
#include "unmodeled_features.h"

#include <algorithm>

namespace batchpeak::config {

void warnOfDelayedRounding(const Settings& settings, std::string_view key, std::vector<Warning>& warnings)
{
    const auto steps = settings.integer(key);
    if (!steps || *steps < 1)
        return;
    warn(
        warnings, settings.positionOf(key),
        "The run rounds weights and activations from step {} on ({}), before which its steps are shorter and "
        "take less memory; trials round them in every step.",
        *steps, settings.pathOf(key));
}

void checkGroups(const model::ModelSpec& network, const model::Tuning& tuning, const NamedValue& value)
{
    model::Tuning byRows = tuning;
    byRows.fakeQuantization.groupSize = 0;
    for (const model::Parameter& matrix : model::parameterTable(network)) {
        if (model::fakeQuantizedRows(matrix, byRows) == model::fakeQuantizedRows(matrix, tuning))
            continue;
        throw errorAt(value.position,
                      "{} is {}, but a layer with {} inputs is to be rounded in groups of that size, which "
                      "torchao refuses; write a divisor of {}.",
                      value.path, tuning.fakeQuantization.groupSize, matrix.shape.back(),
                      matrix.shape.back());
    }
}

} // namespace batchpeak::config
