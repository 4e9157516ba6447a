// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharded_parameters.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace batchpeak::network {

namespace {

using model::ParameterUnit;
using model::UnitStretch;

std::int64_t codeShareBytes(const std::vector<model::Parameter>& table, const model::ParameterShares& shares,
                            const ParameterHolding& holding)
{
    std::int64_t bytes = 0;
    for (const ParameterUnit& unit : shares.units) {
        for (const std::size_t row : unit.quantized) {
            bytes +=
                model::shareOf(QuantizedMatrix::codeBytes(table[row].shape, model::separateRows(table[row]),
                                                          holding.tuning.frozenWeights),
                               holding.sharing->devices);
        }
    }
    return bytes;
}

at::Tensor shareIn(const at::Tensor& shares, const UnitStretch& stretch)
{
    return shares.narrow(0, stretch.firstOfShare, stretch.own());
}

at::Tensor placeIn(const at::Tensor& gathered, std::int64_t buffer, const UnitStretch& stretch)
{
    return gathered.narrow(0, buffer + stretch.first, stretch.own());
}

} // namespace

// Runs after a parameter got a gradient: the first one is a tensor of its own, which is moved to the
// collected gradients of its unit; later ones have been added there.
class ShardedParameters::CollectsGradient : public torch::autograd::PostAccumulateGradHook
{
public:
    CollectsGradient(ShardedParameters& owner, std::size_t unit, std::int64_t first)
        : m_owner(owner), m_unit(unit), m_first(first)
    {}

    void operator()(const at::Tensor& parameter) override
    {
        const at::Tensor buffer = m_owner.gradientBuffer(m_unit);
        if (parameter.grad().is_alias_of(buffer))
            return;
        const at::Tensor place = buffer.as_strided(parameter.sizes(), parameter.strides(), m_first);
        place.copy_(parameter.grad());
        parameter.mutable_grad() = place;
    }

private:
    ShardedParameters& m_owner;
    std::size_t m_unit;
    std::int64_t m_first;
};

ShardedParameters::ShardedParameters(const std::vector<model::Parameter>& table, model::Phase phase,
                                     at::Device device, const ParameterHolding& holding)
    : m_shares(sharesOf(table, *holding.sharing)),
      m_takesTurns(holding.sharing->takesTurns),
      m_learning(m_shares.units.size())
{
    const auto made = [device](std::int64_t elements, at::ScalarType type) {
        return at::zeros({elements}, at::TensorOptions(device).dtype(type));
    };
    m_values = made(m_shares.trainedShare(), holding.type);
    if (phase == model::Phase::Train)
        m_gradients = at::zeros_like(m_values);
    m_frozen = made(m_shares.frozenShare, holding.frozenType);
    m_codes = made(codeShareBytes(table, m_shares, holding), at::kByte);
    m_gathered = made(m_shares.gathered, holding.sharing->type);
    m_frozenGathered = made(m_shares.frozenGathered, holding.sharing->frozenType);
    m_gatheredUnseen = m_gathered.variable_data();
    m_frozenGatheredUnseen = m_frozenGathered.variable_data();
}

at::Tensor ShardedParameters::trained(std::size_t unit, const ParameterUnit::Place& place,
                                      std::int64_t elements) const
{
    return m_gathered.narrow(0, m_shares.units[unit].gatheredFirst + place.first, elements);
}

at::Tensor ShardedParameters::frozen(std::size_t unit, const ParameterUnit::Place& place,
                                     std::int64_t elements) const
{
    return m_frozenGathered.narrow(0, m_shares.units[unit].frozenGatheredFirst + place.first, elements);
}

void ShardedParameters::keepShare(std::size_t index)
{
    const at::NoGradGuard noGradients;
    const ParameterUnit& unit = m_shares.units[index];
    for (const UnitStretch& stretch : {unit.decaying, unit.undecayed})
        shareIn(m_values, stretch).copy_(placeIn(m_gatheredUnseen, unit.gatheredFirst, stretch));
    shareIn(m_frozen, unit.frozenStretch)
        .copy_(placeIn(m_frozenGatheredUnseen, unit.frozenGatheredFirst, unit.frozenStretch));
}

void ShardedParameters::learn(const at::Tensor& parameter, std::size_t unit,
                              const ParameterUnit::Place& place)
{
    m_learning[unit].parameters.push_back(parameter);
    torch::autograd::impl::set_post_acc_grad_hooks(
        parameter, std::make_unique<CollectsGradient>(*this, unit, place.first));
}

void ShardedParameters::gatherOutside()
{
    for (std::size_t unit = m_shares.layers; unit < m_shares.units.size(); ++unit)
        gather(unit);
}

void ShardedParameters::enterLayer(std::size_t layer)
{
    if (layer < m_shares.layers)
        gather(layer);
}

void ShardedParameters::leaveLayer(std::size_t layer)
{
    if (layer < m_shares.layers)
        reduce(layer);
    if (m_takesTurns && layer > 0 && layer <= m_shares.layers)
        gather(layer - 1);
}

void ShardedParameters::reduceAll()
{
    for (std::size_t unit = 0; unit < m_shares.units.size(); ++unit)
        reduce(unit);
    m_reducing.reset();
}

void ShardedParameters::clearGradients()
{
    for (Learning& unit : m_learning) {
        for (const at::Tensor& parameter : unit.parameters)
            parameter.mutable_grad().reset();
        unit.gradients.reset();
    }
    m_reducing.reset();
    if (m_gradients.defined())
        m_gradients.zero_();
}

model::ParameterShares ShardedParameters::sharesOf(const std::vector<model::Parameter>& table,
                                                   const ParameterSharing& sharing)
{
    return model::parameterShares(
        table, sharing.takesTurns ? model::Sharding::Parameters : model::Sharding::Gradients,
        sharing.devices);
}

std::vector<std::int64_t> ShardedParameters::valueBytes(const std::vector<model::Parameter>& table,
                                                        const ParameterHolding& holding)
{
    const model::ParameterShares shares = sharesOf(table, *holding.sharing);
    const auto bytesOf = [](std::int64_t elements, at::ScalarType type) {
        return elements * static_cast<std::int64_t>(c10::elementSize(type));
    };
    std::vector<std::int64_t> bytes{
        bytesOf(shares.trainedShare(), holding.type), bytesOf(shares.frozenShare, holding.frozenType),
        bytesOf(shares.gathered, holding.sharing->type),
        bytesOf(shares.frozenGathered, holding.sharing->frozenType), codeShareBytes(table, shares, holding)};
    for (std::size_t i = 0; i < shares.units.size(); ++i) {
        for (const std::size_t row : shares.units[i].quantized) {
            const model::Parameter& matrix = table[row];
            const std::vector<std::int64_t> rows = model::separateRows(matrix);
            const auto ofMatrix =
                QuantizedMatrix::tensorBytes(matrix.shape, rows, holding.tuning.frozenWeights,
                                             holding.tuning.doubleQuantization, holding.frozenType);
            const std::size_t ofPart = ofMatrix.size() / std::max<std::size_t>(rows.size(), 1);
            for (std::size_t tensor = 0; tensor < ofMatrix.size(); ++tensor) {
                if (tensor % ofPart != 0 || shares.units[i].lender == i)
                    bytes.push_back(ofMatrix[tensor]);
            }
        }
    }
    return bytes;
}

void ShardedParameters::gather(std::size_t index)
{
    const at::NoGradGuard noGradients;
    const ParameterUnit& unit = m_shares.units[index];
    for (const UnitStretch& stretch : {unit.decaying, unit.undecayed}) {
        if (stretch.own() > 0)
            placeIn(m_gatheredUnseen, unit.gatheredFirst, stretch).copy_(shareIn(m_values, stretch));
    }
    if (unit.frozenStretch.own() > 0) {
        placeIn(m_frozenGatheredUnseen, unit.frozenGatheredFirst, unit.frozenStretch)
            .copy_(shareIn(m_frozen, unit.frozenStretch));
    }
}

void ShardedParameters::reduce(std::size_t index)
{
    Learning& learning = m_learning[index];
    if (!learning.gradients.defined())
        return;
    const at::NoGradGuard noGradients;
    const ParameterUnit& unit = m_shares.units[index];
    for (const UnitStretch& stretch : {unit.decaying, unit.undecayed}) {
        if (stretch.own() > 0)
            shareIn(m_gradients, stretch).add_(placeIn(learning.gradients, 0, stretch));
    }
    for (const at::Tensor& parameter : learning.parameters)
        parameter.mutable_grad().reset();
    m_reducing = std::exchange(learning.gradients, at::Tensor());
}

at::Tensor ShardedParameters::gradientBuffer(std::size_t unit)
{
    at::Tensor& gradients = m_learning[unit].gradients;
    if (!gradients.defined()) {
        gradients =
            at::zeros({m_shares.units[unit].trainedElements()}, m_gathered.options().requires_grad(false));
    }
    return gradients;
}

} // namespace batchpeak::network
