// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "flat_parameters.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace batchpeak::network {

/// The step of Adafactor (arXiv 1804.04235) on one parameter after the other, with the same operations as
/// Adafactor.step in optimization.py of transformers 5.23, without a first moment. For matrices it keeps
/// means of rows and columns of squared gradients, for vectors the squares. The size of a step is the
/// learning rate (scale_parameter and relative_step are off, as in Trainer), and there is no weight decay.
///
/// transformers allocates temporaries for each parameter, several times as large as the parameter, and frees
/// them after it. Here they are buffers for the largest parameter, which are allocated before a step's first
/// change and freed after its last: the peak is the same, and running out of memory cannot leave some of the
/// parameters updated.
class Adafactor
{
public:
    using Shape = std::vector<std::int64_t>;

    struct Target
    {
        at::Tensor values;
        at::Tensor gradients;
        /// fp32 master weights, if values have fewer bits and the master weights keep what they round away;
        /// otherwise undefined.
        at::Tensor masters;
    };

    /// \param stateOnHost  whether the state is in the host's memory between steps
    Adafactor(std::vector<Target> targets, double learningRate, bool stateOnHost);

    /// \param stepCount  number of steps done before; run() increments it
    void run(const at::Tensor& stepCount);

    /// Returns one tensor of each kind, for all parameters together.
    std::vector<NamedTensor> state() const;

    /// Returns the bytes of each tensor on the device that is held between steps for parameters of these
    /// shapes.
    static std::vector<std::int64_t> stateBytes(const std::vector<Shape>& shapes, bool stateOnHost);

private:
    struct Entry
    {
        Target target;
        /// Views into the state: rows and columns for a matrix, squares for a vector.
        at::Tensor rows;
        at::Tensor columns;
        at::Tensor squares;
        /// Factors that turn a norm of all elements into a root mean square, and the sums of a row and of a
        /// column into means.
        float perRoot = 0.0F;
        float perRow = 0.0F;
        float perColumn = 0.0F;
    };
    /// Buffers of one step.
    struct Room
    {
        at::Tensor update;
        at::Tensor other;
        at::Tensor wideValues;
        at::Tensor wideGradients;
        at::Tensor rows;
        at::Tensor columns;
        at::Tensor means;
        at::Tensor squares;
        at::Tensor keptRows;
        at::Tensor keptColumns;
        /// Scalars: the root of a mean of squares, and the weight of a new square.
        at::Tensor root;
        at::Tensor weight;
        /// Freed before the first change.
        at::Tensor spare;
    };

    void makeState(bool stateOnHost);
    Room makeRoom() const;
    void step(const Entry& entry, const Room& room) const;
    void factor(const Entry& entry, const at::Tensor& squares, at::Tensor update, const Room& room) const;

    std::vector<Entry> m_entries;
    at::Tensor m_rows;
    at::Tensor m_columns;
    at::Tensor m_squares;
    float m_learningRate;
    bool m_stateOnHost;
};

} // namespace batchpeak::network
