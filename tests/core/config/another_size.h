// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"

namespace batchpeak::config {

/// Returns a size for a phase of a config, other than its own, that its trainer accepts: with the batch of
/// the config if possible, otherwise, for example if the batch is one sample, with a batch of one micro-batch
/// on each device.
ChosenSize anotherSize(const ConfigDocument& format, model::Phase phase, const BatchPlan& plan);

} // namespace batchpeak::config
