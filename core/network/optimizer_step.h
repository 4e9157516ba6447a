// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "flat_parameters.h"
#include "model/run_kind.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::network {

/// One optimizer step over all parameters in one call a segment, gradients cleared after it.
///
/// Parameters of 16 bits have fp32 master weights, which the step changes and then rounds; their gradients
/// are widened piece by piece. All its state exists from the start and a step allocates nothing before its
/// last change, so that running out of memory cannot leave some of the parameters updated. The rates are
/// those of common training runs: they do not change the speed, but must keep the numbers finite.
class OptimizerStep
{
public:
    /// GPT-3 Medium's, arXiv 2005.14165, table 2.1.
    static constexpr double defaultLearningRate = 3e-4;

    /// \param parameters  made for training; outlive this
    /// \param maxGradientNorm  above 0, all gradients together are scaled down to it where they are longer
    OptimizerStep(model::Optimizer kind, FlatParameters& parameters, double maxGradientNorm = 0.0,
                  double learningRate = defaultLearningRate);

    void run();

    /// All that a step changes beside the parameters, under torch.optim's names: flat buffers as long as the
    /// parameters' (FlatParameters::stretchesOf), and the count of steps, a scalar.
    std::vector<NamedTensor> state() const;

    /// Bytes of each tensor that it holds for so many elements of parameters, gaps included.
    static std::vector<std::int64_t> stateBytes(model::Optimizer kind, std::int64_t elements,
                                                at::ScalarType type);

private:
    /// A stretch of parameters that one call updates; all are views, fp32 but for 16-bit parameters.
    struct Piece
    {
        at::Tensor values;
        at::Tensor gradients;
        /// What the call works on; the same as values and gradients where those are fp32.
        at::Tensor masterValues;
        at::Tensor masterGradients;
        at::Tensor firstMoment;
        at::Tensor secondMoment;
        bool decays = false;
    };

    void addPieces(const FlatParameters::Segment& segment, std::int64_t offset);
    void clip();
    void update(const Piece& piece);

    model::Optimizer m_kind;
    FlatParameters& m_parameters;
    double m_maxGradientNorm;
    double m_learningRate;
    std::vector<at::Tensor> m_moments;
    /// Undefined where parameters are fp32.
    at::Tensor m_masters;
    at::Tensor m_wideGradients;
    std::vector<Piece> m_pieces;
    /// Steps done, one float32 on the device.
    at::Tensor m_stepCount;
};

} // namespace batchpeak::network
