// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "parameter_table.h"

#include <functional>
#include <numeric>

namespace batchpeak::model {

namespace {

using Shape = std::vector<std::int64_t>;

class Table
{
public:
    void weight(std::string name, Shape shape)
    {
        m_parameters.push_back({.name = std::move(name), .shape = std::move(shape)});
    }
    void bias(std::string name, std::int64_t size)
    {
        m_parameters.push_back({.name = std::move(name),
                                .shape = {size},
                                .initialization = Initialization::Zeros,
                                .decays = false});
    }
    void scale(std::string name, std::int64_t size)
    {
        m_parameters.push_back({.name = std::move(name),
                                .shape = {size},
                                .initialization = Initialization::Ones,
                                .decays = false});
    }
    void normalization(const std::string& name, const ModelSpec& spec)
    {
        scale(name + ".weight", spec.hiddenSize);
        if (spec.normalization == Normalization::LayerNorm)
            bias(name + ".bias", spec.hiddenSize);
    }
    void linear(const std::string& name, std::int64_t outputs, std::int64_t inputs, bool withBias)
    {
        weight(name + ".weight", {outputs, inputs});
        if (withBias)
            bias(name + ".bias", outputs);
    }

    std::vector<Parameter> take() { return std::move(m_parameters); }

private:
    std::vector<Parameter> m_parameters;
};

} // namespace

std::int64_t Parameter::elements() const
{
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::vector<Parameter> parameterTable(const ModelSpec& spec)
{
    const std::int64_t headSize = spec.hiddenSize / spec.heads;
    const std::int64_t queries = spec.heads * headSize;
    const std::int64_t keys = spec.keyValueHeads * headSize;
    const bool gated = spec.activation == Activation::SwiGlu;

    Table table;
    table.weight("embed_tokens.weight", {spec.vocabularySize, spec.hiddenSize});
    if (spec.positionEmbedding == PositionEmbedding::Learned)
        table.weight("embed_positions.weight", {spec.maxPositions, spec.hiddenSize});
    for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
        const std::string prefix = "layers." + std::to_string(layer) + ".";
        table.normalization(prefix + "attention_norm", spec);
        table.linear(prefix + "attention.qkv", queries + 2 * keys, spec.hiddenSize, spec.attentionBias);
        table.linear(prefix + "attention.output", spec.hiddenSize, queries, spec.attentionOutputBias);
        table.normalization(prefix + "feed_forward_norm", spec);
        table.linear(prefix + "feed_forward.up", (gated ? 2 : 1) * spec.feedForwardSize, spec.hiddenSize,
                     spec.feedForwardBias);
        table.linear(prefix + "feed_forward.down", spec.hiddenSize, spec.feedForwardSize,
                     spec.feedForwardBias);
    }
    table.normalization("final_norm", spec);
    if (!spec.tiedEmbeddings)
        table.weight("output.weight", {spec.vocabularySize, spec.hiddenSize});
    if (spec.outputBias)
        table.bias("output.bias", spec.vocabularySize);
    return table.take();
}

std::int64_t parameterCount(const ModelSpec& spec)
{
    std::int64_t count = 0;
    for (const Parameter& parameter : parameterTable(spec))
        count += parameter.elements();
    return count;
}

} // namespace batchpeak::model
