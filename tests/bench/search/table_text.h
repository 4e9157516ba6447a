// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

/// Returns a number of a table's column: right-aligned in \p width columns.
std::string cell(double value, int width, int decimals);

/// Returns a name above a table's column: \p text padded or truncated to \p width columns.
std::string nameCell(const std::string& text, std::size_t width);
