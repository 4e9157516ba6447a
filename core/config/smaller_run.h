// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"
#include "fidelity.h"

namespace batchpeak::config {

/// \p contents with network and samples so small that a trial takes moments on any computer, as
/// model::shrunk() has it, for a person who wants to see a run work before it runs whole. What belongs to the
/// run stays: batches, precision, optimizer. It is said to be another run.
///
/// A network that cannot be run stays what it is.
/// \throws ConfigError where it is a module from a file
ConfigContents smallerRunOf(ConfigContents contents);

/// What was measured so: no size of it is one for the config.
bool isOfSmallerNetwork(const Fidelity& fidelity);

} // namespace batchpeak::config
