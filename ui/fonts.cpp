// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fonts.h"

#include <QFontDatabase>

namespace batchpeak::ui {

QFont scaled(const QFont& font, double factor, QFont::Weight weight)
{
    QFont result = font;
    result.setPointSizeF(font.pointSizeF() * factor);
    result.setWeight(weight);
    return result;
}

QFont fixedFont(const QFont& font, double factor)
{
    QFont result = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    result.setPointSizeF(font.pointSizeF() * factor);
    return result;
}

} // namespace batchpeak::ui
