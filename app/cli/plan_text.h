// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/batch_plan.h"

#include <QString>

namespace batchpeak::cli {

/// The batch of an optimizer step in the words of the terminal and the keys of the config.

/// "1 device", "1,024 devices"
QString countText(std::int64_t count, const QString& noun);

/// "batch_size 256 on 2 devices"; "batch_size * gradient_accumulation_steps = 16 on one device" where the
/// config does not say how many there are.
QString batchText(const config::BatchPlan& plan);

} // namespace batchpeak::cli
