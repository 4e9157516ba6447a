// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"

#include <QString>

class QWidget;

namespace batchpeak::ui {

/// Asks whether code that a config names may run here; what was answered with yes is not asked again.
/// \param path  of the code; empty where the config names none
/// \return whether it may
bool mayRunCode(QWidget* window, const QString& path, const Theme& theme);

} // namespace batchpeak::ui
