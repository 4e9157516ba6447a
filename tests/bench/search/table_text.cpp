// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "table_text.h"

#include <array>
#include <cstdio>

std::string cell(double value, int width, int decimals)
{
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%*.*f", width, decimals, value);
    return text.data();
}

std::string nameCell(const std::string& text, std::size_t width)
{
    return text.size() < width ? text + std::string(width - text.size(), ' ') : text.substr(0, width);
}
