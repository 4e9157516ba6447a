// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "flat_parameters.h"

#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <memory>
#include <utility>

namespace batchpeak::network {

namespace {

// A parameter starts at a multiple of 256 bytes, as memory of its own would (cudaMalloc's alignment),
// so that products run on the same kernels.
constexpr std::int64_t alignment = 256;
// GPT-2's and LLaMA's standard deviation of weights.
constexpr double weightDeviation = 0.02;

std::int64_t aligned(std::int64_t elements, at::ScalarType type)
{
    const std::int64_t step = alignment / static_cast<std::int64_t>(c10::elementSize(type));
    return (elements + step - 1) / step * step;
}

void initialize(at::Tensor& parameter, model::Initialization initialization)
{
    switch (initialization) {
    case model::Initialization::Normal:
        parameter.normal_(0.0, weightDeviation);
        break;
    case model::Initialization::Zeros:
        parameter.zero_();
        break;
    case model::Initialization::Ones:
        parameter.fill_(1.0);
        break;
    }
}

at::Tensor shaped(const at::Tensor& stretch, const std::vector<std::int64_t>& shape, bool channelsLast)
{
    constexpr std::size_t convolutionDimensions = 4;
    if (!channelsLast || shape.size() != convolutionDimensions)
        return stretch.view(shape);
    return stretch.view({shape[0], shape[2], shape[3], shape[1]}).permute({0, 3, 1, 2});
}

// Runs when a parameter has got a gradient: the first one is a tensor of its own, which moves into the
// flat buffer; what follows has been added there.
class MovesFirstGradient : public torch::autograd::PostAccumulateGradHook
{
public:
    explicit MovesFirstGradient(at::Tensor place) : m_place(std::move(place)) {}

    void operator()(const at::Tensor& parameter) override
    {
        if (parameter.grad().is_alias_of(m_place))
            return;
        m_place.copy_(parameter.grad());
        parameter.mutable_grad() = m_place;
    }

private:
    at::Tensor m_place;
};

} // namespace

std::int64_t FlatParameters::bufferElements(const std::vector<model::Parameter>& table, at::ScalarType type)
{
    std::int64_t elements = 0;
    for (const model::Parameter& parameter : table)
        elements += aligned(parameter.elements(), type);
    return elements;
}

FlatParameters::FlatParameters(const std::vector<model::Parameter>& table, model::Phase phase,
                               c10::Device device, at::ScalarType type, bool channelsLast)
{
    const bool trains = phase == model::Phase::Train;
    const auto options = at::TensorOptions(device).dtype(type);
    const at::Tensor values = at::zeros({bufferElements(table, type)}, options);
    if (trains)
        m_gradients = at::zeros_like(values);

    m_views.resize(table.size());
    std::int64_t offset = 0;
    for (const bool decays : {true, false}) {
        const std::int64_t begin = offset;
        for (std::size_t i = 0; i < table.size(); ++i) {
            if (table[i].decays != decays)
                continue;
            const std::int64_t elements = table[i].elements();
            View& view = m_views[i];
            view.parameter =
                shaped(values.narrow(0, offset, elements), table[i].shape, channelsLast).detach();
            initialize(view.parameter, table[i].initialization);
            view.parameter.requires_grad_(trains);
            if (trains) {
                view.gradient = shaped(m_gradients.narrow(0, offset, elements), table[i].shape, channelsLast);
                torch::autograd::impl::set_post_acc_grad_hooks(
                    view.parameter, std::make_unique<MovesFirstGradient>(view.gradient));
            }
            m_indexOf.emplace(table[i].name, i);
            offset += aligned(elements, type);
        }
        if (offset == begin)
            continue;
        m_segments.push_back(
            {.values = values.narrow(0, begin, offset - begin),
             .gradients = trains ? m_gradients.narrow(0, begin, offset - begin) : at::Tensor(),
             .decays = decays});
    }
}

const at::Tensor& FlatParameters::at(const std::string& name) const
{
    return m_views[m_indexOf.at(name)].parameter;
}

bool FlatParameters::contains(const std::string& name) const
{
    return m_indexOf.contains(name);
}

std::vector<NamedTensor> FlatParameters::named() const
{
    std::vector<NamedTensor> named(m_views.size());
    for (const auto& [name, index] : m_indexOf)
        named[index] = {.name = name, .tensor = m_views[index].parameter};
    return named;
}

std::vector<NamedTensor> FlatParameters::stretchesOf(const at::Tensor& buffer) const
{
    std::vector<NamedTensor> stretches = named();
    for (NamedTensor& stretch : stretches) {
        const at::Tensor& parameter = stretch.tensor;
        stretch.tensor = buffer.as_strided(parameter.sizes(), parameter.strides(),
                                           buffer.storage_offset() + parameter.storage_offset());
    }
    return stretches;
}

std::int64_t FlatParameters::elements() const
{
    std::int64_t elements = 0;
    for (const View& view : m_views)
        elements += view.parameter.numel();
    return elements;
}

void FlatParameters::clearGradients()
{
    for (View& view : m_views)
        view.parameter.mutable_grad().reset();
}

void FlatParameters::completeGradients()
{
    if (!m_gradients.defined())
        return;
    for (View& view : m_views) {
        if (!view.parameter.grad().defined())
            view.parameter.mutable_grad() = view.gradient.zero_();
    }
}

} // namespace batchpeak::network
