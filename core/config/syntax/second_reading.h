// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "yaml_document.h"

namespace batchpeak::config {

/// The second opinion on a text that is about to be written: yaml-cpp, which has nothing in common with
/// libyaml, reads it too. What it finds is compared value by value, as text, with what YamlDocument has
/// found.
///
/// Values at which the two readers differ in \p before already are not the change's doing, nor is it where
/// yaml-cpp cannot read \p before at all.
///
/// \throws ConfigError with both readings where they differ in \p after and did not before
void requireSecondReading(const YamlDocument& before, const YamlDocument& after);

} // namespace batchpeak::config
