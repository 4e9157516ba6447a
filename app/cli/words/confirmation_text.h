// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "progress_line.h"
#include "training/confirmation_snapshot.h"

#include <QStringList>

namespace batchpeak::cli {

/// What stands below everything else while full steps are taken.
ProgressLine confirmationLiveLine(const training::ConfirmationSnapshot& snapshot);

/// The last lines: each size with what was predicted and what was achieved, whether the recommended one is
/// confirmed, and what limits how far that can be trusted.
QStringList confirmationLines(const training::ConfirmationSnapshot& snapshot);

} // namespace batchpeak::cli
