// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "flat_parameters.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace batchpeak::network {

/// The step of Adafactor (arXiv 1804.04235) on parameters one by one, operation by operation as
/// Adafactor.step in optimization.py of transformers 5.23 has it, without a first moment: of matrices it
/// keeps means of rows and columns of squared gradients, of vectors the squares. The size of a step is what
/// it is told (scale_parameter and relative_step are off, as Trainer has them), and nothing decays.
///
/// What transformers makes of each parameter and gives back behind it, as large as the parameter several
/// times over, is here a room for the largest, which is taken before a step's first change and given back
/// behind its last: the peak is the same, and running out of memory cannot leave some of the parameters
/// updated.
class Adafactor
{
public:
    using Shape = std::vector<std::int64_t>;

    struct Target
    {
        at::Tensor values;
        at::Tensor gradients;
        /// In fp32, where values have fewer bits and what they round away is kept; else undefined.
        at::Tensor masters;
    };

    /// \param stateOnHost  in its memory between steps
    Adafactor(std::vector<Target> targets, double learningRate, bool stateOnHost);

    /// \param stepCount  steps done before, which it counts up
    void run(const at::Tensor& stepCount);

    /// One tensor of each kind for all parameters.
    std::vector<NamedTensor> state() const;

    /// Bytes of each tensor on the device that it holds between steps for parameters of these shapes.
    static std::vector<std::int64_t> stateBytes(const std::vector<Shape>& shapes, bool stateOnHost);

private:
    struct Entry
    {
        Target target;
        /// Views into what is kept; the first two of a matrix, the last of a vector.
        at::Tensor rows;
        at::Tensor columns;
        at::Tensor squares;
        /// One over numbers of elements: of the root of all, of a row, of a column.
        float perRoot = 0.0F;
        float perRow = 0.0F;
        float perColumn = 0.0F;
    };
    /// Of a step.
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
        /// Scalars: the root of a mean of squares, and how much a new square counts.
        at::Tensor root;
        at::Tensor weight;
        /// Given back before the first change.
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
