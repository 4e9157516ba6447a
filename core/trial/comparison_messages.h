// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "comparison.h"
#include "field_reader.h"

#include <vector>

namespace batchpeak::trial {

// JSON form of the messages that comparisons use. Only parent_messages.cpp and worker_messages.cpp use it.
// The readers throw MessageError.

Json toJson(const CompareRequest& request);
Json toJson(const ComparedSize& size);

CompareRequest comparisonFrom(const FieldReader& fields);
/// Returns the contents of the field "compared" of a result; empty without that field.
/// \param isOk  whether the result says that nothing was cut short; if so, every size must have as many
///        visits as the others
std::vector<ComparedSize> comparedSizesFrom(const FieldReader& fields, bool isOk);

} // namespace batchpeak::trial
