// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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
};

/// \param id  "owner/name" or "name", in any case; a path with more parts is not looked for
std::optional<HubMatch> findHubModel(std::string_view id);

} // namespace batchpeak::config
