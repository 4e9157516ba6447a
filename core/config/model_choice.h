// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"

namespace batchpeak::config {

/// \p contents with the network of another config in the place of their own. What belongs to the run stays:
/// batches, lengths, precision. Where the config says nothing of lengths, those of the other stand in.
///
/// It is also the way to a run that the config alone does not give, such as all parameters of a network of
/// which the config trains an adapter; a warning says so.
///
/// \throws ConfigError where \p source holds no network that can be run
ConfigContents withModelOf(ConfigContents contents, const ConfigContents& source);

/// A network whose result depends on the micro-batch size may be explored, but the choice is then one for the
/// training too.
void warnOfBatchNormalization(const model::ModelSpec& spec, TextPosition position,
                              std::vector<Warning>& warnings);

} // namespace batchpeak::config
