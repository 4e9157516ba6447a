// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "flat_parameters.h"
#include "model/parameter_shares.h"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace batchpeak::network {

/// What one of several devices holds of parameters that they share: its share of each unit
/// (model::ParameterShares), of gradients too, and memory that the units are gathered in.
///
/// There are no other devices. Gathering copies the share to its place; what the others would send is there
/// from the start and stays, the same for all layers that take turns in one buffer. Reducing adds the share
/// of a full gradient to that of the gradients. So bytes are those of one device of the run, losses are
/// finite and the share learns; what is sent over the network takes no time here. Codes of quantized matrices
/// take turns as the rest does, and are not copied; scales stay with each matrix, as bitsandbytes'
/// quant_state does, which FSDP knows nothing of (Params4bit of 0.49 in bitsandbytes/nn/modules.py).
class ShardedParameters
{
public:
    ShardedParameters(const std::vector<model::Parameter>& table, model::Phase phase, at::Device device,
                      const ParameterHolding& holding);

    const model::ParameterShares& shares() const { return m_shares; }
    /// Shares of all trained parameters, those that decay first; and of their gradients, undefined in
    /// evaluation.
    const at::Tensor& values() const { return m_values; }
    const at::Tensor& gradients() const { return m_gradients; }

    /// Where a parameter lies when it is gathered: so many elements, without a shape.
    at::Tensor trained(std::size_t unit, const model::ParameterUnit::Place& place,
                       std::int64_t elements) const;
    at::Tensor frozen(std::size_t unit, const model::ParameterUnit::Place& place,
                      std::int64_t elements) const;
    /// Takes the share of a unit from what was written to where it is gathered.
    void keepShare(std::size_t unit);
    /// From now on the gradients of this parameter are collected with those of its unit. It lives as long as
    /// this.
    void learn(const at::Tensor& parameter, std::size_t unit, const model::ParameterUnit::Place& place);

    /// Before a forward pass: what is outside of layers.
    void gatherOutside();
    /// Before the forward pass of a layer.
    void enterLayer(std::size_t layer);
    /// Behind the backward pass of a layer, and before that of the layer below.
    void leaveLayer(std::size_t layer);
    /// Behind a backward pass: what has not been reduced yet.
    void reduceAll();
    /// Forgets all gradients.
    void clearGradients();

    static model::ParameterShares sharesOf(const std::vector<model::Parameter>& table,
                                           const ParameterSharing& sharing);
    /// Bytes of each tensor that holds values, shares of trained ones first, without making any.
    static std::vector<std::int64_t> valueBytes(const std::vector<model::Parameter>& table,
                                                const ParameterHolding& holding);

private:
    class CollectsGradient;

    struct Learning
    {
        /// Full ones of the unit, trained as they lie where it is gathered; undefined but in its backward
        /// pass.
        at::Tensor gradients;
        std::vector<at::Tensor> parameters;
    };

    void gather(std::size_t unit);
    void reduce(std::size_t unit);
    at::Tensor gradientBuffer(std::size_t unit);

    model::ParameterShares m_shares;
    bool m_takesTurns;
    at::Tensor m_values;
    at::Tensor m_gradients;
    at::Tensor m_frozen;
    /// Bytes of the shares of all codes.
    at::Tensor m_codes;
    at::Tensor m_gathered;
    at::Tensor m_frozenGathered;
    /// The same memory, which backward does not see change: what it has kept of a layer is there again when
    /// it comes to it.
    at::Tensor m_gatheredUnseen;
    at::Tensor m_frozenGatheredUnseen;
    /// For each unit.
    std::vector<Learning> m_learning;
    /// Of the layer that was passed last: its reduction would be under way.
    at::Tensor m_reducing;
};

} // namespace batchpeak::network
