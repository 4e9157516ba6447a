// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "yaml_document.h"

#include <yaml-cpp/eventhandler.h>

#include <optional>
#include <unordered_map>
#include <vector>

namespace batchpeak::config {

/// Turns the events of yaml-cpp's parser into the nodes of a YamlDocument.
///
/// It refuses nesting and lengths that no config has before the parser's own recursion, or memory,
/// comes to an end.
class YamlTreeBuilder : public YAML::EventHandler
{
public:
    /// \param textBegin  bytes of the text that yaml-cpp does not see, because they are a byte order mark
    YamlTreeBuilder(YamlDocument& document, std::size_t textBegin);

    void OnDocumentStart(const YAML::Mark& mark) override;
    void OnDocumentEnd() override;
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override;
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value style) override;
    void OnSequenceEnd() override;
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value style) override;
    void OnMapEnd() override;

private:
    YamlNode& add(NodeKind kind, const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag);
    void open(NodeKind kind, const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag,
              YAML::EmitterStyle::value style);
    void close();
    void settleNull(std::size_t nextBegin);

    YamlDocument& m_document;
    std::size_t m_textBegin;
    int m_documents = 0;
    std::vector<YamlNode*> m_open;
    std::unordered_map<YAML::anchor_t, const YamlNode*> m_anchored;
    /// The last null. Where nothing is written for it, yaml-cpp gives the place of the next token.
    YamlNode* m_null = nullptr;
};

} // namespace batchpeak::config
