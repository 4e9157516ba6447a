// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/quantized_matrix.h"
#include "model/parameter_table.h"
#include "model/run_kind.h"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace batchpeak::network {

struct NamedTensor
{
    std::string name;
    at::Tensor tensor;
};

class ShardedParameters;

/// How devices share parameters and gradients.
struct ParameterSharing
{
    std::int64_t devices = 2;
    /// Layers of the same shapes take turns in what they are gathered in; else all of them are gathered.
    bool takesTurns = true;
    /// Of gathered parameters that are trained and of full gradients, and of gathered ones that are frozen.
    at::ScalarType type = at::kFloat;
    at::ScalarType frozenType = at::kFloat;
};

/// How the parameters of a network are held.
struct ParameterHolding
{
    /// Of trained parameters and their gradients.
    at::ScalarType type = at::kFloat;
    /// Of frozen ones that are not quantized.
    at::ScalarType frozenType = at::kFloat;
    /// What the table was made with: of quantized matrices it says how, of adapters what they are scaled
    /// with.
    model::Tuning tuning = {};
    /// Weights of convolutions lie in memory channel by channel of a pixel.
    bool channelsLast = false;
    /// Nothing where this device holds all of them.
    std::optional<ParameterSharing> sharing = std::nullopt;
    /// No gradient outlives the step on its parameter (FlatParameters::setUpdate).
    bool updatesInBackward = false;
};

/// The parameters of a network: those that are trained as views into one buffer, and their gradients as views
/// into another, so that an optimizer step is one call and clearing the gradients another; those that stay as
/// they are in a buffer of their own, or as quantized matrices. Where devices share them, the buffers hold
/// the shares of this one, and parameters lie where they are gathered (ShardedParameters).
///
/// It decides where each parameter lies and what it starts from; it does not know what a parameter
/// is for.
class FlatParameters
{
public:
    /// A stretch of the buffers: what decays and what does not, or a parameter where each steps by itself.
    struct Segment
    {
        at::Tensor values;
        /// Undefined in evaluation, and where no gradients are kept.
        at::Tensor gradients;
        bool decays = false;
    };

    /// Elements of a segment that lie one behind the other, gaps included: all of embeddings, or none.
    struct Stretch
    {
        std::int64_t elements = 0;
        bool isEmbedding = false;
    };
    using Stretches = std::vector<Stretch>;

    /// With the number of a segment, and its gradient as one row, which is gone behind it.
    using Update = std::function<void(std::size_t, const at::Tensor&)>;

    /// Made on the device itself; on the meta device nothing is allocated. Random values come from
    /// the device's default generator.
    FlatParameters(std::vector<model::Parameter> table, model::Phase phase, c10::Device device,
                   const ParameterHolding& holding = {});

    const std::vector<model::Parameter>& table() const { return m_table; }
    const model::Tuning& tuning() const { return m_tuning; }

    /// \throws std::out_of_range  where the table names no such parameter, or it is quantized
    const at::Tensor& at(const std::string& name) const;
    /// It is there, and no quantized matrix.
    bool contains(const std::string& name) const;
    /// Lives as long as the parameters; null where there is no quantized matrix of that name.
    const QuantizedMatrix* quantized(const std::string& name) const;
    /// The row of the table; null where it has none of that name.
    const model::Parameter* rowOf(const std::string& name) const;
    /// Gives a parameter other values, in its shape; a quantized one is quantized anew.
    /// \throws std::logic_error  where devices share the parameters, of which this one holds no whole
    void set(const std::string& name, const at::Tensor& values);

    /// All trained parameters, in the order of the table.
    std::vector<NamedTensor> trained() const;
    /// Of a flat buffer as long as all segments together, such as an optimizer's moment: the stretch that
    /// belongs to each trained parameter, in its shape, under its name.
    std::vector<NamedTensor> stretchesOf(const at::Tensor& buffer) const;

    /// Elements of all parameters, without the gaps that align them.
    std::int64_t elements() const { return model::parameterCounts(m_table).all(); }
    const std::vector<Segment>& segments() const { return m_segments; }
    /// What each segment is made of.
    const std::vector<Stretches>& stretches() const { return m_stretches; }
    /// Devices share them: segments are of this one's share.
    bool areShared() const { return m_sharded != nullptr; }

    /// Forgets all gradients: the next one of each parameter overwrites its stretch of the buffer, those
    /// after it are added. Filling the buffer with zeros and adding to them would read and write it once
    /// more. Nothing to do in evaluation.
    void clearGradients();
    /// Zeroes the gradients of parameters that no backward pass has reached since they were cleared:
    /// before the buffer is read.
    void completeGradients();

    /// What a step tells of where it is, for parameters that are shared: before a forward pass, before that
    /// of a layer, behind the backward pass of a layer, and behind all of it. Nothing to do for others.
    void gatherOutside();
    void enterLayer(std::size_t layer);
    void leaveLayer(std::size_t layer);
    void reduceGradients();

    /// Called in backward, where no gradients are kept.
    void setUpdate(Update update);

    /// All gradients; undefined where none are kept.
    const at::Tensor& gradients() const { return m_gradients; }

    /// Of each segment, without making any. Shares of embeddings are not told from others.
    static std::vector<Stretches> segmentStretches(const std::vector<model::Parameter>& table,
                                                   const ParameterHolding& holding);
    /// Bytes of each tensor that holds values, those of the segments first, without making any.
    static std::vector<std::int64_t> valueBytes(const std::vector<model::Parameter>& table,
                                                const ParameterHolding& holding);

private:
    struct View
    {
        at::Tensor parameter;
        at::Tensor gradient;
        QuantizedMatrix quantized;
    };

    void makeTrained(model::Phase phase, at::Device device, const ParameterHolding& holding);
    void addSegment(const at::Tensor& values, std::int64_t first, std::int64_t elements, bool decays);
    void makeFrozen(at::Device device, const ParameterHolding& holding);
    void makeShared(model::Phase phase, at::Device device, const ParameterHolding& holding);
    void makeUnit(std::size_t index, at::Device device, bool trains, const ParameterHolding& holding);
    void quantize(std::size_t index, const at::Tensor& values);

    std::vector<model::Parameter> m_table;
    model::Tuning m_tuning;
    /// In the order of the table.
    std::vector<View> m_views;
    std::unordered_map<std::string, std::size_t> m_indexOf;
    std::vector<Segment> m_segments;
    std::vector<Stretches> m_stretches;
    at::Tensor m_gradients;
    /// Shared with the hooks of parameters, which outlive a move of this.
    std::shared_ptr<Update> m_update;
    /// Null where this device holds all.
    std::shared_ptr<ShardedParameters> m_sharded;
};

} // namespace batchpeak::network
