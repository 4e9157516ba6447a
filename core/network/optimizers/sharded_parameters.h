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

/// The part of shared parameters that one of several devices holds: its share of each unit
/// (model::ParameterShares) and of the gradients, and the memory that the units are gathered in.
///
/// The other devices do not exist. Gathering copies this device's share to its place. What the others would
/// send is there from the start and does not change; it is the same for all layers that use the same buffer.
/// Reducing adds this device's share of a full gradient to its gradients. So the bytes are those of one
/// device of the run, losses are finite and the share is trained, but communication takes no time here. Codes
/// of quantized matrices use one buffer one after the other like the rest, but are not copied. Scales stay
/// with each matrix, like bitsandbytes' quant_state, which FSDP knows nothing of (Params4bit of 0.49 in
/// bitsandbytes/nn/modules.py).
class ShardedParameters
{
public:
    ShardedParameters(const std::vector<model::Parameter>& table, model::Phase phase, at::Device device,
                      const ParameterHolding& holding);

    const model::ParameterShares& shares() const { return m_shares; }
    /// Shares of all trained parameters, those with weight decay first, and of their gradients, which are
    /// undefined in evaluation.
    const at::Tensor& values() const { return m_values; }
    const at::Tensor& gradients() const { return m_gradients; }

    /// Return the place of a gathered parameter: as many elements as it has, without a shape.
    at::Tensor trained(std::size_t unit, const model::ParameterUnit::Place& place,
                       std::int64_t elements) const;
    at::Tensor frozen(std::size_t unit, const model::ParameterUnit::Place& place,
                      std::int64_t elements) const;
    /// Copies this device's share from the gathered unit.
    void keepShare(std::size_t unit);
    /// Collects the gradients of this parameter with those of its unit from now on. The parameter must live
    /// as long as this object.
    void learn(const at::Tensor& parameter, std::size_t unit, const model::ParameterUnit::Place& place);

    /// Gathers the units outside of layers. Call it before a forward pass.
    void gatherOutside();
    /// Gathers a layer. Call it before the layer's forward pass.
    void enterLayer(std::size_t layer);
    /// Reduces the gradients of a layer. Call it after the layer's backward pass, and before that of the
    /// layer below, which it gathers if layers use the same buffer.
    void leaveLayer(std::size_t layer);
    /// Reduces all gradients that have not been reduced yet. Call it after a backward pass.
    void reduceAll();
    /// Drops all gradients.
    void clearGradients();

    static model::ParameterShares sharesOf(const std::vector<model::Parameter>& table,
                                           const ParameterSharing& sharing);
    /// Returns the bytes of each tensor that holds values, shares of trained parameters first, without making
    /// any.
    static std::vector<std::int64_t> valueBytes(const std::vector<model::Parameter>& table,
                                                const ParameterHolding& holding);

private:
    class CollectsGradient;

    struct Learning
    {
        /// Full gradients of the unit, in the order in which its trained parameters are gathered; undefined
        /// except in its backward pass.
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
    /// Shares of all codes, in bytes.
    at::Tensor m_codes;
    at::Tensor m_gathered;
    at::Tensor m_frozenGathered;
    /// Views of the same memory whose changes autograd does not see: what is kept of a layer for its backward
    /// pass is gathered again when the backward pass comes to it.
    at::Tensor m_gatheredUnseen;
    at::Tensor m_frozenGatheredUnseen;
    /// One for each unit.
    std::vector<Learning> m_learning;
    /// Full gradients of the layer that was reduced last: in a real run its reduction would still be under
    /// way.
    at::Tensor m_reducing;
};

} // namespace batchpeak::network
