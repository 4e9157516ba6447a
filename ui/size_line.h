// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/batch_plan.h"

#include <QString>

#include <cstdint>
#include <string_view>

namespace batchpeak::ui {

/// A micro-batch size as a config writes it under its own key, to be pasted there:
/// "per_device_train_batch_size: 8", in JSON "\"train_micro_batch_size_per_gpu\": 8", among the arguments of
/// a command "--micro-batch-size 8".
///
/// \param text  of the config, whose first character tells JSON from YAML
QString sizeLine(const config::BatchPlan& plan, std::int64_t microBatchSize, std::string_view text);

} // namespace batchpeak::ui
