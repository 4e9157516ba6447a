// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"

#include <string>

namespace batchpeak::config {

/// Any config that was read, written as one of Batchpeak's own: network, batches and run, everything
/// explicit.
///
/// What its trainer does beside that is lost: it is a config for measuring, not for training.
/// A network without a batch is to be explored, with a batch of one sample.
/// \throws ConfigError where the config holds no network that can be run
std::string toOwnYaml(const ConfigContents& contents);

} // namespace batchpeak::config
