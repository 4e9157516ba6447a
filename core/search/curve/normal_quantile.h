// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchpeak::search {

/// The value below which a normal draw of mean 0 and deviation 1 lies with this probability, 0 < p < 1;
/// relative error below 1e-15.
///
/// Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Applied Statistics 37
/// (1988).
double normalQuantile(double probability);

} // namespace batchpeak::search
