// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "syntax/config_section.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace batchpeak::config {

/// A network that is published on the Hugging Face hub.
struct HubModel
{
    /// The ids of all networks with this architecture, as they are written on the hub; the first is the best
    /// known.
    std::vector<std::string> ids;
    /// The keys of its config.json that determine the network, as JSON.
    std::string config;
};

/// Returns the well-known networks. Trials can run each of them.
const std::vector<HubModel>& hubModels();

struct HubMatch
{
    const HubModel* model = nullptr;
    /// Whether only the last part of the id matches, as for a copy under another owner.
    bool isByName = false;
    /// How the copy stores its weights, as far as its name says: "Llama-2-7B-GPTQ".
    model::FrozenWeights weights = model::FrozenWeights::Same;
};

/// Finds a well-known network by its id. A copy with other weights counts too; suffixes of its name about the
/// weights are ignored: "-GPTQ", "-bnb-4bit", "-bf16", "-sft".
/// \param id  "owner/name" or "name", in any case; a path with more parts is not looked up
std::optional<HubMatch> findHubModel(std::string_view id);

/// Returns the network with an id of the Hugging Face hub ("meta-llama/Llama-3.2-1B"), from the table of
/// well-known networks, without network access. A folder or a file counts as an unknown id.
///
/// \param position  position of the id in the config, for messages
/// \param warnings  receives a warning if a network was identified by its name alone, as for a copy under
///                  another owner
/// \param overrides  values of its config.json that a trainer replaces before it builds the network; lists
///                   and mappings are ignored, since they change only numbers, as rope_scaling does
/// \throws ConfigError if an override is impossible
Network namedModel(const std::string& id, TextPosition position, std::vector<Warning>& warnings,
                   const std::optional<ConfigSection>& overrides = std::nullopt);

/// Returns the same network for readers of networks.
/// \throws NotRun if trials cannot run the network
model::ModelSpec namedNetwork(const std::string& id, TextPosition position, std::vector<Warning>& warnings,
                              const std::optional<ConfigSection>& overrides = std::nullopt);

} // namespace batchpeak::config
