// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"

namespace batchpeak::config {

/// A size for a phase that a config has, other than its own, that its trainer takes: with the batch of the
/// config where that goes, else, as where that is one sample, with a batch of one micro-batch on each device.
ChosenSize anotherSize(const ConfigDocument& format, model::Phase phase, const BatchPlan& plan);

} // namespace batchpeak::config
