// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/batch_choice.h"
#include "config/config_error.h"

#include <QString>

namespace batchpeak::engine {

/// "path:line:column: sentence", without the numbers where there is no place to name: what editors and
/// terminals make a link of.
QString located(const QString& path, config::TextPosition place, const QString& sentence);

/// The same error, worded so.
config::ConfigError located(const QString& path, const config::ConfigError& error);
config::BatchNotKept located(const QString& path, const config::BatchNotKept& error);

} // namespace batchpeak::engine
