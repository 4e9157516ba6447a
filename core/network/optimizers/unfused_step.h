// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace batchpeak::network {

/// The step of AdamW operation by operation, as torch.optim.AdamW takes it for who does not ask for `fused`:
/// _multi_tensor_adam in optim/adam.py of torch 2.11, which is its choice where all parameters are on a GPU,
/// and _single_tensor_adam elsewhere; or as Composer's DecoupledAdamW does, which asks the device for the
/// count of steps of each parameter (composer/optim/decoupled_weight_decay.py of Composer 0.32).
///
/// What PyTorch makes within a step, roots of the second moments, is asked for before the first change, so
/// that running out of memory cannot leave some of the parameters updated: one by one, in a room for the
/// largest that lasts for a step; together, where each operation makes its own, as memory that goes back to
/// the allocator and is at hand there a moment later. (Of 16 bits on the CPU, a number that an operation
/// takes is a tensor of two bytes to PyTorch. That is the exception.)
class UnfusedStep
{
public:
    /// Parameters that are stepped on together, each with its gradient and moments in its own layout.
    struct Group
    {
        std::vector<at::Tensor> values;
        std::vector<at::Tensor> gradients;
        std::vector<at::Tensor> firstMoments;
        std::vector<at::Tensor> secondMoments;
        bool decays = false;
    };

    struct Rates
    {
        double learningRate = 0.0;
        double firstMomentDecay = 0.0;
        double secondMomentDecay = 0.0;
        double stabilizer = 0.0;
        double weightDecay = 0.0;
    };

    enum class Way { Together, OneByOne, Decoupled };

    UnfusedStep(std::vector<Group> groups, const Rates& rates, Way way);

    /// \param stepCount  steps done before, which it counts up; on the CPU, as PyTorch has it, since a number
    ///                   of each step is computed of it there
    void run(const at::Tensor& stepCount) const;

private:
    /// What a step makes of its number.
    struct Corrections
    {
        double stepSize = 0.0;
        /// The root of what the second moment is to be divided by.
        double rootOfSecond = 1.0;
    };

    void admitRoots() const;
    Corrections correctionsOf(double step) const;
    void stepTogether(const Group& group, const Corrections& corrections) const;
    void stepOneByOne(double step, const std::vector<at::Tensor>& rooms) const;
    void stepDecoupled(at::Tensor counts, const std::vector<at::Tensor>& rooms) const;
    void change(const Group& group, std::size_t index, const Corrections& corrections,
                const std::vector<at::Tensor>& rooms) const;
    std::vector<at::Tensor> makeRooms() const;
    std::int64_t parameters() const;

    std::vector<Group> m_groups;
    Rates m_rates;
    Way m_way;
};

} // namespace batchpeak::network
