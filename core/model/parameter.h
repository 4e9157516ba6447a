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

/// Initial values of a parameter. They do not affect the speed, but must keep the results of a step finite.
enum class Initialization { Normal, Zeros, Ones };

/// Rows of a matrix that form one projection.
struct ProjectionRows
{
    Projection projection = Projection::Query;
    std::int64_t rows = 0;
};

/// Alignment of each parameter that is held in full [bytes]. It is the same as for memory of its own
/// (cudaMalloc's alignment), so that products run on the same kernels.
inline constexpr std::int64_t parameterAlignmentBytes = 256;

/// How a parameter is stored and whether it is trained.
enum class ParameterRole {
    Trained,
    /// Not trained: no gradient, no optimizer state.
    Frozen,
    /// A frozen matrix in the quantized format of Tuning::frozenWeights.
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
    /// Whether it is a lookup table, an nn.Embedding in transformers.
    bool isEmbedding = false;
    /// Projections in the rows of a matrix that can have adapters, from the first row to the last.
    std::vector<ProjectionRows> projections = {};
    /// Whether the original network also has its projections as one matrix, instead of one matrix each.
    bool isJoined = false;
    ParameterRole role = ParameterRole::Trained;

    bool isTrained() const { return role == ParameterRole::Trained; }
    std::int64_t elements() const;
};

/// Returns the numbers of rows of the original network's matrices in place of this one; empty if it is one
/// matrix there too.
std::vector<std::int64_t> separateRows(const Parameter& parameter);

/// Returns the shapes of the original network's parameters in place of this one, in the order of its rows;
/// its own shape if it is one parameter there too.
std::vector<std::vector<std::int64_t>> separateShapes(const Parameter& parameter);

/// Returns the rows of the first product of a feed-forward layer: gate over value if it is gated.
std::vector<ProjectionRows> feedForwardInput(Activation activation, std::int64_t feedForwardSize);

/// Collects the parameters of a network in their order, each kind with its initialization and weight decay.
class ParameterTableBuilder
{
public:
    using Shape = std::vector<std::int64_t>;

    void weight(std::string name, Shape shape);
    void embedding(std::string name, std::int64_t rows, std::int64_t width);
    void bias(std::string name, std::int64_t size);
    /// Adds name.weight, and name.bias for LayerNorm.
    void normalization(const std::string& name, std::int64_t size, Normalization kind);
    /// Adds name.weight {outputs, inputs}, and name.bias if \p withBias.
    void linear(const std::string& name, std::int64_t outputs, std::int64_t inputs, bool withBias);
    /// Does the same for projections that are computed together; their rows are the outputs.
    void linear(const std::string& name, std::vector<ProjectionRows> projections, std::int64_t inputs,
                bool withBias);
    /// Adds the weight of one projection under \p name itself.
    void projection(std::string name, Projection projection, Shape shape);

    std::vector<Parameter> take() { return std::move(m_parameters); }

private:
    void scale(std::string name, std::int64_t size);

    std::vector<Parameter> m_parameters;
};

} // namespace batchpeak::model
