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
    /// Whether layers of the same shapes use the same gather buffer, one after the other; otherwise all of
    /// them are gathered.
    bool takesTurns = true;
    /// Dtypes of gathered trained parameters and full gradients, and of gathered frozen parameters.
    at::ScalarType type = at::kFloat;
    at::ScalarType frozenType = at::kFloat;
};

/// How the parameters of a network are held.
struct ParameterHolding
{
    /// Dtype of trained parameters and their gradients.
    at::ScalarType type = at::kFloat;
    /// Dtype of frozen parameters that are not quantized.
    at::ScalarType frozenType = at::kFloat;
    /// The tuning that the table was made with: it says how quantized matrices are quantized, and what
    /// adapters are scaled with.
    model::Tuning tuning = {};
    /// Whether weights of convolutions lie in memory in the channels_last format.
    bool channelsLast = false;
    /// Nothing if this device holds all parameters.
    std::optional<ParameterSharing> sharing = std::nullopt;
    /// Whether gradients do not outlive the step on their parameter (FlatParameters::setUpdate()).
    bool updatesInBackward = false;
};

/// The parameters of a network. The trained ones are views into one buffer, and their gradients views into
/// another, so that an optimizer step is one call and clearing the gradients another. The frozen ones are in
/// a buffer of their own, or are quantized matrices. If devices share the parameters, the buffers hold the
/// shares of this device, and the parameters are views into the memory that they are gathered in
/// (ShardedParameters).
///
/// It decides where each parameter lies and what its initial values are; it does not know what a parameter is
/// for.
class FlatParameters
{
public:
    /// A stretch of the buffers: all parameters with weight decay, all without, or a single parameter if each
    /// steps by itself.
    struct Segment
    {
        at::Tensor values;
        /// Undefined in evaluation, and if no gradients are kept.
        at::Tensor gradients;
        bool decays = false;
    };

    /// Consecutive elements of a segment, gaps included, that all belong to embeddings, or none of which do.
    struct Stretch
    {
        std::int64_t elements = 0;
        bool isEmbedding = false;
    };
    using Stretches = std::vector<Stretch>;

    /// Called with the index of a segment and its gradient as one row, which is freed after the call.
    using Update = std::function<void(std::size_t, const at::Tensor&)>;

    /// Makes the parameters on the device itself; on the meta device nothing is allocated. Random values come
    /// from the device's default generator.
    FlatParameters(std::vector<model::Parameter> table, model::Phase phase, c10::Device device,
                   const ParameterHolding& holding = {});

    const std::vector<model::Parameter>& table() const { return m_table; }
    const model::Tuning& tuning() const { return m_tuning; }

    /// \throws std::out_of_range  if the table has no such parameter, or if it is quantized
    const at::Tensor& at(const std::string& name) const;
    /// Whether there is a parameter of that name that is not a quantized matrix.
    bool contains(const std::string& name) const;
    /// Returns a matrix that lives as long as the parameters; null if there is no quantized matrix of that
    /// name.
    const QuantizedMatrix* quantized(const std::string& name) const;
    /// Returns the row of the table; null if it has none of that name.
    const model::Parameter* rowOf(const std::string& name) const;
    /// Sets the values of a parameter, in its shape; a quantized parameter is quantized again.
    /// \throws std::logic_error  if devices share the parameters, because this device then holds only a part
    void set(const std::string& name, const at::Tensor& values);

    /// Returns all trained parameters, in the order of the table.
    std::vector<NamedTensor> trained() const;
    /// Returns views into a flat buffer that is as long as all segments together, such as an optimizer's
    /// moment: for each trained parameter the stretch that belongs to it, with its shape and name.
    std::vector<NamedTensor> stretchesOf(const at::Tensor& buffer) const;

    /// Returns the number of elements of all parameters, without the gaps that align them.
    std::int64_t elements() const { return model::parameterCounts(m_table).all(); }
    const std::vector<Segment>& segments() const { return m_segments; }
    /// Returns the stretches of each segment.
    const std::vector<Stretches>& stretches() const { return m_stretches; }
    /// Whether devices share the parameters: then the segments are this device's share.
    bool areShared() const { return m_sharded != nullptr; }

    /// Drops all gradients: the next gradient of each parameter overwrites its stretch of the buffer, and
    /// later ones are added. Filling the buffer with zeros and adding to them would read and write it once
    /// more. Does nothing in evaluation.
    void clearGradients();
    /// Zeroes the gradients of parameters that no backward pass has reached since they were cleared. Call it
    /// before the buffer is read.
    void completeGradients();

    /// A step calls these for shared parameters: before a forward pass, before the forward pass of a layer,
    /// after the backward pass of a layer, and after the whole backward pass. They do nothing for other
    /// parameters.
    void gatherOutside();
    void enterLayer(std::size_t layer);
    void leaveLayer(std::size_t layer);
    void reduceGradients();

    /// Sets the function that the backward pass calls if no gradients are kept.
    void setUpdate(Update update);

    /// Returns all gradients; undefined if none are kept.
    const at::Tensor& gradients() const { return m_gradients; }

    /// Returns the stretches of each segment without making any. In shares, embeddings are not told from
    /// other parameters.
    static std::vector<Stretches> segmentStretches(const std::vector<model::Parameter>& table,
                                                   const ParameterHolding& holding);
    /// Returns the bytes of each tensor that holds values, those of the segments first, without making any.
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
    /// Views of the parameters, in the order of the table.
    std::vector<View> m_views;
    std::unordered_map<std::string, std::size_t> m_indexOf;
    std::vector<Segment> m_segments;
    std::vector<Stretches> m_stretches;
    at::Tensor m_gradients;
    /// Shared with the hooks of parameters, so that it stays in place if this object is moved.
    std::shared_ptr<Update> m_update;
    /// Null if this device holds all parameters.
    std::shared_ptr<ShardedParameters> m_sharded;
};

} // namespace batchpeak::network
