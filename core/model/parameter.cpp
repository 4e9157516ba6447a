// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "parameter.h"

#include <functional>
#include <numeric>
#include <utility>

namespace batchpeak::model {

std::int64_t Parameter::elements() const
{
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::vector<std::int64_t> separateRows(const Parameter& parameter)
{
    std::vector<std::int64_t> rows;
    if (parameter.isJoined || parameter.projections.size() < 2)
        return rows;
    for (const ProjectionRows& projection : parameter.projections)
        rows.push_back(projection.rows);
    return rows;
}

std::vector<std::vector<std::int64_t>> separateShapes(const Parameter& parameter)
{
    const std::vector<std::int64_t> rows = separateRows(parameter);
    if (rows.empty() || std::reduce(rows.begin(), rows.end()) != parameter.shape.front())
        return {parameter.shape};
    std::vector<std::vector<std::int64_t>> shapes;
    for (const std::int64_t count : rows) {
        shapes.push_back(parameter.shape);
        shapes.back().front() = count;
    }
    return shapes;
}

std::vector<ProjectionRows> feedForwardInput(Activation activation, std::int64_t feedForwardSize)
{
    if (isGated(activation))
        return {{Projection::Gate, feedForwardSize}, {Projection::Up, feedForwardSize}};
    return {{Projection::Up, feedForwardSize}};
}

void ParameterTableBuilder::weight(std::string name, Shape shape)
{
    m_parameters.push_back({.name = std::move(name), .shape = std::move(shape)});
}

void ParameterTableBuilder::embedding(std::string name, std::int64_t rows, std::int64_t width)
{
    m_parameters.push_back({.name = std::move(name), .shape = {rows, width}, .isEmbedding = true});
}

void ParameterTableBuilder::bias(std::string name, std::int64_t size)
{
    m_parameters.push_back(
        {.name = std::move(name), .shape = {size}, .initialization = Initialization::Zeros, .decays = false});
}

void ParameterTableBuilder::scale(std::string name, std::int64_t size)
{
    m_parameters.push_back(
        {.name = std::move(name), .shape = {size}, .initialization = Initialization::Ones, .decays = false});
}

void ParameterTableBuilder::normalization(const std::string& name, std::int64_t size, Normalization kind)
{
    scale(name + ".weight", size);
    if (kind == Normalization::LayerNorm)
        bias(name + ".bias", size);
}

void ParameterTableBuilder::linear(const std::string& name, std::int64_t outputs, std::int64_t inputs,
                                   bool withBias)
{
    weight(name + ".weight", {outputs, inputs});
    if (withBias)
        bias(name + ".bias", outputs);
}

void ParameterTableBuilder::linear(const std::string& name, std::vector<ProjectionRows> projections,
                                   std::int64_t inputs, bool withBias)
{
    std::int64_t outputs = 0;
    for (const ProjectionRows& part : projections)
        outputs += part.rows;
    weight(name + ".weight", {outputs, inputs});
    m_parameters.back().projections = std::move(projections);
    if (withBias)
        bias(name + ".bias", outputs);
}

void ParameterTableBuilder::projection(std::string name, Projection projection, Shape shape)
{
    const std::int64_t outputs = shape.front();
    weight(std::move(name), std::move(shape));
    m_parameters.back().projections = {{projection, outputs}};
}

} // namespace batchpeak::model
