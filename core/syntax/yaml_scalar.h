// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "yaml_document.h"

#include <cstdint>
#include <optional>

namespace batchpeak::config {

/// The library with which a trainer reads its configs.
///
/// PyYaml: PyYAML's SafeLoader, that is YAML 1.1 (yaml/resolver.py of PyYAML 6). OmegaConf: the same, but
/// 2e-5 is a number (get_yaml_loader in omegaconf/_utils.py of OmegaConf 2.3), and there are interpolations.
/// Json: Python's json.load, for which true, false and null are the only words.
enum class Dialect { PyYaml, OmegaConf, Json };

/// Meaning of a scalar in PyYAML's SafeLoader: only plain scalars, and those with a tag (yaml_tag.h), can be
/// anything other than text. JSON's few words and numbers have the same meaning there.

/// Whether the node is null: an empty value, ~, null, Null or NULL, and anything after "!!null".
bool isNull(const YamlNode& node);

/// Returns the boolean value of the node: true, yes, on and their opposites, in lower case, upper case or
/// capitalized; in any case after "!!bool".
std::optional<bool> asBoolean(const YamlNode& node);

/// Returns the integer value of the node: decimal, 0x, 0b, or octal with a leading 0, with underscores
/// anywhere. Sexagesimal numbers (1:30) count as text, which the user meant.
std::optional<std::int64_t> asInteger(const YamlNode& node);
/// Whether the node is a whole number that does not fit into 64 bits.
bool isTooLarge(const YamlNode& node);

/// Returns the finite number that the node is; also 2e-5 without a decimal point, which is text for PyYAML,
/// but which the program that uses it converts to a number.
std::optional<double> asNumber(const YamlNode& node);

} // namespace batchpeak::config
