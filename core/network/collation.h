// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "networks/network.h"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace batchpeak::network {

/// How samples of training data become the tensors of a micro-batch: the parts that all networks share.

/// The integers of one micro-batch. They are written on the host, and copied to the device from there.
class HostIntegers
{
public:
    /// Allocates zeros, in pinned memory if the device is a GPU.
    /// \param widths  number of integers per sample in each tensor
    HostIntegers(at::Device device, std::int64_t samples, std::vector<std::int64_t> widths);

    /// Returns the integers of one sample in one tensor.
    std::span<std::int64_t> row(std::size_t tensor, std::int64_t sample);
    /// Returns int64 {samples, width} for each width, in their order; all share one block of memory.
    std::vector<at::Tensor> tensors() const;

private:
    std::int64_t m_samples;
    std::vector<std::int64_t> m_widths;
    at::Tensor m_host;
};

/// Returns the number of tokens of a row before its padding.
std::int64_t tokensIn(const SampleRow& row);

/// Copies tokens to the inputs of a network, and writes token 0 in place of data::noToken.
///
/// \param inputs  at least as long as the tokens; elements after them stay as they are
void writeInputs(std::span<const std::int64_t> tokens, std::span<std::int64_t> inputs);

/// Copies tokens to the targets of a loss, and writes ignoredTarget in place of data::noToken and after the
/// last token.
///
/// \param targets  at least as long as the tokens
void writeTargets(std::span<const std::int64_t> tokens, std::span<std::int64_t> targets);

/// Returns normally distributed floats on the device. Those of a sample depend on its key alone. They are
/// made on the device because a host would take longer to make images than a GPU takes to train on them.
///
/// \param shape  shape of one sample
/// \param options  dtype and device of the result
/// \return {samples, shape...}
at::Tensor normalNoise(std::span<const SampleRow> rows, const std::vector<std::int64_t>& shape,
                       const at::TensorOptions& options);

/// Square images.
struct ImageShape
{
    std::int64_t channels = 3;
    std::int64_t size = 0;
};

/// Returns images of normal noise. A pattern of waves that all images of a class share is added to each, so
/// that a network can learn to classify them. The class is the key modulo the number of classes.
///
/// \param options  dtype and device of the images
Batch imageSamples(std::span<const SampleRow> rows, const ImageShape& shape, std::int64_t classes,
                   const at::TensorOptions& options);

} // namespace batchpeak::network
