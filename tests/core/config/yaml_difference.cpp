// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "yaml_difference.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>

namespace batchpeak::config {

namespace {

/// Returns the children of a node by key or index.
std::map<std::string, YAML::Node> childrenOf(const YAML::Node& node)
{
    std::map<std::string, YAML::Node> children;
    for (std::size_t i = 0; node.IsSequence() && i < node.size(); ++i)
        children.emplace(std::to_string(i), node[i]);
    for (auto entry = node.begin(); node.IsMap() && entry != node.end(); ++entry)
        children.emplace(YAML::Dump(entry->first), entry->second);
    return children;
}

void collect(const YAML::Node& before, const YAML::Node& after, const std::string& path,
             std::vector<std::string>& changed)
{
    const bool isScalar = before.IsScalar() || before.IsNull();
    const bool isEqual = before.Type() == after.Type() && before.Tag() == after.Tag() &&
                         (!before.IsScalar() || before.Scalar() == after.Scalar());
    if (isScalar || !isEqual) {
        if (!isEqual)
            changed.push_back(path);
        return;
    }
    const auto from = childrenOf(before);
    const auto to = childrenOf(after);
    for (const auto& [key, child] : from) {
        const std::string place = path.empty() ? key : path + "." + key;
        if (to.contains(key))
            collect(child, to.at(key), place, changed);
        else
            changed.push_back(place);
    }
    for (const auto& [key, child] : to) {
        if (!from.contains(key))
            changed.push_back(path.empty() ? key : path + "." + key);
    }
}

} // namespace

std::optional<std::vector<std::string>> changedPaths(const std::string& before, const std::string& after)
{
    YAML::Node from;
    try {
        from = YAML::Load(before);
    } catch (const YAML::Exception&) {
        return std::nullopt;
    }
    std::vector<std::string> changed;
    collect(from, YAML::Load(after), {}, changed);
    return changed;
}

} // namespace batchpeak::config
