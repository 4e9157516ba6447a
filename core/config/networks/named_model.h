// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"

#include <string>
#include <variant>
#include <vector>

namespace batchpeak::config {

/// The network that an id of the Hugging Face hub stands for ("meta-llama/Llama-3.2-1B"), by the table of
/// well-known ones: nothing is asked of a network. A folder or a file counts as an id that is not known.
///
/// \param position  of the id in the config, for what is said of it
/// \param warnings  receives that a network was taken for a known one by its name alone, as of a copy under
///                  another owner
std::variant<model::ModelSpec, UnsupportedModel> namedModel(const std::string& id, TextPosition position,
                                                            std::vector<Warning>& warnings);

} // namespace batchpeak::config
