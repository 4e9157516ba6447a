// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/plan_preview.h"

#include <QStringList>

namespace batchpeak::cli {

/// Returns what is known about an exploration before anything runs, as worded for the terminal: what was read
/// and where it is, devices with their memory, the sizes considered, the expected trials and time, and every
/// option with its value and where the value comes from.
///
/// \param historyPath  path of the store with earlier explorations; empty if there is none
QStringList previewLines(const QString& path, const engine::PlanPreview& preview, const QString& historyPath);

} // namespace batchpeak::cli
