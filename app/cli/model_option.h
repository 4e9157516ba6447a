// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/config_file.h"

#include <string>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace batchpeak::cli {

/// The network beside a config that names none or an unknown one: --model.
CLI::Option* addModelOption(CLI::App& app, std::string& model);

/// The config that a command is given.
/// \param model  file or id of the network that is run in place of its own; empty for that
/// \throws config::ConfigError
engine::ConfigFile openConfig(const std::string& path, const std::string& model);

} // namespace batchpeak::cli
