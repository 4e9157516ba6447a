// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"

#include <QString>

class QWidget;

namespace batchpeak::engine {
struct LastWriting;
}

namespace batchpeak::ui {

/// What a window asks before something is lost or let in. Enter and Escape leave everything as it is.

enum class UnderWay { Exploration, Confirmation, Training };

/// Asks whoever closes a window whether what runs in it is to end: "Stop training?"
/// \param consequence  what is kept and what is lost then, as a sentence
/// \return whether it is to end
bool wantsToStop(QWidget* window, UnderWay what, const QString& consequence, const Theme& theme);

/// Asks whoever starts an exploration while another program runs one on the same devices.
/// \param other  which one that is, as a sentence
/// \return whether it is to start all the same
bool wantsToStartBeside(QWidget* window, const QString& other, const Theme& theme);

/// Asks whether somebody's file is to be lost for what is written in its place.
/// \return whether it is
bool wantsToReplace(QWidget* window, const QString& path, const Theme& theme);

/// Asks whether a file is to hold again what it held before a size was written into it, and shows which lines
/// change by that; where somebody has changed the file since, that this is lost too.
/// \return whether it is
bool wantsToTakeBack(QWidget* window, const engine::LastWriting& last, const Theme& theme);

/// Asks whether code that a config names may run; what was answered with yes is not asked again, but for code
/// that is not on this computer, whose content nobody knows. Who goes on says so to engine::requireTrust(),
/// for what the question was about.
///
/// \param path  of the code; empty where the config names none
/// \return whether it may
/// \throws engine::ExplorationError  where it cannot be read to its end, as a pipe
bool mayRunCode(QWidget* window, const QString& path, const Theme& theme);

} // namespace batchpeak::ui
