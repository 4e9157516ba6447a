// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>

namespace batchpeak::ui {

/// \p font at a multiple of its size, in another weight where one is given.
QFont scaled(const QFont& font, double factor, QFont::Weight weight = QFont::Normal);

/// The system's fixed font, at a multiple of the size of \p font.
QFont fixedFont(const QFont& font, double factor);

} // namespace batchpeak::ui
