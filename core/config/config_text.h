// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "syntax/config_section.h"
#include "syntax/yaml_document.h"

#include <memory>
#include <optional>
#include <string>

namespace batchpeak::config {

/// The text of a config before it is known what it is: YAML, JSON, or a script. It is parsed once.
class ConfigText
{
public:
    /// \throws ConfigError if it is no text: empty, too long, not UTF-8
    explicit ConfigText(std::string text);

    /// A text that was parsed already.
    explicit ConfigText(std::shared_ptr<const YamlDocument> document);

    const std::string& text() const { return m_text; }
    /// Nothing where the text is neither YAML nor JSON.
    const std::shared_ptr<const YamlDocument>& document() const { return m_document; }
    /// The document's mapping; nothing where there is no document, or it is none.
    std::optional<ConfigSection> root(Dialect dialect = Dialect::PyYaml) const;
    /// Why there is no document.
    const std::optional<ConfigError>& problem() const { return m_problem; }

private:
    std::string m_text;
    std::shared_ptr<const YamlDocument> m_document;
    std::optional<ConfigError> m_problem;
};

} // namespace batchpeak::config
