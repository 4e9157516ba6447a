// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <string_view>

namespace batchpeak::ui {

/// What differs between two texts, line by line: one block, since a size is written in one place.
struct TextChange
{
    /// Of the first line that differs, from 1; 0 where nothing does.
    int line = 0;
    QStringList before;
    QStringList after;
};

TextChange changeBetween(std::string_view before, std::string_view after);

} // namespace batchpeak::ui
