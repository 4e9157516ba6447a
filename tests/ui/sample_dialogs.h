// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"

#include <QPixmap>
#include <QString>

#include <vector>

namespace batchpeak::test {

/// A dialog of the window in one of its states, as it looks over a window of that theme.
struct DialogPicture
{
    QString name;
    QPixmap picture;
};

std::vector<DialogPicture> dialogPictures(const ui::Theme& theme);

} // namespace batchpeak::test
