// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "comparison.h"
#include "field_reader.h"

#include <vector>

namespace batchpeak::trial {

// The part of the protocol that comparisons use, as JSON, for parent_messages.cpp and worker_messages.cpp
// alone; the readers throw MessageError.

Json toJson(const CompareRequest& request);
Json toJson(const ComparedSize& size);

CompareRequest comparisonFrom(const FieldReader& fields);
/// What the field "compared" of a result holds; none without it.
/// \param isOk  the result says that nothing was cut short: then every size has as many visits as the others
std::vector<ComparedSize> comparedSizesFrom(const FieldReader& fields, bool isOk);

} // namespace batchpeak::trial
