// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace batchpeak::worker {

/// A number for a sentence, the same in every locale: "0.8" for 0.84 with one decimal.
std::string roundedText(double value, int decimals);

} // namespace batchpeak::worker
