// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "yaml_document.h"

#include <memory>
#include <string>

namespace batchpeak::config {

/// Returns a text in TOML as a document with the same entries. toml++ reads it; changes keep all bytes of the
/// text but those of the value. \throws ConfigError if the text is not TOML
std::shared_ptr<const YamlDocument> tomlDocument(const std::string& text);

} // namespace batchpeak::config
