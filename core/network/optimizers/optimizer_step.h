// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "adafactor.h"
#include "flat_parameters.h"
#include "lion.h"
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

/// What an optimizer is and how it holds its state.
struct OptimizerChoice
{
    model::Optimizer kind = model::Optimizer::AdamW;
    /// Of parameters of 16 bits: fp32 master weights and moments; else moments have 16 bits too, where the
    /// kind of optimizer does not say otherwise.
    bool keepsMasters = true;
    bool stateOnHost = false;
    /// Of AdamW, operation by operation only of no masters, and of no state on the host; of other kinds
    /// without meaning.
    model::AdamWStep adamWStep = model::AdamWStep::Fused;
    bool isFused() const { return adamWStep == model::AdamWStep::Fused; }
    /// Of SGD.
    bool keepsMomentum = true;
    /// Moments of few bits have all of them where they are those of embeddings; only where devices share
    /// none.
    bool wideEmbeddingMoments = false;
    /// Devices that share the state: this one has a part of it, and steps on that part alone.
    std::int64_t shards = 1;
    /// Above 0, all gradients together are scaled down to it where they are longer.
    double maxGradientNorm = 0.0;
    /// Gradients are those of a loss that LossScale multiplies.
    bool scalesLoss = false;
};

/// One optimizer step over all trained parameters in one call a segment, gradients cleared after it; or of an
/// AdamW that is not fused, parameter by parameter or in lists of them (UnfusedStep), of which devices that
/// share something have stretches for parameters.
///
/// Parameters of 16 bits with fp32 master weights: the step changes those and then rounds; their gradients
/// are widened piece by piece, as moments are that lie in few bits or in the host's memory, and parameters
/// themselves beside moments that are wider. All its state exists from the start, and with full numbers on
/// the device a step allocates nothing before its last change, so that running out of memory cannot leave
/// some of the parameters updated. Adafactor goes parameter by parameter, and takes what a step needs before
/// its first change. It steps on those that the network of the run has, which may be parts of ours; but where
/// devices share parameters or state, and with master weights, on all of a segment as one vector, as
/// DeepSpeed does, whose optimizers have flat groups (stage_1_and_2.py and bf16_optimizer.py in runtime of
/// DeepSpeed 0.16). The rates are those of common training runs: they do not change the speed, but must keep
/// the numbers finite.
///
/// Where no gradients are kept (ParameterHolding::updatesInBackward), backward steps on one parameter after
/// the other, as it does in such runs, and what ends it half-way leaves some of them updated.
class OptimizerStep
{
public:
    /// GPT-3 Medium's, arXiv 2005.14165, table 2.1.
    static constexpr double defaultLearningRate = 3e-4;

    /// \param parameters  made for training; outlive this
    OptimizerStep(const OptimizerChoice& choice, FlatParameters& parameters,
                  double learningRate = defaultLearningRate);

    void run();
    /// The last run() changed nothing but the scale of the loss, since gradients were infinite. Waits for the
    /// device.
    bool hasLeftOutStep() const;

    /// What backward is to begin with.
    at::Tensor scaled(const at::Tensor& loss) const { return m_lossScale ? m_lossScale->scaled(loss) : loss; }

    /// Where backward steps: before each of them, and from the hook of a parameter.
    void beginUpdates();
    void update(std::size_t segment, const at::Tensor& gradient);

    /// All that a step changes beside the parameters, under torch.optim's names: flat buffers as long as the
    /// parameters' (FlatParameters::stretchesOf) where they have full numbers and are not shared, and the
    /// count of steps, a scalar.
    std::vector<NamedTensor> state() const;

    /// Bytes of each tensor on the device that it holds for these parameters between steps, gaps included.
    static std::vector<std::int64_t> stateBytes(const OptimizerChoice& choice,
                                                const std::vector<model::Parameter>& table,
                                                const ParameterHolding& holding);

private:
    /// A stretch of parameters that one call updates; all are views.
    struct Piece
    {
        at::Tensor values;
        /// Undefined where none are kept.
        at::Tensor gradients;
        /// What the call works on; the same as values where there are no masters.
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
    /// Undefined where there are none.
    at::Tensor m_masters;
    /// Of the piece under way, in fp32; undefined where parameters are.
    at::Tensor m_wideValues;
    at::Tensor m_wideGradients;
    /// For each moment, where a step works on copies.
    std::vector<at::Tensor> m_rooms;
    /// Of Lion alone: the update of a piece.
    at::Tensor m_updateRoom;
    std::vector<Piece> m_pieces;
    /// Of each segment, the number of its first piece; behind the last, of all pieces.
    std::vector<std::size_t> m_firstPieces;
    Lion m_lion;
    /// In the place of pieces and moments.
    std::optional<Adafactor> m_adafactor;
    /// In the place of pieces.
    std::optional<UnfusedStep> m_unfused;
    /// Nothing where the loss is not scaled.
    std::optional<LossScale> m_lossScale;
    /// Steps done, one float32 on the device; on the CPU where operations of a step are told of it.
    at::Tensor m_stepCount;
};

} // namespace batchpeak::network
