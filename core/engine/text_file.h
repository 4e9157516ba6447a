// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <string>

namespace batchpeak::engine {

/// The bytes of a file that may be a config by its kind and size: both are looked at before anything is read,
/// so that neither a pipe nor a file of weights holds the program up.
/// \throws config::ConfigError as a full sentence, prefixed with the path
std::string readTextFile(const QString& path);

} // namespace batchpeak::engine
