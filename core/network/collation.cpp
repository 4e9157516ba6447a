// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "collation.h"

#include "data/sample_random.h"
#include "data/token_source.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace batchpeak::network {

namespace {

// Makes a generator of its own, because the device's default one belongs to dropout.
at::Generator newGenerator(at::Device device)
{
    if (device.is_cpu())
        return at::detail::createCPUGenerator();
    return at::globalContext().getAcceleratorHooksInterface(device.type()).getNewGenerator(device.index());
}

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

HostIntegers::HostIntegers(at::Device device, std::int64_t samples, std::vector<std::int64_t> widths)
    : m_samples(samples), m_widths(std::move(widths))
{
    const std::int64_t ofSample = std::accumulate(m_widths.begin(), m_widths.end(), std::int64_t{0});
    // Pinned, so that the copy waits neither for the device nor lets it wait.
    m_host = at::zeros({samples * ofSample},
                       at::TensorOptions(at::kCPU).dtype(at::kLong).pinned_memory(device.is_cuda()));
}

std::span<std::int64_t> HostIntegers::row(std::size_t tensor, std::int64_t sample)
{
    const auto end = m_widths.begin() + static_cast<std::ptrdiff_t>(tensor);
    const std::int64_t before = std::accumulate(m_widths.begin(), end, std::int64_t{0});
    const std::int64_t width = m_widths[tensor];
    return {m_host.mutable_data_ptr<std::int64_t>() + before * m_samples + sample * width,
            static_cast<std::size_t>(width)};
}

std::vector<at::Tensor> HostIntegers::tensors() const
{
    std::vector<at::Tensor> tensors;
    std::int64_t first = 0;
    for (const std::int64_t width : m_widths) {
        tensors.push_back(m_host.narrow(0, first, m_samples * width).view({m_samples, width}));
        first += m_samples * width;
    }
    return tensors;
}

std::int64_t tokensIn(const SampleRow& row)
{
    return std::ranges::find(row.tokens, data::noToken) - row.tokens.begin();
}

void writeInputs(std::span<const std::int64_t> tokens, std::span<std::int64_t> inputs)
{
    std::ranges::replace_copy(tokens, inputs.begin(), data::noToken, std::int64_t{0});
}

void writeTargets(std::span<const std::int64_t> tokens, std::span<std::int64_t> targets)
{
    const auto end = std::ranges::replace_copy(tokens, targets.begin(), data::noToken, ignoredTarget).out;
    std::fill(end, targets.end(), ignoredTarget);
}

at::Tensor normalNoise(std::span<const SampleRow> rows, const std::vector<std::int64_t>& shape,
                       const at::TensorOptions& options)
{
    std::vector<std::int64_t> whole{static_cast<std::int64_t>(rows.size())};
    whole.insert(whole.end(), shape.begin(), shape.end());
    at::Tensor noise = at::empty(whole, options);
    at::Generator generator = newGenerator(noise.device());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        generator.set_current_seed(rows[i].key);
        noise.select(0, static_cast<std::int64_t>(i)).normal_(0.0, 1.0, generator);
    }
    return noise;
}

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
    const Batch batch{
        .inputs = {images}, .targets = targets.tensors().front().flatten(), .countedTargets = samples};
    return batch.to(options.device());
}

} // namespace batchpeak::network
