// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "adafactor.h"
#include "flat_parameters.h"
#include "loss_scale.h"
#include "model/run_kind.h"
#include "optimizer_state.h"
#include "unfused_step.h"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::network {

/// The kind of an optimizer and how it holds its state.
struct OptimizerChoice
{
    model::Optimizer kind = model::Optimizer::AdamW;
    /// Whether parameters of 16 bits have fp32 master weights and moments. Otherwise moments have 16 bits
    /// too, unless the kind of optimizer says otherwise.
    bool keepsMasters = true;
    bool stateOnHost = false;
    /// How AdamW steps. It may be unfused only without master weights, and without state on the host. It has
    /// no meaning for other kinds.
    model::AdamWStep adamWStep = model::AdamWStep::Fused;
    bool isFused() const { return adamWStep == model::AdamWStep::Fused; }
    /// Whether SGD keeps momentum.
    bool keepsMomentum = true;
    /// Whether moments of embeddings are not quantized although other moments are; only if devices share
    /// nothing.
    bool wideEmbeddingMoments = false;
    /// Number of devices that share the state: this one has a part of it, and steps on that part alone.
    std::int64_t shards = 1;
    /// Maximum norm of all gradients together, to which longer ones are scaled down; 0 for none.
    double maxGradientNorm = 0.0;
    /// Whether gradients are those of a loss that LossScale multiplies.
    bool scalesLoss = false;
};

/// The step of Lion (arXiv 2302.06675, algorithm 1) on a stretch of parameters.
class Lion
{
public:
    explicit Lion(double learningRate);

    /// Changes values and moment without allocating anything. All tensors are in fp32 and of the same length.
    /// \param room  buffer of the same length; its contents are undefined afterwards
    void update(const at::Tensor& values, const at::Tensor& gradients, const at::Tensor& moment,
                at::Tensor room, bool decays) const;

private:
    double m_learningRate;
    /// The factor that weight decay multiplies a parameter by. A tensor refers to it during a call.
    float m_left;
};

/// An optimizer step over all trained parameters, in one call per segment, after which gradients are cleared.
/// An AdamW that is not fused steps parameter by parameter or on lists of parameters (UnfusedStep). If
/// devices share something, it steps on stretches instead of parameters.
///
/// If parameters of 16 bits have fp32 master weights, the step changes those and then rounds them to the
/// parameters. Their gradients are widened piece by piece. So are moments that are quantized or in the host's
/// memory, and parameters whose moments are wider than they are. All state exists from the start. If moments
/// are unquantized and on the device, a step allocates nothing before its last change, so that running out of
/// memory cannot leave some of the parameters updated.
///
/// Adafactor steps parameter by parameter, and allocates what a step needs before its first change. It steps
/// on the parameters that the original network has, which may be parts of ours. But if devices share
/// parameters or state, and with master weights, it steps on all of a segment as one vector, as in DeepSpeed,
/// whose optimizers have flat groups (stage_1_and_2.py and bf16_optimizer.py in runtime of DeepSpeed 0.16).
///
/// The learning rates are those of common training runs: they do not change the speed, but must keep the
/// numbers finite.
///
/// If no gradients are kept (ParameterHolding::updatesInBackward), the backward pass steps on one parameter
/// after the other, as in such training runs, and a failure halfway leaves some of them updated.
class OptimizerStep
{
public:
    /// Learning rate of GPT-3 Medium, arXiv 2005.14165, table 2.1.
    static constexpr double defaultLearningRate = 3e-4;

    /// \param parameters  must be made for training, and outlive this object
    OptimizerStep(const OptimizerChoice& choice, FlatParameters& parameters,
                  double learningRate = defaultLearningRate);

    void run();
    /// Whether the last run() changed nothing but the scale of the loss, because gradients were infinite.
    /// Waits for the device.
    bool hasLeftOutStep() const;

    /// Returns the loss that the backward pass must start from.
    at::Tensor scaled(const at::Tensor& loss) const { return m_lossScale ? m_lossScale->scaled(loss) : loss; }

    /// For updates in the backward pass: call beginUpdates() before each such pass, and update() from the
    /// hook of a parameter.
    void beginUpdates();
    void update(std::size_t segment, const at::Tensor& gradient);

    /// Returns everything that a step changes beside the parameters, under torch.optim's names. Moments are
    /// flat buffers as long as the parameters' (FlatParameters::stretchesOf()) if they are unquantized and
    /// not shared. The count of steps is a scalar.
    std::vector<NamedTensor> state() const;

    /// Returns the bytes of each tensor on the device that it holds for these parameters between steps, gaps
    /// included.
    static std::vector<std::int64_t> stateBytes(const OptimizerChoice& choice,
                                                const std::vector<model::Parameter>& table,
                                                const ParameterHolding& holding);

private:
    /// A stretch of parameters that one call updates; all tensors are views.
    struct Piece
    {
        at::Tensor values;
        /// Undefined if no gradients are kept.
        at::Tensor gradients;
        /// The values that the call works on: master weights, a copy in fp32, or the same as values.
        at::Tensor masterValues;
        bool decays = false;
    };

    void makeMoments(at::Device device, at::ScalarType type);
    void makePieces();
    void makeAdafactor();
    void makeUnfused();
    bool unscalesAllAtOnce() const;
    void stepOnAll();
    void clip();
    void step(std::size_t index, const at::Tensor& gradients);
    void change(std::size_t index, const at::Tensor& gradients);

    OptimizerChoice m_choice;
    FlatParameters& m_parameters;
    double m_learningRate;
    std::vector<OptimizerMoment> m_moments;
    /// Undefined if there are no master weights.
    at::Tensor m_masters;
    /// Values and gradients of the current piece in fp32; undefined if they are not widened.
    at::Tensor m_wideValues;
    at::Tensor m_wideGradients;
    /// One buffer for each moment, if a step works on copies.
    std::vector<at::Tensor> m_rooms;
    /// Buffer for the update of a piece, for Lion alone.
    at::Tensor m_updateRoom;
    std::vector<Piece> m_pieces;
    /// Index of the first piece of each segment, and in the end the number of all pieces.
    std::vector<std::size_t> m_firstPieces;
    Lion m_lion;
    /// Used instead of moments; it steps on the pieces or on parameters.
    std::optional<Adafactor> m_adafactor;
    /// Used instead of pieces.
    std::optional<UnfusedStep> m_unfused;
    /// Nothing if the loss is not scaled.
    std::optional<LossScale> m_lossScale;
    /// Number of steps done, one float32: on the device, or on the CPU for an unfused step, which computes
    /// numbers from it there.
    at::Tensor m_stepCount;
};

} // namespace batchpeak::network
