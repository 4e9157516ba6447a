// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "parameter.h"
#include "run_kind.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace batchpeak::model {

/// Returns what devices shard in a phase: evaluation has only parameters, and a single device shards nothing.
Sharding sharingIn(Phase phase, const StepOptions& options);
/// Whether the backward pass updates each parameter and then drops its gradient. False if devices shard:
/// their gradients are collected, and all parameters step together.
bool updatesInBackward(Phase phase, const StepOptions& options);

/// Whether gradients are sharded, and parameters are held as shards beside those that are gathered.
inline bool gathersParameters(Sharding sharing)
{
    return sharing == Sharding::Gradients || sharing == Sharding::Parameters;
}

/// Returns how many of \p elements (or bytes) one of \p devices keeps, padded so that all keep the same
/// number.
std::int64_t shareOf(std::int64_t elements, std::int64_t devices);

/// Parameters that are sharded together: they are contiguous where they are gathered, and a device keeps one
/// piece of them.
struct UnitStretch
{
    /// Offset of the gathered parameters in their unit's buffer.
    std::int64_t first = 0;
    std::int64_t elements = 0;
    /// Offset of the share in the buffer that holds the shares of all units.
    std::int64_t firstOfShare = 0;
    std::int64_t share = 0;

    /// Elements of the share without padding.
    std::int64_t own() const { return std::min(elements, share); }
};

/// Parameters that are gathered together: a layer, or one parameter outside of layers.
struct ParameterUnit
{
    /// A row of the table, and its offset in the unit's buffer.
    struct Place
    {
        std::size_t row = 0;
        std::int64_t first = 0;
    };

    std::vector<Place> trained;
    std::vector<Place> frozen;
    std::vector<std::size_t> quantized;
    /// Trained parameters with weight decay, and those without.
    UnitStretch decaying;
    UnitStretch undecayed;
    UnitStretch frozenStretch;
    /// Index of the unit whose gathered memory this one uses: itself, or an earlier unit with the same
    /// shapes.
    std::size_t lender = 0;
    /// Offsets of that memory in the gathered buffers of trained and of frozen parameters.
    std::int64_t gatheredFirst = 0;
    std::int64_t frozenGatheredFirst = 0;

    std::int64_t trainedElements() const { return decaying.elements + undecayed.elements; }
};

/// How one of several devices holds the parameters of a network that they shard: a share of each unit, and
/// the full parameters of the units in use. Parameters outside of layers stay gathered throughout a step, as
/// those of FSDP's root do. Two layers are gathered at a time, the one in use and the next one, so that
/// layers with the same shapes alternate between two buffers; each kind of layer has two of its own. See
/// wait_for_unshard and pre_backward in torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py of PyTorch
/// 2.11, and for FSDP 1 the defaults of backward_prefetch and limit_all_gathers in
/// fully_sharded_data_parallel.py. The sizes of DeepSpeed's buckets are ignored.
///
/// If gradients are sharded and parameters are not (ZeRO-2, SHARD_GRAD_OP), all layers stay gathered.
struct ParameterShares
{
    /// Layers in the order of the forward pass, then what is outside of them.
    std::vector<ParameterUnit> units;
    std::size_t layers = 0;
    /// Elements of the shares of all units.
    std::int64_t decayingShare = 0;
    std::int64_t undecayedShare = 0;
    std::int64_t frozenShare = 0;
    /// Elements of all gathered buffers.
    std::int64_t gathered = 0;
    std::int64_t frozenGathered = 0;

    std::int64_t trainedShare() const { return decayingShare + undecayedShare; }
    /// Elements of the full gradients that exist at once: those of a layer and of the one that is being
    /// reduced (reduce_scatter_state of post_backward, in the same file), and those of all parameters outside
    /// of layers.
    std::int64_t fullGradients() const;
};

/// \param sharing  Gradients or Parameters
ParameterShares parameterShares(const std::vector<Parameter>& table, Sharding sharing, std::int64_t devices);

} // namespace batchpeak::model
