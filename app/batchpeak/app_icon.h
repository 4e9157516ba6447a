// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QImage>

namespace batchpeak {

/// Returns the program's icon: a throughput curve and its peak. The icon is painted in code, so that it needs
/// neither an icon theme nor SVG support. resources/icons holds the same figure as SVG, for desktops.
QImage appIconImage(int pixels);

QIcon appIcon();

} // namespace batchpeak
