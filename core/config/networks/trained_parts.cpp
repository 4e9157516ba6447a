// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "trained_parts.h"

#include "approximations.h"
#include "model/parameter_table.h"
#include "module_names.h"
#include "name_pattern.h"
#include "unmodeled_features.h"

#include <algorithm>
#include <map>

namespace batchpeak::config {

namespace {

// Each parameter of a network is compared with all parts; 126 layers of LLaMA have about 900 parameters.
constexpr std::size_t maxParts = 4000;

/// One of our parameters, and the names of the parameters in transformers that it consists of.
struct OwnParameter
{
    std::string own;
    std::vector<std::string> names;
    /// Number of the names that are trained, for each layer, or once for a parameter outside of layers.
    std::vector<std::size_t> trained;
    /// First layer that has the parameter.
    std::size_t firstLayer = 0;

    bool isIn(std::size_t layer) const { return layer >= firstLayer && layer < trained.size(); }
    bool isWhole(std::size_t layer) const { return trained[layer] == names.size(); }
    bool isPart(std::size_t layer) const { return trained[layer] > 0 && !isWhole(layer); }
    /// Returns the prefix of a layer: "encoder.layers.{}."; empty outside of layers.
    std::string prefix() const
    {
        const std::size_t mark = own.find(layerMark);
        return mark == std::string::npos ? "" : own.substr(0, mark + layerMark.size() + 1);
    }
};

bool isEmbeddingAgain(const NamedParameter& parameter, const std::vector<NamedParameter>& all)
{
    return parameter.own == "output.weight" && std::ranges::any_of(all, [](const NamedParameter& other) {
               return other.own == "embed_tokens.weight";
           });
}

std::vector<OwnParameter> grouped(const std::vector<NamedParameter>& parameters, bool leavesOutputOut)
{
    std::vector<OwnParameter> groups;
    for (const NamedParameter& parameter : parameters) {
        if (leavesOutputOut && isEmbeddingAgain(parameter, parameters))
            continue;
        auto group = std::ranges::find(groups, parameter.own, &OwnParameter::own);
        if (group == groups.end()) {
            const auto layers = static_cast<std::size_t>(std::max<std::int64_t>(1, parameter.layers));
            group =
                groups.insert(groups.end(), {.own = parameter.own,
                                             .trained = std::vector<std::size_t>(layers),
                                             .firstLayer = static_cast<std::size_t>(parameter.firstLayer)});
        }
        group->names.push_back(parameter.name);
    }
    return groups;
}

void count(std::vector<OwnParameter>& groups, const std::function<bool(std::string_view)>& isTrained)
{
    for (OwnParameter& group : groups) {
        for (std::size_t layer = group.firstLayer; layer < group.trained.size(); ++layer) {
            group.trained[layer] =
                static_cast<std::size_t>(std::ranges::count_if(group.names, [&](const std::string& name) {
                    return isTrained(nameOfLayer(name, static_cast<std::int64_t>(layer)));
                }));
        }
    }
}

class PartsWriter
{
public:
    explicit PartsWriter(const std::vector<OwnParameter>& groups) : m_groups(groups)
    {
        for (const OwnParameter& group : groups)
            m_layers[group.prefix()].push_back(&group);
    }

    TrainedParts written()
    {
        m_result.isAll = true;
        for (const OwnParameter& group : m_groups) {
            const std::string prefix = group.prefix();
            if (prefix.empty())
                write(group, 0);
            else if (m_layers.at(prefix).front() == &group)
                writeLayers(prefix);
        }
        return std::move(m_result);
    }

private:
    void writeLayers(const std::string& prefix)
    {
        std::size_t layers = 0;
        for (const OwnParameter* group : m_layers.at(prefix))
            layers = std::max(layers, group->trained.size());
        for (std::size_t layer = 0; layer < layers; ++layer) {
            if (isWholeLayer(prefix, layer)) {
                add(nameOfLayer(prefix, static_cast<std::int64_t>(layer)));
                continue;
            }
            for (const OwnParameter* group : m_layers.at(prefix))
                write(*group, layer);
        }
    }

    void write(const OwnParameter& group, std::size_t layer)
    {
        if (!group.isIn(layer))
            return;
        m_result.hasPartsOfMatrices = m_result.hasPartsOfMatrices || group.isPart(layer);
        if (group.trained[layer] == 0)
            m_result.isAll = false;
        else
            add(nameOfLayer(group.own, static_cast<std::int64_t>(layer)));
    }

    bool isWholeLayer(const std::string& prefix, std::size_t layer) const
    {
        return std::ranges::all_of(m_layers.at(prefix), [layer](const OwnParameter* group) {
            return !group->isIn(layer) || group->isWhole(layer);
        });
    }

    void add(std::string part)
    {
        if (m_result.parts.size() >= maxParts)
            throw NamePatternError("names more parts of the network than are told apart here", false);
        m_result.parts.push_back(std::move(part));
    }

    const std::vector<OwnParameter>& m_groups;
    std::map<std::string, std::vector<const OwnParameter*>> m_layers;
    TrainedParts m_result;
};

TrainedParts partsAmong(const std::vector<NamedModule>& modules, const model::ModelSpec& spec,
                        const std::function<bool(std::string_view)>& isTrained, SharedOutput shared)
{
    const auto table = model::parameterTable(spec);
    const bool sharesOutput =
        std::ranges::find(table, "output.weight", &model::Parameter::name) == table.end();
    std::vector<OwnParameter> groups =
        grouped(parametersOf(modules, spec), sharesOutput && shared == SharedOutput::IsEmbedding);
    count(groups, isTrained);
    return PartsWriter(groups).written();
}

} // namespace

TrainedParts trainedPartsOf(const model::ModelSpec& spec,
                            const std::function<bool(std::string_view)>& isTrained, SharedOutput shared)
{
    TrainedParts parts = partsAmong(modulesOf(spec), spec, isTrained, shared);
    // Many configs use the names of transformers 4.
    if (const auto older = olderModulesOf(spec); parts.parts.empty() && !older.empty())
        return partsAmong(older, spec, isTrained, shared);
    return parts;
}

model::Tuning tuningOfParts(const model::ModelSpec& spec,
                            const std::function<bool(std::string_view)>& isTrained, const NamedValue& value,
                            model::FrozenWeights frozenWeights, std::vector<Warning>& warnings)
{
    const std::vector<NamedModule> modules = modulesOf(spec);
    if (modules.empty()) {
        refusePartialTraining(value.position,
                              sentence("a part of the network {} ({})", spec.family, value.path));
    }
    TrainedParts parts =
        withPatternsOf(value, [&] { return trainedPartsOf(spec, isTrained, SharedOutput::IsEmbedding); });
    if (parts.parts.empty()) {
        throw errorAt(value.position,
                      "The value of {} names no parameter of the network, a {}, so nothing would be trained; "
                      "write names such as {}.",
                      value.path, spec.family, parametersOf(modules, spec).front().name);
    }
    if (parts.hasPartsOfMatrices)
        warnOfPartsOfMatrices(value.position, warnings);
    if (parts.isAll)
        return {};
    return {.trainedParts = std::move(parts.parts), .frozenWeights = frozenWeights};
}

void warnOfPartsOfMatrices(TextPosition position, std::vector<Warning>& warnings)
{
    warnOfApproximation(warnings, position, approximation::partsOfMatrices,
                        "The run trains some of the matrices that trials have as one, as they have those of "
                        "queries, keys and values; trials train the whole of it.");
}

} // namespace batchpeak::config
