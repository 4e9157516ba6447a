// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "config/network_source.h"
#include "syntax/config_section.h"

#include <optional>

namespace batchpeak::config {

/// Returns the network with a name: what a source finds outside of the config, else a network of the table of
/// well-known ones (hub_models.h), for networks that are not on this computer.
///
/// \param position  position of the name in the config, for messages
/// \param contents  receives the source of the network, and warnings about it
/// \param overrides  values of its config.json that a trainer replaces before it builds the network, as
///                   namedModel() takes them
/// \throws NotRun if there is none, or trials cannot run it
/// \throws ConfigError if an override is impossible
model::ModelSpec readNamedNetwork(const NetworkName& name, TextPosition position,
                                  const NetworkSource& networks, ConfigContents& contents,
                                  const std::optional<ConfigSection>& overrides = std::nullopt);

/// Returns the same network as a config that contains nothing else.
ConfigContents namedContents(const NetworkName& name, const NetworkSource& networks);

} // namespace batchpeak::config
