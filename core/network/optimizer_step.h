// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "flat_parameters.h"
#include "run_kind.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace batchpeak::network {

/// One optimizer step over all parameters in one call a segment, gradients cleared after it.
///
/// All its state exists from the start and a step allocates nothing before its last change, so that
/// running out of memory cannot leave some of the parameters updated. The rates are those of common
/// training runs: they do not change the speed, but must keep the numbers finite.
class OptimizerStep
{
public:
    /// \param parameters  made for training; outlive this
    OptimizerStep(model::Optimizer kind, FlatParameters& parameters);

    void run();

private:
    struct State
    {
        at::Tensor first;
        at::Tensor second;
    };

    void runAdamW();
    void runSgd();

    model::Optimizer m_kind;
    FlatParameters& m_parameters;
    std::vector<at::Tensor> m_buffers;
    std::vector<State> m_states;
    /// Steps done, one float32 on the device; shared by the segments.
    at::Tensor m_stepCount;
};

} // namespace batchpeak::network
