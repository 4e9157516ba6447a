// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "confirmation_snapshot.h"

#include <QLocale>
#include <QString>
#include <QStringList>

namespace batchpeak::training {

/// Whether full steps confirm the recommended size as the faster one, in a sentence. Two sizes are told apart
/// where they differ by more than twice the standard error of the difference, which chance alone does once in
/// twenty times.
QString verdictText(const ConfirmationSnapshot& snapshot, const QLocale& locale = QLocale());

/// What limits how far the figures can be trusted, as full sentences; mostly none.
QStringList confirmationRemarks(const ConfirmationSnapshot& snapshot, const QLocale& locale = QLocale());

} // namespace batchpeak::training
