// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"

#include <QString>

class QUrl;
class QWidget;

namespace batchpeak::engine {
struct LastWriting;
}

namespace batchpeak::ui {

/// Questions that a window asks before something is lost or allowed. Enter and Escape leave everything as it
/// is.

enum class UnderWay { Exploration, Confirmation, Training };

/// Asks a user who closes a window whether its work should end: "Stop training?"
/// \param consequence  a sentence on what is kept and what is lost then
/// \return whether it should end
bool wantsToStop(QWidget* window, UnderWay what, const QString& consequence, const Theme& theme);

/// Asks a user who starts an exploration while another program runs one on the same devices.
/// \param other  a sentence that says which one that is
/// \return whether it should start nevertheless
bool wantsToStartBeside(QWidget* window, const QString& other, const Theme& theme);

/// Asks whether an existing file should be overwritten.
/// \return whether it should
bool wantsToReplace(QWidget* window, const QString& path, const Theme& theme);

/// Asks whether to restore what a file contained before a size was written into it, and shows which lines
/// change; also warns that later changes to the file would be lost.
/// \return whether to restore it
bool wantsToTakeBack(QWidget* window, const engine::LastWriting& last, const Theme& theme);

/// Asks whether code that a config names may run. A positive answer is remembered, except for code that is
/// not on this computer, whose content is unknown. Callers that continue pass the answer to
/// engine::requireTrust(), for the code that the question was about.
///
/// \param path  path of the code; empty if the config names none
/// \return whether it may run
/// \throws engine::ExplorationError if the code cannot be read to its end, such as a pipe
bool mayRunCode(QWidget* window, const QString& path, const Theme& theme);

/// Asks whether the description of a network may be fetched from a hub, unless a person has allowed all from
/// that hub. \throws engine::ExplorationError if an answer for all cannot be stored
bool mayDownload(QWidget* window, const QString& id, const QUrl& hub, const Theme& theme);

} // namespace batchpeak::ui
