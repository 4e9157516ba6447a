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

/// What devices share in a phase: in evaluation there are parameters alone, and a single device shares
/// nothing.
Sharding sharingIn(Phase phase, const StepOptions& options);
/// Each gradient is gone when its parameter has stepped. What devices share is not run so: its gradients are
/// collected, and step together.
bool updatesInBackward(Phase phase, const StepOptions& options);

/// Gradients are shared, and parameters are held in shares beside what of them is gathered.
inline bool gathersParameters(Sharding sharing)
{
    return sharing == Sharding::Gradients || sharing == Sharding::Parameters;
}

/// What one of so many devices keeps of as many elements or bytes, padded so that all keep the same.
std::int64_t shareOf(std::int64_t elements, std::int64_t devices);

/// Parameters that are cut together: they lie one behind the other where they are gathered, and a device
/// keeps a piece of that.
struct UnitStretch
{
    /// Where they are gathered, from the beginning of their unit's buffer.
    std::int64_t first = 0;
    std::int64_t elements = 0;
    /// In the buffer of the shares of all units.
    std::int64_t firstOfShare = 0;
    std::int64_t share = 0;

    /// Of a share what is not padding.
    std::int64_t own() const { return std::min(elements, share); }
};

/// Parameters that are gathered at once: a layer, or one parameter outside of layers.
struct ParameterUnit
{
    /// A row of the table, and where it begins in the unit's buffer.
    struct Place
    {
        std::size_t row = 0;
        std::int64_t first = 0;
    };

    std::vector<Place> trained;
    std::vector<Place> frozen;
    std::vector<std::size_t> quantized;
    /// Of the trained ones; weight decay acts on the first alone.
    UnitStretch decaying;
    UnitStretch undecayed;
    UnitStretch frozenStretch;
    /// The unit whose gathered memory it has: itself, or an earlier one of the same shapes.
    std::size_t lender = 0;
    /// Where that begins, of trained and of frozen parameters.
    std::int64_t gatheredFirst = 0;
    std::int64_t frozenGatheredFirst = 0;

    std::int64_t trainedElements() const { return decaying.elements + undecayed.elements; }
};

/// How one of several devices holds the parameters of a network that they share: a share of each unit, and
/// full parameters of the units in use. Parameters outside of layers stay gathered through a step, as those
/// of FSDP's root do. Of layers two are gathered, the one in use and the next one, so that layers of the same
/// shapes take turns in two buffers, each kind in two of its own: wait_for_unshard and pre_backward in
/// torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py of PyTorch 2.11; of FSDP 1 backward_prefetch and
/// limit_all_gathers, by their defaults in fully_sharded_data_parallel.py. Sizes of DeepSpeed's buckets are
/// not heeded.
///
/// Where gradients are shared and parameters are not (ZeRO-2, SHARD_GRAD_OP), all layers stay gathered.
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
    /// Of full gradients that are there at once: those of a layer and of the one that is being reduced
    /// (reduce_scatter_state of post_backward, in the same file), and those of all parameters outside of
    /// layers.
    std::int64_t fullGradients() const;
};

/// \param sharing  Gradients or Parameters
ParameterShares parameterShares(const std::vector<Parameter>& table, Sharding sharing, std::int64_t devices);

} // namespace batchpeak::model
