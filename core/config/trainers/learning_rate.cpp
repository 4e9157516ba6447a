// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "learning_rate.h"

#include "config_error.h"
#include "syntax/yaml_scalar.h"

namespace batchpeak::config {

std::optional<double> readLearningRate(const ConfigSection& section, std::string_view path)
{
    const std::size_t dot = path.find('.');
    const std::string_view key = path.substr(0, dot);
    try {
        if (dot == std::string_view::npos) {
            const auto entry = section.find(key);
            return entry ? learningRateOf(asNumber(entry->resolvedValue())) : std::nullopt;
        }
        return section.hasSection(key) ? readLearningRate(*section.section(key), path.substr(dot + 1))
                                       : std::nullopt;
    } catch (const ConfigError&) {
        return std::nullopt;
    }
}

std::optional<double> learningRateOf(std::optional<double> number)
{
    return number && *number > 0 ? number : std::nullopt;
}

} // namespace batchpeak::config
