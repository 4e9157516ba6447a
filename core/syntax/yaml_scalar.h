// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "yaml_document.h"

#include <cstdint>
#include <optional>

namespace batchpeak::config {

/// With what a trainer reads its configs.
///
/// PyYaml: PyYAML's SafeLoader, that is YAML 1.1 (yaml/resolver.py of PyYAML 6). OmegaConf: the same, with
/// 2e-5 a number (get_yaml_loader in omegaconf/_utils.py of OmegaConf 2.3) and values that stand for others.
/// Json: json.load of Python, for which true, false and null are the only words.
enum class Dialect { PyYaml, OmegaConf, Json };

/// What a scalar means to PyYAML's SafeLoader: only plain scalars, and those with a tag (yaml_tag.h), are
/// anything but text. JSON's few words and numbers mean the same to it.

/// Whether it is null: nothing written, ~, null, Null or NULL, and anything behind "!!null".
bool isNull(const YamlNode& node);

/// The boolean that it is: true, yes, on and their opposites, in lower case, upper case or capitalized; in
/// any case behind "!!bool".
std::optional<bool> asBoolean(const YamlNode& node);

/// Decimal, 0x, 0b and octal with a leading 0, with underscores anywhere. Sexagesimal numbers (1:30) are
/// taken for the text that a person meant.
std::optional<std::int64_t> asInteger(const YamlNode& node);
/// A whole number that 64 bits do not hold.
bool isTooLarge(const YamlNode& node);

/// The finite number that it is; also 2e-5 without a point, text for PyYAML that the program behind it makes
/// a number of.
std::optional<double> asNumber(const YamlNode& node);

} // namespace batchpeak::config
