// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "confirmation_snapshot.h"

#include <QIODevice>
#include <QString>

namespace batchpeak::training {

/// Writes what full steps gave as events, one for each size (docs/events.md).
/// \return why not all could be written, as the system says it; else empty
QString writeConfirmation(QIODevice& device, const ConfirmationSnapshot& snapshot);

} // namespace batchpeak::training
