// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "spec_checks.h"

#include "parameter.h"

#include <cmath>

namespace batchpeak::model {

std::optional<std::string> problemWithSizes(std::initializer_list<NamedSize> sizes)
{
    for (const auto& [size, name, max, min] : sizes) {
        const std::string stated = "The " + std::string(name) + " is " + std::to_string(size);
        if (size < min)
            return stated + ", but must be at least " + std::to_string(min) + ".";
        if (size > max)
            return stated + ", but must be at most " + std::to_string(max) + ".";
    }
    return std::nullopt;
}

std::optional<std::string> problemWithNumbers(std::initializer_list<NamedNumber> numbers)
{
    for (const auto& [number, name] : numbers) {
        if (!(number > 0.0 && std::isfinite(number)))
            return "The " + std::string(name) + " must be a finite number above 0.";
    }
    return std::nullopt;
}

std::optional<std::string> problemWithHeads(std::int64_t hiddenSize, std::int64_t heads)
{
    if (hiddenSize % heads == 0)
        return std::nullopt;
    return "The hidden size " + std::to_string(hiddenSize) + " is not a multiple of the " +
           std::to_string(heads) + " attention heads.";
}

std::optional<std::string> problemWithRotation(std::int64_t rotaryDimensions, std::int64_t headSize)
{
    if (rotaryDimensions >= 0 && rotaryDimensions <= headSize && rotaryDimensions % 2 == 0)
        return std::nullopt;
    return "The rotary dimension " + std::to_string(rotaryDimensions) +
           " must be an even number of at most the head size, " + std::to_string(headSize) + ".";
}

std::optional<std::string> problemWithDropout(std::initializer_list<double> probabilities)
{
    for (double probability : probabilities) {
        if (!(probability >= 0 && probability < 1))
            return std::string("A dropout rate must be at least 0 and less than 1.");
    }
    return std::nullopt;
}

std::optional<std::string> problemWithParameters(const std::vector<Parameter>& table)
{
    constexpr double max = 1e14;
    // Computed in doubles, which do not overflow.
    double count = 0.0;
    for (const Parameter& parameter : table) {
        double elements = 1.0;
        for (const std::int64_t size : parameter.shape)
            elements *= static_cast<double>(size);
        count += elements;
    }
    if (count <= max)
        return std::nullopt;
    return std::string("The network would have more than 100 trillion parameters; check its sizes and the "
                       "rank of its adapters.");
}

} // namespace batchpeak::model
