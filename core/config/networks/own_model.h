// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"
#include "syntax/config_section.h"

namespace batchpeak::config {

/// The model section of one of Batchpeak's own configs, whose keys are those of the trial protocol
/// (core/model/architecture_fields.h). An absent key keeps the default of its member.
///
/// \throws ConfigError where the family is unknown, a key has no meaning for it, a value is of another kind,
/// or
///         such a network cannot exist
model::ModelSpec readOwnModel(const ConfigSection& section);

} // namespace batchpeak::config
