// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model_spec.h"

#include <optional>
#include <string>
#include <string_view>

namespace batchpeak::model {

/// An architecture as its defaults are, by the name of a family of networks: "llama", "vit". Nothing for an
/// unknown one.
std::optional<Architecture> architectureOf(std::string_view family);

/// Every known family, for a sentence: "gpt2, gpt3, ...".
std::string familyWords();

} // namespace batchpeak::model
