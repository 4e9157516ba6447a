// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/parameter.h"
#include "network/budget_allocator.h"
#include "network/libtorch.h"
#include "network/optimizers/flat_parameters.h"

#include <ATen/ATen.h>

#include <QString>

#include <algorithm>
#include <vector>

namespace batchpeak::network {

/// Prepares libtorch; a test of a network calls it before its first tensor.
inline void prepareLibtorch()
{
    avoidUndescribedTileUnit();
    BudgetAllocator::installed();
}

/// Returns a network's spec with the changes of \p change.
template<typename Spec, typename Change>
Spec changed(Spec spec, const Change& change)
{
    change(spec);
    return spec;
}

/// Returns parameters far from the small initial values of a training run, with which attention hardly
/// differs from a mean.
template<typename Spec>
FlatParameters randomParameters(const Spec& spec, model::Phase phase = model::Phase::Eval)
{
    at::manual_seed(11);
    FlatParameters parameters(model::parameterTable(spec), phase, at::kCPU);
    for (const auto& segment : parameters.segments())
        at::Tensor(segment.values).normal_(0.0, 0.25);
    return parameters;
}

inline double relativeDifference(const at::Tensor& actual, const at::Tensor& expected)
{
    return ((actual - expected).abs().max() / expected.abs().max()).item<double>();
}

/// Returns the current gradients of all parameters.
inline std::vector<at::Tensor> gradientsOf(const FlatParameters& parameters,
                                           const std::vector<model::Parameter>& table)
{
    std::vector<at::Tensor> gradients;
    for (const model::Parameter& parameter : table)
        gradients.push_back(parameters.at(parameter.name).grad().clone());
    return gradients;
}

/// The parameter whose gradients differ most, and the difference relative to the largest element.
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
