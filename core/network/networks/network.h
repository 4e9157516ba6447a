// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/attention.h"
#include "layer_operations.h"
#include "token_loss.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace batchpeak::network {

/// One micro-batch: the inputs of the network and its targets. The first dimension of every tensor counts
/// samples.
struct Batch
{
    std::vector<at::Tensor> inputs;
    /// int64; ignoredTarget for targets that are not counted.
    at::Tensor targets;
    /// bool {samples, length} for sequences of several lengths: false at the padding at a sequence's end,
    /// which attention leaves out, as in training runs that pad. Undefined if all sequences have the same
    /// length, and if samples are no sequences.
    at::Tensor attentionMask;
    /// Number of targets that the loss counts.
    std::int64_t countedTargets = 0;

    /// Returns the same batch on a device; tensors that are already there are shared. A copy from pinned
    /// memory does not wait.
    Batch to(at::Device device) const;
    /// Returns some of the samples, sharing the memory. The loss must count the same number of targets for
    /// each sample.
    Batch slice(std::int64_t first, std::int64_t samples) const;
};

/// A target that the loss leaves out, as torch's cross entropy does by default.
inline constexpr std::int64_t ignoredTarget = -100;

/// One sample of training data, before a network makes inputs and targets of it.
struct SampleRow
{
    /// Seed of everything random about the sample, which is the same in any micro-batch.
    std::uint64_t key = 0;
    /// tokensPerRow() tokens, with data::noToken at the end of a shorter sample. Empty if the network takes
    /// none.
    std::vector<std::int64_t> tokens;
};

/// A moment of a step, between two layers.
struct LayerSeam
{
    /// The layer that runs next, or whose backward pass has ended: counted from 0, over the parameter table's
    /// layers. Nothing after the last layer, and for networks whose layers are unknown.
    std::optional<std::size_t> layer;
    bool isBackward = false;
};

struct NetworkOptions
{
    at::Device device = at::kCPU;
    /// Tokens of the longest sample; 0 if samples are no sequences.
    std::int64_t sequenceLength = 0;
    /// Dtype of parameters, and of what goes with them: images, running statistics.
    at::ScalarType parameterType = at::kFloat;
    /// Length of the decoder's sequence, if it reads one of its own.
    std::int64_t targetLength = 0;
    /// Dtype of products, so that tensors that autocast has narrowed are not widened again.
    at::ScalarType computeType = at::kFloat;
    /// Whether grouped-query attention repeats keys and values, for kernels that cannot share them. Where
    /// kernels can, sharing takes half the memory and 0.6 to 0.9 of the time (measured on the CPU, 16 heads
    /// on 4 keys).
    bool repeatsKeys = false;
    /// Whether dropout is active, and batch normalization updates its statistics.
    bool trains = false;
    /// Whether layers keep their inputs alone, and run again in the backward pass.
    bool checkpoints = false;
    /// Whether the network trains adapters. With checkpoints, the first layer's inputs then require a
    /// gradient although nothing before them is trained (enable_input_require_grads() of transformers,
    /// without which the layer would keep nothing to train by).
    bool trainsAdapters = false;
    /// See LossCut.
    std::int64_t lossChunkRows = 0;
    bool recomputesLossChunks = false;
    std::int64_t lossParts = 1;
    /// Whether masks tell attention what to leave out (model::takesMasks). Otherwise padding stays, which
    /// costs less than another kernel would, and packed texts are split.
    bool takesMasks = true;
    /// Number of tokens of each text that a sample is packed of; 0 if it is one text.
    std::int64_t packedTextLength = 0;
    /// Whether images lie in memory in the channels_last format.
    bool channelsLast = false;
};

/// The forward pass of one network, from a micro-batch to the loss, as eager PyTorch would run it.
///
/// It decides which operations run. Precision is decided by the caller's autocast, memory by the owner of the
/// parameters, and what happens with the loss by the step.
class Network
{
public:
    explicit Network(const NetworkOptions& options) : m_options(options) {}
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;
    virtual ~Network() = default;

    /// Sets a callback that is called before every layer in the forward pass, and after every layer's
    /// gradient in the backward pass, there on autograd's thread. It may throw, which ends the step.
    void setBetweenLayers(std::function<void(LayerSeam)> callback) { m_betweenLayers = std::move(callback); }

    /// Makes random samples from the device's default generator.
    ///
    /// \param sequenceLength  tokens of each sample, from 1 to the options' length; ignored if samples are no
    ///        sequences
    virtual Batch makeBatch(std::int64_t samples, std::int64_t sequenceLength) const = 0;
    /// Whether it uses the attention mask of a batch.
    virtual bool takesAttentionMask() const { return false; }

    /// Returns the number of tokens in a row of training data; 0 if samples are no tokens: images, and the
    /// inputs of a module from a file.
    virtual std::int64_t tokensPerRow() const = 0;
    /// Returns the number that tokens are below; 0 if tokensPerRow() is 0.
    virtual std::int64_t vocabularySize() const = 0;
    /// Returns a micro-batch of these samples, at least one. Tokens are on the host, in pinned memory if the
    /// device is a GPU; anything else is on the device. Shorter samples are padded to the options' length, so
    /// that every micro-batch of a size takes the memory of the longest samples.
    ///
    /// Random floats that a GPU makes are the same on GPUs of one kind.
    virtual Batch batchOf(std::span<const SampleRow> rows) const = 0;
    /// Returns the number of targets that the loss counts in these samples, without making a batch.
    virtual std::int64_t countedTargets(std::span<const SampleRow> rows) const = 0;

    /// Returns the sum of the loss over all counted targets [nats], divided by \p normalizer: a scalar.
    /// Micro-batches of one global batch have its number of counted targets as normalizer; their gradients
    /// then add up to the global batch's.
    virtual at::Tensor loss(const Batch& batch, double normalizer) const = 0;

    /// Returns the kernel that computed attention first since forgetAttention(); nothing if none has run.
    std::optional<model::Attention> attentionKernel() const { return m_attentionKernel; }
    void forgetAttention() { m_attentionKernel.reset(); }

    /// Sets whether dropout is active and batch normalization updates its statistics, from the next loss on.
    void setTrains(bool trains) { m_options.trains = trains; }
    /// Returns the state of the network itself that a forward pass of training changes: the running
    /// statistics of batch normalization. Empty for most networks.
    virtual std::vector<at::Tensor> statistics() const { return {}; }

protected:
    /// A part of the network whose inputs activation checkpointing keeps.
    using Layer = std::function<at::Tensor(const std::vector<at::Tensor>& inputs)>;

    /// Calls the callback of setBetweenLayers(), then runs one layer.
    ///
    /// \param index  index of the layer, as in LayerSeam
    /// \param layer  everything that it refers to must outlive the backward pass, where activation
    ///        checkpointing runs it again
    /// \param inputs  the hidden state first, then every other tensor that requires a gradient and is no
    ///        parameter. If none requires one, because everything before the layer is frozen, the layer keeps
    ///        what its own parameters need, even with activation checkpointing.
    at::Tensor throughLayer(std::size_t index, const Layer& layer,
                            const std::vector<at::Tensor>& inputs) const;
    /// Calls the callback without running a layer, as after the last layer.
    void askBetweenLayers(const at::Tensor& hidden, std::optional<std::size_t> layer = std::nullopt) const;

    /// Calls linear(), with dropout before adapters if the network trains.
    at::Tensor projected(const at::Tensor& input, const Affine& affine) const
    {
        return linear(input, affine, m_options.trains);
    }
    LossCut lossCut() const
    {
        return {.chunkRows = m_options.lossChunkRows,
                .recomputes = m_options.recomputesLossChunks,
                .parts = m_options.lossParts,
                .trains = m_options.trains};
    }
    /// Calls attention(), and remembers which kernel computed it.
    at::Tensor attend(const AttentionInputs& inputs) const;

    const NetworkOptions& options() const { return m_options; }

private:
    NetworkOptions m_options;
    std::function<void(LayerSeam)> m_betweenLayers;
    mutable std::optional<model::Attention> m_attentionKernel;
};

} // namespace batchpeak::network
