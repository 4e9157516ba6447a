// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/snapshot.h"
#include "theme/theme.h"

#include <QDateTime>
#include <QImage>

class QWidget;

namespace batchpeak::ui {

/// The charts as a picture for a document, with twice the pixels of the window, and with what a reader
/// cannot ask it: above them the recommendation, the config, the device and the day.
/// \param time  that the picture names
QImage chartPicture(QWidget& charts, const engine::Snapshot& snapshot, const Theme& theme,
                    const QDateTime& time);

} // namespace batchpeak::ui
