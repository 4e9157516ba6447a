// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "image_network.h"

#include "token_loss.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/randint.h>

#include <utility>

namespace batchpeak::network {

ImageNetwork::ImageNetwork(const NetworkOptions& options, const ImageShape& images, std::int64_t classes,
                           Affine output)
    : Network(options), m_images(images), m_classes(classes), m_output(std::move(output))
{}

at::TensorOptions ImageNetwork::imageOptions() const
{
    return m_output.weight.options().requires_grad(false);
}

at::MemoryFormat ImageNetwork::memoryFormat() const
{
    return options().channelsLast ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
}

Batch ImageNetwork::makeBatch(std::int64_t samples, std::int64_t /*sequenceLength*/) const
{
    const at::TensorOptions images = imageOptions();
    return {.inputs = {at::empty({samples, m_images.channels, m_images.size, m_images.size}, images,
                                 memoryFormat())
                           .normal_()},
            .targets = at::randint(m_classes, {samples}, images.dtype(at::kLong)),
            .countedTargets = samples};
}

Batch ImageNetwork::batchOf(std::span<const SampleRow> rows) const
{
    Batch batch = imageSamples(rows, m_images, m_classes, imageOptions());
    batch.inputs.front() = batch.inputs.front().contiguous(memoryFormat());
    return batch;
}

std::int64_t ImageNetwork::countedTargets(std::span<const SampleRow> rows) const
{
    return static_cast<std::int64_t>(rows.size());
}

at::Tensor ImageNetwork::loss(const Batch& batch, double normalizer) const
{
    return tokenLoss(features(batch.inputs.front()), m_output, batch.targets, normalizer,
                     {.trains = options().trains});
}

at::Tensor ImageNetwork::logits(const at::Tensor& images) const
{
    return projected(features(images), m_output);
}

} // namespace batchpeak::network
