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
    /// All that have this architecture, as they are written on the hub; the first is what a person knows it
    /// by.
    std::vector<std::string> ids;
    /// The keys of its config.json that decide what it is, as JSON.
    std::string config;
};

/// The well-known ones, each of which is a network that trials run.
const std::vector<HubModel>& hubModels();

struct HubMatch
{
    const HubModel* model = nullptr;
    /// Nothing but its last part is the same, as of a copy under another owner.
    bool isByName = false;
    /// How the copy has its weights, as far as its name says so: "Llama-2-7B-GPTQ".
    model::FrozenWeights weights = model::FrozenWeights::Same;
};

/// A copy of other weights counts too, by the name without what is said of those: "-GPTQ", "-bnb-4bit",
/// "-bf16",
/// "-sft".
/// \param id  "owner/name" or "name", in any case; a path with more parts is not looked for
std::optional<HubMatch> findHubModel(std::string_view id);

/// The network that an id of the Hugging Face hub stands for ("meta-llama/Llama-3.2-1B"), by the table of
/// well-known ones: nothing is asked of a network. A folder or a file counts as an id that is not known.
///
/// \param position  of the id in the config, for what is said of it
/// \param warnings  receives that a network was taken for a known one by its name alone, as of a copy under
///                  another owner
/// \param overrides  values of its config.json that a trainer replaces before it builds the network; lists
///                   and mappings are passed over, which change numbers alone, as rope_scaling does
/// \throws ConfigError where an override is impossible
Network namedModel(const std::string& id, TextPosition position, std::vector<Warning>& warnings,
                   const std::optional<ConfigSection>& overrides = std::nullopt);

/// The same for readers of networks.
/// \throws NotRun where trials cannot run it
model::ModelSpec namedNetwork(const std::string& id, TextPosition position, std::vector<Warning>& warnings,
                              const std::optional<ConfigSection>& overrides = std::nullopt);

} // namespace batchpeak::config
