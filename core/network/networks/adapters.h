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

/// A low-rank product beside some rows of a matrix.
struct Adapter
{
    std::int64_t firstRow = 0;
    std::int64_t rows = 0;
    /// {rank, inputs}
    at::Tensor a;
    /// {rows, rank}
    at::Tensor b;
    /// {rows}, of DoRA; else undefined.
    at::Tensor magnitude;
};

/// All adapters beside one matrix, in the order of their rows, which do not overlap.
struct Adapters
{
    std::vector<Adapter> parts;
    double scale = 1.0;
    /// On the inputs of each.
    double dropout = 0.0;

    bool learnMagnitudes() const { return parts.front().magnitude.defined(); }
};

/// \param name  of the matrix without ".weight"; it need not be among the parameters itself, as of an output
///              that is the embedding's
/// \return null where there are none
std::shared_ptr<const Adapters> adaptersOf(const FlatParameters& parameters, const std::string& name);

/// The matrix beside which adapters stand.
struct AdaptedMatrix
{
    /// {outputs, inputs}, in a type that products take; asked for by DoRA alone.
    std::function<at::Tensor()> values;
    at::Tensor bias;
    /// Its result is of an operation of our own, which autograd does not let be changed in place.
    bool isQuantized = false;
};

/// What a matrix and its adapters say together, operation by operation as PEFT 0.18 does it (LoRA:
/// Linear.forward in tuners/lora/layer.py; DoRA: DoraLinearLayer.forward in tuners/lora/dora.py), since what
/// backward keeps hangs on that.
///
/// \param result  input x matrix^T + bias; it is changed in place where that can be
/// \param trains  dropout is active
at::Tensor adapted(const at::Tensor& result, const at::Tensor& input, const AdaptedMatrix& matrix,
                   const Adapters& adapters, bool trains);

} // namespace batchpeak::network
