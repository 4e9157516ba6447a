// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

/// A number to be printed below others: right-aligned in \p width columns.
std::string cell(double value, int width, int decimals);

/// A name to be printed above others: \p text filled up, or cut, to \p width columns.
std::string nameCell(const std::string& text, std::size_t width);
