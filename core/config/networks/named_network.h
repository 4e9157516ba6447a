// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "config/network_source.h"
#include "syntax/config_section.h"

#include <optional>

namespace batchpeak::config {

/// The network of a name: what a source finds outside of the config, else that of the table of well-known
/// networks (hub_models.h), which is for those that are not on this computer.
///
/// \param position  of the name in the config, for what is said of it
/// \param contents  receive where the network is from, and what is to be said of it
/// \param overrides  values of its config.json that a trainer replaces before it builds the network, as
///                   namedModel() takes them
/// \throws NotRun where there is none, or trials cannot run it
/// \throws ConfigError where an override is impossible
model::ModelSpec readNamedNetwork(const NetworkName& name, TextPosition position,
                                  const NetworkSource& networks, ConfigContents& contents,
                                  const std::optional<ConfigSection>& overrides = std::nullopt);

/// The same as a config that holds nothing else.
ConfigContents namedContents(const NetworkName& name, const NetworkSource& networks);

} // namespace batchpeak::config
