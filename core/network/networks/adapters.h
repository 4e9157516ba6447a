// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace batchpeak::network {

class FlatParameters;

/// A low-rank product that is added to some rows of a matrix.
struct Adapter
{
    std::int64_t firstRow = 0;
    std::int64_t rows = 0;
    /// {rank, inputs}
    at::Tensor a;
    /// {rows, rank}
    at::Tensor b;
    /// {rows} for DoRA; otherwise undefined.
    at::Tensor magnitude;
};

/// All adapters of one matrix, in the order of their rows, which do not overlap.
struct Adapters
{
    std::vector<Adapter> parts;
    double scale = 1.0;
    /// Dropout probability of the inputs of each adapter.
    double dropout = 0.0;

    bool learnMagnitudes() const { return parts.front().magnitude.defined(); }
};

/// Returns the adapters of a matrix.
///
/// \param name  name of the matrix without ".weight"; it need not be among the parameters itself, for example
///        if an output uses the embedding's matrix
/// \return null if there are none
std::shared_ptr<const Adapters> adaptersOf(const FlatParameters& parameters, const std::string& name);

/// The matrix that has the adapters.
struct AdaptedMatrix
{
    /// Returns {outputs, inputs}, in a dtype that products take; called for DoRA alone.
    std::function<at::Tensor()> values;
    at::Tensor bias;
    /// Whether its result comes from a custom autograd function, which autograd does not allow to be changed
    /// in place.
    bool isQuantized = false;
};

/// Returns the result of a matrix and its adapters together, with the same operations as PEFT 0.18 (LoRA:
/// Linear.forward in tuners/lora/layer.py; DoRA: DoraLinearLayer.forward in tuners/lora/dora.py), because
/// they decide what is kept for the backward pass.
///
/// \param result  input x matrix^T + bias; it is changed in place if possible
/// \param trains  whether dropout is active
at::Tensor adapted(const at::Tensor& result, const at::Tensor& input, const AdaptedMatrix& matrix,
                   const Adapters& adapters, bool trains);

} // namespace batchpeak::network
