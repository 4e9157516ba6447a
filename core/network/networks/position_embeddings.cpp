// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "position_embeddings.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

namespace batchpeak::network {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// \param direction  1 to rotate, -1 to rotate back
at::Tensor turned(const at::Tensor& heads, const at::Tensor& cosines, const at::Tensor& sines,
                  double direction)
{
    const std::int64_t half = cosines.size(-1);
    const std::int64_t rest = heads.size(-1) - 2 * half;
    at::Tensor result = at::empty(heads.sizes(), heads.options());
    const at::Tensor first = heads.narrow(-1, 0, half);
    const at::Tensor second = heads.narrow(-1, half, half);
    at::Tensor turnedFirst = result.narrow(-1, 0, half);
    at::Tensor turnedSecond = result.narrow(-1, half, half);
    at::mul_out(turnedFirst, first, cosines).addcmul_(second, sines, -direction);
    at::mul_out(turnedSecond, second, cosines).addcmul_(first, sines, direction);
    if (rest > 0)
        result.narrow(-1, 2 * half, rest).copy_(heads.narrow(-1, 2 * half, rest));
    return result;
}

// One autograd function that writes each half to its place: eager PyTorch's own way splits, negates and
// concatenates, and so moves every element several times more.
struct Rotation : torch::autograd::Function<Rotation>
{
    static at::Tensor forward(AutogradContext* context, const at::Tensor& heads, const at::Tensor& cosines,
                              const at::Tensor& sines)
    {
        context->save_for_backward({cosines, sines});
        return turned(heads, cosines, sines, 1.0);
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const variable_list tables = context->get_saved_variables();
        return {turned(gradients.front(), tables[0], tables[1], -1.0), at::Tensor(), at::Tensor()};
    }
};

// Returns a geometric sequence that starts at 2^(-8/n) for n heads, if n is a power of two. Otherwise n is
// the next lower power of two, and the remaining heads take every other slope of twice as many.
std::vector<float> slopesOf(std::int64_t heads)
{
    const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
    const auto slope = [](std::int64_t of, std::int64_t index) {
        const double exponent = -8.0 * static_cast<double>(index) / static_cast<double>(of);
        return static_cast<float>(std::exp2(exponent));
    };
    std::vector<float> slopes;
    for (std::int64_t i = 1; i <= power; ++i)
        slopes.push_back(slope(power, i));
    for (std::int64_t i = 1; i <= heads - power; ++i)
        slopes.push_back(slope(2 * power, 2 * i - 1));
    return slopes;
}

} // namespace

std::int64_t RotaryPositions::tableElements(std::int64_t dimensions, std::int64_t length)
{
    return length * dimensions / 2;
}

RotaryPositions::RotaryPositions(std::int64_t dimensions, std::int64_t length, double theta,
                                 at::ScalarType type, at::Device device)
{
    const auto options = at::TensorOptions(device).dtype(at::kFloat);
    const at::Tensor exponents = at::arange(0, dimensions, 2, options).div(-static_cast<double>(dimensions));
    const at::Tensor angles = at::outer(at::arange(length, options), at::pow(theta, exponents));
    // {length, 1, dimensions / 2}: the same for all heads.
    m_cosines = angles.cos().to(type).unsqueeze(1);
    m_sines = angles.sin().to(type).unsqueeze(1);
}

at::Tensor RotaryPositions::rotated(const at::Tensor& heads) const
{
    const std::int64_t length = heads.size(1);
    return Rotation::apply(heads, m_cosines.narrow(0, 0, length), m_sines.narrow(0, 0, length));
}

at::Tensor linearBiases(std::int64_t heads, std::int64_t length, at::ScalarType type, at::Device device)
{
    const auto options = at::TensorOptions(device).dtype(type);
    const at::Tensor slopes = at::tensor(slopesOf(heads)).to(options).view({heads, 1, 1});
    const at::Tensor positions = at::arange(length, at::TensorOptions(device).dtype(at::kFloat)).to(type);
    constexpr double never = -std::numeric_limits<double>::infinity();
    const at::Tensor later = at::full({length, length}, never, options).triu_(1);
    at::Tensor biases = slopes.mul(positions).expand({heads, length, length}).clone();
    return biases.add_(later);
}

std::int64_t relativeBucket(const RelativeBuckets& buckets, std::int64_t offset)
{
    const std::int64_t perDirection = buckets.bidirectional ? buckets.count / 2 : buckets.count;
    const std::int64_t first = buckets.bidirectional && offset > 0 ? perDirection : 0;
    const std::int64_t distance =
        buckets.bidirectional ? std::abs(offset) : std::max<std::int64_t>(-offset, 0);
    const std::int64_t exact = perDirection / 2;
    if (distance < exact)
        return first + distance;
    // In single precision, as in all implementations: at the bounds of a bucket rounding decides.
    const float growth =
        std::log(static_cast<float>(distance) / static_cast<float>(exact)) /
        static_cast<float>(std::log(static_cast<double>(buckets.maxDistance) / static_cast<double>(exact)));
    const auto wide = static_cast<std::int64_t>(growth * static_cast<float>(perDirection - exact));
    return first + std::min(exact + wide, perDirection - 1);
}

at::Tensor relativeBucketTable(const RelativeBuckets& buckets, std::int64_t queries, std::int64_t keys,
                               at::Device device)
{
    std::vector<std::int32_t> ofOffset;
    for (std::int64_t offset = 1 - queries; offset < keys; ++offset)
        ofOffset.push_back(static_cast<std::int32_t>(relativeBucket(buckets, offset)));
    std::vector<std::int32_t> table;
    table.reserve(static_cast<std::size_t>(queries * keys));
    for (std::int64_t query = 0; query < queries; ++query) {
        const auto row = ofOffset.begin() + (queries - 1 - query);
        table.insert(table.end(), row, row + keys);
    }
    // Copied directly to its place, so that no second table is ever on the device.
    at::Tensor onDevice = at::empty({queries, keys}, at::TensorOptions(device).dtype(at::kInt));
    onDevice.copy_(at::from_blob(table.data(), {queries, keys}, at::kInt));
    return onDevice;
}

} // namespace batchpeak::network
