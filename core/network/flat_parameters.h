// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/parameter_table.h"
#include "model/run_kind.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace batchpeak::network {

struct NamedTensor
{
    std::string name;
    at::Tensor tensor;
};

/// The parameters of a network as views into one buffer, and their gradients as views into
/// another, so that an optimizer step is one call and clearing the gradients another.
///
/// It decides where each parameter lies and what it starts from; it does not know what a parameter
/// is for.
class FlatParameters
{
public:
    /// A stretch of the buffers. Weight decay acts on the first segment alone.
    struct Segment
    {
        at::Tensor values;
        /// Undefined in evaluation.
        at::Tensor gradients;
        bool decays = false;
    };

    /// Made on the device itself; on the meta device nothing is allocated. Random values come from
    /// the device's default generator.
    ///
    /// \param type  of parameters and gradients
    /// \param channelsLast  weights of convolutions lie in memory channel by channel of a pixel
    FlatParameters(const std::vector<model::Parameter>& table, model::Phase phase, c10::Device device,
                   at::ScalarType type = at::kFloat, bool channelsLast = false);

    /// \throws std::out_of_range  where the table names no such parameter
    const at::Tensor& at(const std::string& name) const;
    bool contains(const std::string& name) const;

    /// All parameters, in the order of the table.
    std::vector<NamedTensor> named() const;
    /// Of a flat buffer as long as all segments together, such as an optimizer's moment: the stretch that
    /// belongs to each parameter, in its shape, under its name.
    std::vector<NamedTensor> stretchesOf(const at::Tensor& buffer) const;

    /// Elements of the parameters, without the gaps that align them.
    std::int64_t elements() const;
    const std::vector<Segment>& segments() const { return m_segments; }

    /// Forgets all gradients: the next one of each parameter overwrites its stretch of the buffer, those
    /// after it are added. Filling the buffer with zeros and adding to them would read and write it once
    /// more. Nothing to do in evaluation.
    void clearGradients();
    /// Zeroes the gradients of parameters that no backward pass has reached since they were cleared:
    /// before the buffer is read.
    void completeGradients();
    /// All gradients; undefined in evaluation.
    const at::Tensor& gradients() const { return m_gradients; }

    /// Elements of one buffer, gaps included.
    static std::int64_t bufferElements(const std::vector<model::Parameter>& table,
                                       at::ScalarType type = at::kFloat);

private:
    struct View
    {
        at::Tensor parameter;
        at::Tensor gradient;
    };

    std::vector<View> m_views;
    std::unordered_map<std::string, std::size_t> m_indexOf;
    std::vector<Segment> m_segments;
    at::Tensor m_gradients;
};

} // namespace batchpeak::network
