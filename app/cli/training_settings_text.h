// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/training_settings.h"

#include <QStringList>

#include <vector>

namespace batchpeak::cli {

/// What a config asks of a training run, as rows of a name and what is said of it; only of what it asks for.
std::vector<QStringList> trainingSettingsRows(const config::TrainingSettings& settings);

} // namespace batchpeak::cli
