// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace batchpeak::network {

/// The unfused step of AdamW, operation by operation as torch.optim.AdamW takes it unless the user asks for
/// `fused`: _multi_tensor_adam in optim/adam.py of torch 2.11, which is its choice if all parameters are on a
/// GPU, and _single_tensor_adam otherwise; or as Composer's DecoupledAdamW takes it, which reads the count of
/// steps of each parameter from the device (composer/optim/decoupled_weight_decay.py of Composer 0.32).
///
/// The roots of the second moments, which PyTorch allocates within a step, are allocated here before the
/// first change, so that running out of memory cannot leave some of the parameters updated. One by one, they
/// take buffers for the largest parameter that last for a step. Together, where each operation allocates its
/// own, the memory is allocated and returned to the allocator, which has it at hand a moment later. (There is
/// an exception: for 16 bits on the CPU, PyTorch turns a number that an operation takes into a tensor of two
/// bytes.)
class UnfusedStep
{
public:
    /// Parameters that are updated together, each with its gradient and moments in its own layout.
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

    /// \param stepCount  number of steps done before, which is incremented; it lies on the CPU, as in
    ///        PyTorch, because each step computes a number from it there
    void run(const at::Tensor& stepCount) const;

private:
    /// Numbers that a step computes from its count.
    struct Corrections
    {
        double stepSize = 0.0;
        /// Root of the number that the second moment is to be divided by.
        double rootOfSecond = 1.0;
    };

    void admitRoots() const;
    Corrections correctionsOf(double step) const;
    void stepTogether(const Group& group, const Corrections& corrections) const;
    void stepOneByOne(double step, const std::vector<at::Tensor>& rooms) const;
    void stepDecoupled(const at::Tensor& counts, const std::vector<at::Tensor>& rooms) const;
    void change(const Group& group, std::size_t index, const Corrections& corrections,
                const std::vector<at::Tensor>& rooms) const;
    std::vector<at::Tensor> makeRooms() const;
    std::int64_t parameters() const;

    std::vector<Group> m_groups;
    Rates m_rates;
    Way m_way;
};

} // namespace batchpeak::network
