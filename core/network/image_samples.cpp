// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "image_samples.h"

#include "data/sample_random.h"
#include "host_integers.h"
#include "normal_noise.h"

#include <ATen/ops/empty.h>

#include <cmath>
#include <numbers>

namespace batchpeak::network {

namespace {

std::int64_t classOf(const SampleRow& row, std::int64_t classes)
{
    return static_cast<std::int64_t>(row.key % static_cast<std::uint64_t>(classes));
}

void writeWave(data::SampleRandom& random, float* values, std::int64_t size)
{
    const double turns = 0.5 + 2.0 * random.share();
    const double begin = random.share();
    for (std::int64_t i = 0; i < size; ++i) {
        const double phase = begin + turns * static_cast<double>(i) / static_cast<double>(size);
        values[i] = static_cast<float>(std::cos(2.0 * std::numbers::pi * phase));
    }
}

// {samples, 2, size}: the waves along the two sides, whose product is the pattern.
at::Tensor waves(std::span<const std::int64_t> classes, std::int64_t size, const at::TensorOptions& images)
{
    const auto host = at::TensorOptions(at::kCPU).dtype(at::kFloat).pinned_memory(images.device().is_cuda());
    const at::Tensor values = at::empty({static_cast<std::int64_t>(classes.size()), 2, size}, host);
    float* next = values.mutable_data_ptr<float>();
    for (const std::int64_t number : classes) {
        data::SampleRandom random(static_cast<std::uint64_t>(number));
        writeWave(random, next, size);
        writeWave(random, next + size, size);
        next += 2 * size;
    }
    return values.to(images, /*non_blocking=*/true);
}

} // namespace

Batch imageSamples(std::span<const SampleRow> rows, const ImageShape& shape, std::int64_t classes,
                   const at::TensorOptions& options)
{
    const auto samples = static_cast<std::int64_t>(rows.size());
    HostIntegers targets(options.device(), 1, {samples});
    const std::span<std::int64_t> classOfEach = targets.row(0, 0);
    for (std::size_t i = 0; i < rows.size(); ++i)
        classOfEach[i] = classOf(rows[i], classes);
    const at::Tensor images = normalNoise(rows, {shape.channels, shape.size, shape.size}, options);
    const at::Tensor sides = waves(classOfEach, shape.size, options);
    images.addcmul_(sides.select(1, 0).view({samples, 1, shape.size, 1}),
                    sides.select(1, 1).view({samples, 1, 1, shape.size}));
    return {.inputs = {images}, .targets = targets.onDevice().front().flatten(), .countedTargets = samples};
}

} // namespace batchpeak::network
