// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "yaml_document.h"

#include <optional>
#include <string>
#include <vector>

namespace batchpeak::config {

/// Values that stand for others of the same text, as OmegaConf writes them (omegaconf/grammar of OmegaConf
/// 2.3): "${model.seq_length}" from the root, "${.seq_length}" beside itself, "${..x}" one level up; an
/// escaped one, "\${x}", is text.
///
/// What only a run can tell is not resolved: environment variables and other resolvers ("${oc.env:X}"), and
/// names that are made of other interpolations. Nor is one that leads out of a mapping with an anchor, which
/// stands in several places, or one that leads back to itself.
///
/// The container of a value is the mapping or list that it is read from: not the one that it is written in
/// where a merge key brings it.

/// There is an interpolation somewhere in the value.
bool isInterpolated(const YamlNode& node);

/// What a value stands for that is one interpolation and nothing else, through aliases and further
/// interpolations; what it is an alias of where it is none; nothing where the text alone does not tell.
const YamlNode* interpolationTarget(const YamlDocument& document, const YamlNode& node,
                                    const YamlNode& container);

/// A text with its interpolations replaced by the scalars that they stand for, as str() of Python writes
/// whole numbers, True, False and None; nothing where the text alone does not tell.
std::optional<std::string> interpolatedText(const YamlDocument& document, const YamlNode& node,
                                            const YamlNode& container);

/// Every value elsewhere in the text that stands for \p changed, for what holds it, or for a text with it;
/// each a sentence.
std::vector<std::string> interpolationNotes(const YamlDocument& document, const YamlNode& changed);

} // namespace batchpeak::config
