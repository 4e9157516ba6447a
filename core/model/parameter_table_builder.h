// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "layer_kind.h"
#include "parameter.h"

#include <cstdint>
#include <string>
#include <vector>

namespace batchpeak::model {

/// Collects the parameters of a network in their order, each kind with its way to start and to decay.
class ParameterTableBuilder
{
public:
    using Shape = std::vector<std::int64_t>;

    void weight(std::string name, Shape shape);
    void bias(std::string name, std::int64_t size);
    void scale(std::string name, std::int64_t size);
    /// name.weight, and name.bias for LayerNorm.
    void normalization(const std::string& name, std::int64_t size, Normalization kind);
    /// name.weight {outputs, inputs}, and name.bias where there is one.
    void linear(const std::string& name, std::int64_t outputs, std::int64_t inputs, bool withBias);

    std::vector<Parameter> take() { return std::move(m_parameters); }

private:
    std::vector<Parameter> m_parameters;
};

} // namespace batchpeak::model
