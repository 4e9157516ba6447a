// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/plan_preview.h"

#include <QStringList>

namespace batchpeak::cli {

/// What is known of an exploration before anything runs, in the words of the terminal: what was read and
/// where it stands, devices with their memory, the sizes that are considered, the trials and the time to
/// expect, and every option with its value and who says it.
///
/// \param historyPath  of the store with earlier explorations; empty where there is none
QStringList previewLines(const QString& path, const engine::PlanPreview& preview, const QString& historyPath);

} // namespace batchpeak::cli
