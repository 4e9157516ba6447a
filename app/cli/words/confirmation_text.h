// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "progress_line.h"
#include "training/confirmation_snapshot.h"

#include <QStringList>

namespace batchpeak::cli {

/// Returns the line that stands below all others while full steps are taken.
ProgressLine confirmationLiveLine(const training::ConfirmationSnapshot& snapshot);

/// Returns the last lines: the predicted and the achieved speed of each size, whether the recommended size is
/// confirmed, and what limits the trust in that.
QStringList confirmationLines(const training::ConfirmationSnapshot& snapshot);

} // namespace batchpeak::cli
