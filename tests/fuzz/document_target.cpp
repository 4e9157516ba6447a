// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz_target.h"
#include "syntax/config_section.h"
#include "syntax/entry_change.h"
#include "syntax/json_text.h"
#include "syntax/text_check.h"
#include "syntax/yaml_edit.h"

namespace batchpeak::fuzz {

namespace {

using config::NodeKind;
using config::YamlDocument;
using config::YamlNode;

void checkNode(const YamlDocument& document, const YamlNode& node)
{
    require(node.begin <= node.end && node.end <= document.text().size(), "a node lies in its text");
    require(&document.nodes()[node.index] == &node, "a node knows its place");
    require(node.index < node.indexAfter && node.indexAfter <= document.nodes().size(), "a node has an end");
    require(!node.parent || node.parent->children[node.place] == &node, "a parent knows its children");
    require(node.kind != NodeKind::Alias || node.target->index < node.index,
            "an alias has an earlier target");
    require(node.kind != NodeKind::Mapping || node.children.size() % 2 == 0, "keys have values");
    const config::TextPosition position = document.positionOf(node);
    const config::TextPosition counted = config::positionIn(document.text(), node.begin);
    require(position == counted && position.line >= 1 && position.column >= 1, "a node has a position");
}

/// Reads every value of a mapping with every reader, by the rules of a dialect, with or without
/// interpolations.
void readMapping(const YamlDocument& document, const YamlNode& mapping, config::Dialect dialect)
{
    const config::ConfigSection section(document, mapping, "here", dialect);
    for (const std::string_view key : section.keys()) {
        mayRefuse<config::ConfigError>([&] { section.has(key); });
        mayRefuse<config::ConfigError>([&] { section.integer(key); });
        mayRefuse<config::ConfigError>([&] { section.number(key); });
        mayRefuse<config::ConfigError>([&] { section.boolean(key); });
        mayRefuse<config::ConfigError>([&] { section.text(key); });
        mayRefuse<config::ConfigError>([&] { section.integers(key); });
        mayRefuse<config::ConfigError>([&] { section.sections(key); });
        mayRefuse<config::ConfigError>([&] { spliceEntry(section, key, "7", {}); });
    }
    mayRefuse<config::ConfigError>(
        [&] { spliceEntry(section, "a_new_key", "7", section.keys().empty() ? "" : section.keys().back()); });
}

void editSequence(const YamlDocument& document, const YamlNode& sequence)
{
    mayRefuse<config::ConfigError>([&] { applied(document, insertItem(document, sequence, "7")); });
}

} // namespace

void run(std::string_view text)
{
    require(config::asYamlReadsIt(text).size() == text.size(), "JSON keeps its places");
    mayRefuse<config::ConfigError>([&] { requireJson(text, config::JsonComments::Allowed); });
    mayRefuse<config::ConfigError>([&] {
        const YamlDocument document{std::string(text)};
        // Each edit parses the text again, so only a few are tried.
        int edited = 0;
        for (const YamlNode& node : document.nodes()) {
            checkNode(document, node);
            if (node.kind == NodeKind::Scalar || ++edited > 4)
                continue;
            if (node.kind == NodeKind::Sequence)
                editSequence(document, node);
            if (node.kind != NodeKind::Mapping)
                continue;
            readMapping(document, node, config::Dialect::PyYaml);
            readMapping(document, node, config::Dialect::OmegaConf);
        }
    });
}

} // namespace batchpeak::fuzz
