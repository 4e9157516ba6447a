// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/parameter.h"
#include "network/flat_parameters.h"

#include <ATen/ATen.h>

#include <QString>

#include <algorithm>
#include <vector>

namespace batchpeak::network {

/// Gradients of all parameters as they are now.
inline std::vector<at::Tensor> gradientsOf(const FlatParameters& parameters,
                                           const std::vector<model::Parameter>& table)
{
    std::vector<at::Tensor> gradients;
    for (const model::Parameter& parameter : table)
        gradients.push_back(parameters.at(parameter.name).grad().clone());
    return gradients;
}

/// The parameter whose gradients differ most, and how much relative to the largest element.
struct WorstDifference
{
    double relative = 0.0;
    QString parameter;
};
inline WorstDifference worstDifference(const std::vector<at::Tensor>& actual,
                                       const std::vector<at::Tensor>& expected,
                                       const std::vector<model::Parameter>& table)
{
    WorstDifference worst;
    for (std::size_t i = 0; i < table.size(); ++i) {
        const double scale = std::max(expected[i].abs().max().item<double>(), 1e-6);
        const double difference = (actual[i] - expected[i]).abs().max().item<double>() / scale;
        if (difference > worst.relative)
            worst = {difference, QString::fromStdString(table[i].name)};
    }
    return worst;
}

} // namespace batchpeak::network
