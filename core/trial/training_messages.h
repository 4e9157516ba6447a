// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "field_reader.h"
#include "training.h"

namespace batchpeak::trial {

// JSON form of the messages that training runs use. Only parent_messages.cpp and worker_messages.cpp use it.
// The readers throw MessageError.

Json toJson(const TrainingRequest& request);
Json toJson(const BatchRequest& request);
Json toJson(const SaveRequest& request);
Json toJson(const TrainingReady& ready);
Json toJson(const BatchResult& result);
Json toJson(const Saved& saved);

TrainingRequest trainingFrom(const FieldReader& fields);
BatchRequest batchFrom(const FieldReader& fields);
SaveRequest saveFrom(const FieldReader& fields);
TrainingReady trainingReadyFrom(const FieldReader& fields);
BatchResult batchResultFrom(const FieldReader& fields);
Saved savedFrom(const FieldReader& fields);

} // namespace batchpeak::trial
