// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "field_reader.h"
#include "model/model_spec.h"

namespace batchpeak::trial {

/// A network as the field "model" of a load message: every member of ModelSpec under its name in
/// snake_case.
Json modelToJson(const model::ModelSpec& spec);

/// Absent fields keep the defaults of ModelSpec. Whether such a network can exist is not decided here
/// (model::problemWith).
/// \throws MessageError
model::ModelSpec modelSpecFrom(const FieldReader& fields);

} // namespace batchpeak::trial
