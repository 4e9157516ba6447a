// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace batchpeak::cli {

/// Whether the \p number-th of many alike deserves a line of its own: each of the first twenty, every fifth
/// up to 100, every fiftieth up to 1,000, and so on. The first changes are seen, and a million print about a
/// hundred lines.
/// \param number  from 1
bool deservesALine(std::int64_t number);

} // namespace batchpeak::cli
