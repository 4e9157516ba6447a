// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_section.h"
#include "json_text.h"
#include "words.h"
#include "yaml_edit.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace batchpeak::config {

namespace {

/// The nodes of a text as strings, in the order of the text, so that two readings can be compared one by one.
using Reading = std::vector<std::string>;

/// String for null in any notation.
constexpr const char* nullText = "null";

/// Returns a value with its tag. yaml-cpp reports "?" or "!" if no tag is written.
std::string tagged(const std::string& value, const std::string& tag)
{
    return tag.empty() || tag == "?" || tag == "!" ? value : value + " with the tag " + tag;
}

/// Collects what yaml-cpp reads. Aliases are not expanded: the memory for a text of nested ones is
/// proportional to its bytes.
class ReadingHandler : public YAML::EventHandler
{
public:
    Reading take() { return std::move(m_reading); }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark&, YAML::anchor_t) override { m_reading.emplace_back(nullText); }
    void OnAlias(const YAML::Mark&, YAML::anchor_t anchor) override
    {
        m_reading.push_back("an alias of anchor " + std::to_string(anchor));
    }
    void OnScalar(const YAML::Mark&, const std::string& tag, YAML::anchor_t,
                  const std::string& value) override
    {
        m_reading.push_back(tagged("\"" + value + "\"", tag));
    }
    void OnSequenceStart(const YAML::Mark&, const std::string& tag, YAML::anchor_t,
                         YAML::EmitterStyle::value) override
    {
        m_reading.push_back(tagged("a list", tag));
    }
    void OnSequenceEnd() override { m_reading.emplace_back("the end of a list"); }
    void OnMapStart(const YAML::Mark&, const std::string& tag, YAML::anchor_t,
                    YAML::EmitterStyle::value) override
    {
        m_reading.push_back(tagged("a mapping", tag));
    }
    void OnMapEnd() override { m_reading.emplace_back("the end of a mapping"); }

private:
    Reading m_reading;
};

/// Replaces lone carriage returns, which end lines in PyYAML, but not in yaml-cpp.
std::string withLineFeeds(std::string text)
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'))
            text[i] = '\n';
    }
    return text;
}

/// Returns nothing if yaml-cpp cannot read the text.
std::optional<Reading> secondReading(const YamlDocument& document)
{
    try {
        std::istringstream text(
            withLineFeeds(document.isJson() ? asYamlReadsIt(document.text()) : document.text()));
        YAML::Parser parser(text);
        ReadingHandler handler;
        parser.HandleNextDocument(handler);
        return handler.take();
    } catch (const YAML::Exception&) {
        return std::nullopt;
    }
}

std::string textOf(const YamlNode& node)
{
    switch (node.kind) {
    case NodeKind::Alias:
        return "an alias of anchor " + std::to_string(node.target->anchor);
    case NodeKind::Sequence:
        return "a list";
    case NodeKind::Mapping:
        return "a mapping";
    case NodeKind::Scalar:
        break;
    }
    return isNull(node) && node.tag.empty() ? nullText : "\"" + node.value + "\"";
}

void addReading(const YamlNode& node, Reading& reading)
{
    reading.push_back(tagged(textOf(node), node.tag));
    for (const YamlNode* child : node.children)
        addReading(*child, reading);
    if (node.kind == NodeKind::Sequence || node.kind == NodeKind::Mapping)
        reading.push_back("the end of " + textOf(node));
}

Reading firstReading(const YamlDocument& document)
{
    Reading reading;
    addReading(document.root(), reading);
    return reading;
}

/// The readings of two parsers at one place.
using Disagreement = std::pair<std::string, std::string>;

std::vector<Disagreement> disagreements(const Reading& first, const Reading& second)
{
    constexpr const char* nothing = "nothing";
    std::vector<Disagreement> found;
    for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
        const std::string& here = i < first.size() ? first[i] : nothing;
        const std::string& there = i < second.size() ? second[i] : nothing;
        if (here != there)
            found.emplace_back(here, there);
    }
    return found;
}

} // namespace

void requireSecondReading(const YamlDocument& before, const YamlDocument& after)
{
    const auto known = secondReading(before);
    const Reading firstBefore = firstReading(before);
    // If the number of values differs, places cannot be compared.
    if (!known || known->size() != firstBefore.size())
        return;
    const auto second = secondReading(after);
    if (!second) {
        throw ConfigError("The config with the size in it is read by one YAML reader (libyaml) and refused "
                          "by another (yaml-cpp), which read it as it is now; set the size by hand.");
    }
    const auto expected = disagreements(firstBefore, *known);
    for (const Disagreement& found : disagreements(firstReading(after), *second)) {
        if (std::ranges::find(expected, found) != expected.end())
            continue;
        throw errorAt({},
                      "With the size in it, one YAML reader (libyaml) reads {} in the config where another "
                      "(yaml-cpp) reads {}, so programs would differ; set the size by hand.",
                      shortened(found.first), shortened(found.second));
    }
}

} // namespace batchpeak::config
