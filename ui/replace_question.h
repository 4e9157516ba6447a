// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"

#include <QString>

class QWidget;

namespace batchpeak::ui {

/// Asks whether somebody's file is to be lost for what is written in its place.
/// \return whether it is
bool wantsToReplace(QWidget* window, const QString& path, const Theme& theme);

} // namespace batchpeak::ui
