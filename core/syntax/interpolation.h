// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "yaml_document.h"

#include <optional>
#include <string>
#include <vector>

namespace batchpeak::config {

/// Interpolations: values that refer to others of the same text, in the syntax of OmegaConf
/// (omegaconf/grammar of OmegaConf 2.3): "${model.seq_length}" from the root, "${.seq_length}" in the same
/// container, "${..x}" one level up; an escaped one, "\${x}", is text.
///
/// Interpolations that need a run are not resolved: environment variables and other resolvers
/// ("${oc.env:X}"), and names that contain other interpolations. Neither is one that leads out of a mapping
/// with an anchor, which is used in several places, nor one that leads back to itself.
///
/// The container of a value is the mapping or list from which it is read; for a value from a merge key that
/// is not the one in which it is written.

/// Whether the value contains an interpolation.
bool isInterpolated(const YamlNode& node);

/// Resolves a value that is a single interpolation, following aliases and further interpolations. A value
/// without interpolations resolves to itself, or to the target of its alias. Returns nullptr if the text
/// alone does not determine the target.
const YamlNode* interpolationTarget(const YamlDocument& document, const YamlNode& node,
                                    const YamlNode& container);

/// Returns a text with its interpolations replaced by the scalars that they refer to, with whole numbers,
/// True, False and None as Python's str() writes them, or nothing if the text alone does not determine them.
std::optional<std::string> interpolatedText(const YamlDocument& document, const YamlNode& node,
                                            const YamlNode& container);

/// Returns a sentence for every value elsewhere in the text that refers to \p changed, to a value that
/// contains it, or is a text that includes it.
std::vector<std::string> interpolationNotes(const YamlDocument& document, const YamlNode& changed);

} // namespace batchpeak::config
