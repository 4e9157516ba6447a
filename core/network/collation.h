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

/// How samples of training data become the tensors of a micro-batch: what the networks do alike.

/// The integers of one micro-batch, written on the host, from where they are copied to the device.
class HostIntegers
{
public:
    /// Zeros; in pinned memory where they go to a GPU.
    /// \param widths  integers of one sample in each tensor
    HostIntegers(at::Device device, std::int64_t samples, std::vector<std::int64_t> widths);

    /// Those of one sample in one tensor.
    std::span<std::int64_t> row(std::size_t tensor, std::int64_t sample);
    /// int64 {samples, width} each, in the order of the widths; they share one stretch of memory.
    std::vector<at::Tensor> tensors() const;

private:
    std::int64_t m_samples;
    std::vector<std::int64_t> m_widths;
    at::Tensor m_host;
};

/// Tokens of a row before its padding.
std::int64_t tokensIn(const SampleRow& row);

/// Copies tokens to where a network reads them: token 0 where there is none.
///
/// \param inputs  at least as many places; those behind stay as they are
void writeInputs(std::span<const std::int64_t> tokens, std::span<std::int64_t> inputs);

/// Copies tokens to where they are to be predicted: ignoredTarget where there is none, and behind.
///
/// \param targets  at least as many places
void writeTargets(std::span<const std::int64_t> tokens, std::span<std::int64_t> targets);

/// Normally distributed floats on the device, those of each sample from its key alone. They are made there:
/// a host would take longer to make images than a GPU to train on them.
///
/// \param shape  of one sample
/// \param options  type and device of the result
/// \return {samples, shape...}
at::Tensor normalNoise(std::span<const SampleRow> rows, const std::vector<std::int64_t>& shape,
                       const at::TensorOptions& options);

/// Square images.
struct ImageShape
{
    std::int64_t channels = 3;
    std::int64_t size = 0;
};

/// Images of normal noise, each under a pattern of waves that all images of its class share, so that a
/// network can learn to tell the classes apart. The class is the key's remainder.
///
/// \param options  type and device of the images
Batch imageSamples(std::span<const SampleRow> rows, const ImageShape& shape, std::int64_t classes,
                   const at::TensorOptions& options);

} // namespace batchpeak::network
