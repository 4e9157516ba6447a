// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"

#include <QString>

class QWidget;

namespace batchpeak::ui {

/// What a window asks before something is lost or let in. Enter and Escape leave everything as it is.

/// Asks whoever closes a window whether what runs in it is to end: "Stop and keep what is known?"
/// \param what  runs, and what ending it means, as sentences
/// \return whether it is to end
bool wantsToStop(QWidget* window, const QString& what, const Theme& theme);

/// Asks whether somebody's file is to be lost for what is written in its place.
/// \return whether it is
bool wantsToReplace(QWidget* window, const QString& path, const Theme& theme);

/// Asks whether a later change of a file is to be lost for what it held before a size was written into it.
/// \param change  what has changed, as a sentence
/// \return whether it is
bool wantsToLoseChange(QWidget* window, const QString& change, const Theme& theme);

/// Asks whether code that a config names may run; what was answered with yes is not asked again, but for code
/// that is not on this computer, whose content nobody knows. Who goes on says so to engine::requireTrust(),
/// for what the question was about.
///
/// \param path  of the code; empty where the config names none
/// \return whether it may
/// \throws engine::ExplorationError  where it cannot be read to its end, as a pipe
bool mayRunCode(QWidget* window, const QString& path, const Theme& theme);

} // namespace batchpeak::ui
