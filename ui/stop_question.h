// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"

#include <QString>

class QWidget;

namespace batchpeak::ui {

/// Asks whoever closes a window whether what runs in it is to end: "Stop and keep what is known?"
/// \param what  runs, and what ending it means, as sentences
/// \return whether it is to end
bool wantsToStop(QWidget* window, const QString& what, const Theme& theme);

} // namespace batchpeak::ui
