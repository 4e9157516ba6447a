// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "layer_kind.h"
#include "tuning.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace batchpeak::model {

/// How a parameter starts: the values do not change the speed, but they must keep a step finite.
enum class Initialization { Normal, Zeros, Ones };

/// Rows of a matrix that are one projection.
struct ProjectionRows
{
    Projection projection = Projection::Query;
    std::int64_t rows = 0;
};

/// Each parameter that is held in full begins at a multiple of so much, as memory of its own would
/// (cudaMalloc's alignment), so that products run on the same kernels.
inline constexpr std::int64_t parameterAlignmentBytes = 256;

/// How a parameter lies in memory.
enum class ParameterRole {
    Trained,
    /// As it is: no gradient, no optimizer state.
    Frozen,
    /// A frozen matrix in the narrow numbers of Tuning::frozenWeights.
    Quantized
};

/// One parameter of a network. Matrices are stored as {outputs, inputs}. The projections that one
/// product computes together are one matrix: query, key and value heads stacked in that order
/// ("attention.qkv"), gate over value of a gated feed-forward layer ("feed_forward.up").
struct Parameter
{
    std::string name;
    std::vector<std::int64_t> shape;
    Initialization initialization = Initialization::Normal;
    /// Weight matrices and embeddings decay; biases and normalization weights do not
    /// (GPT-3, arXiv 2005.14165, appendix B; nanoGPT).
    bool decays = true;
    /// Rows that are looked up, of an nn.Embedding in transformers.
    bool isEmbedding = false;
    /// Of a matrix that adapters can stand beside: its rows, from the first to the last.
    std::vector<ProjectionRows> projections = {};
    /// The network has its projections as one matrix, as ours does, and not each as one of its own.
    bool isJoined = false;
    ParameterRole role = ParameterRole::Trained;

    bool isTrained() const { return role == ParameterRole::Trained; }
    std::int64_t elements() const;
};

/// Rows of the matrices that the network has in the place of this one; empty where it is one there too.
std::vector<std::int64_t> separateRows(const Parameter& parameter);

/// Shapes of the parameters that the network has in the place of this one, in the order of its rows; its own
/// where it is one there too.
std::vector<std::vector<std::int64_t>> separateShapes(const Parameter& parameter);

/// Rows of the first product of a feed-forward layer: gate over value of a gated one.
std::vector<ProjectionRows> feedForwardInput(Activation activation, std::int64_t feedForwardSize);

/// Collects the parameters of a network in their order, each kind with its way to start and to decay.
class ParameterTableBuilder
{
public:
    using Shape = std::vector<std::int64_t>;

    void weight(std::string name, Shape shape);
    void embedding(std::string name, std::int64_t rows, std::int64_t width);
    void bias(std::string name, std::int64_t size);
    /// name.weight, and name.bias for LayerNorm.
    void normalization(const std::string& name, std::int64_t size, Normalization kind);
    /// name.weight {outputs, inputs}, and name.bias where there is one.
    void linear(const std::string& name, std::int64_t outputs, std::int64_t inputs, bool withBias);
    /// The same of projections that are computed together: their rows are the outputs.
    void linear(const std::string& name, std::vector<ProjectionRows> projections, std::int64_t inputs,
                bool withBias);
    /// The same of one, of any name.
    void projection(std::string name, Projection projection, Shape shape);

    std::vector<Parameter> take() { return std::move(m_parameters); }

private:
    void scale(std::string name, std::int64_t size);

    std::vector<Parameter> m_parameters;
};

} // namespace batchpeak::model
