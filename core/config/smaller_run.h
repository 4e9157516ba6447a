// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "fidelity.h"

namespace batchpeak::config {

/// Returns \p contents with a network and samples so small that a trial takes moments on any computer, as
/// model::shrunk() makes them. It is for a person who wants to see a run work before it runs in full. What
/// belongs to the run stays: batches, precision, optimizer. The result is labeled as another run.
///
/// A network that cannot be run stays unchanged.
/// \throws ConfigError if the network is a module from a file
ConfigContents smallerRunOf(ConfigContents contents);

/// Whether a measurement is of a smaller network. If so, no size from it may go into the config.
bool isOfSmallerNetwork(const Fidelity& fidelity);

} // namespace batchpeak::config
