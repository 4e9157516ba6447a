// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QImage>

namespace batchpeak {

/// The program's icon, painted, so that it is there without an icon theme and without SVG support: a
/// throughput curve and its peak. resources/icons holds the same figure as SVG, for desktops.
QImage appIconImage(int pixels);

QIcon appIcon();

} // namespace batchpeak
