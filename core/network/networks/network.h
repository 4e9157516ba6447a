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

/// One micro-batch: what the network takes, and what it should have said. The first dimension of every tensor
/// counts samples.
struct Batch
{
    std::vector<at::Tensor> inputs;
    /// int64; ignoredTarget where nothing is counted.
    at::Tensor targets;
    /// bool {samples, length} of sequences of several lengths: false where one is padded, at its end, which
    /// attention leaves out, as trainers do who pad. Undefined where all are as long, and of no sequences.
    at::Tensor attentionMask;
    /// Targets that the loss counts.
    std::int64_t countedTargets = 0;

    /// The same on a device; what lies there already is shared. A copy from pinned memory does not wait.
    Batch to(at::Device device) const;
    /// Some of the samples, sharing the memory, where the loss counts the same number of targets for each.
    Batch slice(std::int64_t first, std::int64_t samples) const;
};

/// A target that the loss leaves out, as torch's cross entropy does by default.
inline constexpr std::int64_t ignoredTarget = -100;

/// One sample of training data, before a network makes inputs and targets of it.
struct SampleRow
{
    /// Of everything random about the sample: it is the same in whatever micro-batch it lies.
    std::uint64_t key = 0;
    /// As many as tokensPerRow, data::noToken at the end of a shorter sample. Empty where the network takes
    /// none.
    std::vector<std::int64_t> tokens;
};

/// A moment of a step, between two layers.
struct LayerSeam
{
    /// That runs next, or whose backward pass has ended: counted from 0, over the parameter table's layers.
    /// Nothing behind the last one, and of networks whose layers nobody knows.
    std::optional<std::size_t> layer;
    bool isBackward = false;
};

struct NetworkOptions
{
    at::Device device = at::kCPU;
    /// Tokens of the longest sample; 0 where samples are no sequences.
    std::int64_t sequenceLength = 0;
    /// Of parameters, and of what goes with them: images, running statistics.
    at::ScalarType parameterType = at::kFloat;
    /// Of the decoder's sequence, where it reads one of its own.
    std::int64_t targetLength = 0;
    /// Of products, so that what autocast has narrowed is not widened on the way.
    at::ScalarType computeType = at::kFloat;
    /// Grouped-query attention by repeated keys and values, for kernels that cannot share them:
    /// sharing takes half the memory and 0.6 to 0.9 of the time where they can (measured on the
    /// CPU, 16 heads on 4 keys).
    bool repeatsKeys = false;
    /// Dropout is active, and batch normalization learns its statistics.
    bool trains = false;
    /// Layers keep their inputs alone, and run again in backward.
    bool checkpoints = false;
    /// Of a network that trains adapters: with checkpoints, the first layer's inputs get a gradient though
    /// nothing before them is trained (enable_input_require_grads() of transformers, without which the layer
    /// would keep nothing to train by).
    bool trainsAdapters = false;
    /// See LossCut.
    std::int64_t lossChunkRows = 0;
    bool recomputesLossChunks = false;
    std::int64_t lossParts = 1;
    /// Attention is told by masks what to leave out (model::takesMasks). Where it is not, padding stays,
    /// which costs less than another kernel would, and packed texts are cut apart.
    bool takesMasks = true;
    /// Tokens of each of the texts that a sample is packed of; 0: it is one text.
    std::int64_t packedTextLength = 0;
    /// Images lie in memory channel by channel of a pixel.
    bool channelsLast = false;
};

/// The forward pass of one network, from a micro-batch to the loss, as eager PyTorch would run it.
///
/// It decides which operations run; precision is the caller's autocast, memory the parameters'
/// owner's, and what happens with the loss is the step's.
class Network
{
public:
    explicit Network(const NetworkOptions& options) : m_options(options) {}
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;
    virtual ~Network() = default;

    /// Asked before every layer forward, and after every layer's gradient backward, there on the
    /// thread of autograd. It may throw, which ends the step.
    void setBetweenLayers(std::function<void(LayerSeam)> callback) { m_betweenLayers = std::move(callback); }

    /// Random samples from the device's default generator.
    ///
    /// \param sequenceLength  tokens of each, from 1 to the options' length; without meaning where
    ///        samples are no sequences
    virtual Batch makeBatch(std::int64_t samples, std::int64_t sequenceLength) const = 0;
    /// Whether it heeds the attention mask of a batch.
    virtual bool takesAttentionMask() const { return false; }

    /// Tokens that it wants in a row of training data; 0 where its samples are no tokens: images, and the
    /// inputs of a module from a file.
    virtual std::int64_t tokensPerRow() const = 0;
    /// Tokens are below this; 0 where tokensPerRow is.
    virtual std::int64_t vocabularySize() const = 0;
    /// A micro-batch of these samples, at least one: of tokens on the host, in pinned memory where the device
    /// is a GPU; of anything else on the device. Shorter ones are padded to the options' length, so that
    /// every micro-batch of a size takes the memory that the longest samples would.
    ///
    /// On a GPU, what is random about floats is the same on GPUs of one kind.
    virtual Batch batchOf(std::span<const SampleRow> rows) const = 0;
    /// Targets that the loss counts in these samples, without a batch of them.
    virtual std::int64_t countedTargets(std::span<const SampleRow> rows) const = 0;

    /// The sum of the loss over all counted targets [nats], divided by \p normalizer: a scalar.
    /// Micro-batches of one global batch share its number of counted targets as normalizer; their
    /// gradients then add up to the global batch's.
    virtual at::Tensor loss(const Batch& batch, double normalizer) const = 0;

    /// What computed attention the first time since forgetAttention(); nothing where none has run.
    std::optional<model::Attention> attentionKernel() const { return m_attentionKernel; }
    void forgetAttention() { m_attentionKernel.reset(); }

    /// Whether dropout is active and batch normalization learns, from the next loss on.
    void setTrains(bool trains) { m_options.trains = trains; }
    /// What a forward pass of training changes in the network itself: the running statistics of batch
    /// normalization. Empty for most.
    virtual std::vector<at::Tensor> statistics() const { return {}; }

protected:
    /// A part of the network that activation checkpointing keeps the inputs of.
    using Layer = std::function<at::Tensor(const std::vector<at::Tensor>& inputs)>;

    /// Runs one layer, and asks before it.
    ///
    /// \param index  as LayerSeam has it
    /// \param layer  what it refers to outlives backward, where activation checkpointing runs it again
    /// \param inputs  the hidden state first; every tensor that needs a gradient and is no parameter is among
    ///        them. Where none does, since all before the layer is frozen, the layer keeps what its own
    ///        parameters need, with activation checkpointing too.
    at::Tensor throughLayer(std::size_t index, const Layer& layer,
                            const std::vector<at::Tensor>& inputs) const;
    /// The question alone, where the last layer has ended.
    void askBetweenLayers(const at::Tensor& hidden, std::optional<std::size_t> layer = std::nullopt) const;

    /// As linear(), with dropout before adapters where the network trains.
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
    /// As attention(), and remembers which kernel it was.
    at::Tensor attend(const AttentionInputs& inputs) const;

    const NetworkOptions& options() const { return m_options; }

private:
    NetworkOptions m_options;
    std::function<void(LayerSeam)> m_betweenLayers;
    mutable std::optional<model::Attention> m_attentionKernel;
};

} // namespace batchpeak::network
