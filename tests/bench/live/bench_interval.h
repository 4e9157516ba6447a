// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

struct ShareInterval
{
    double low = 0.0;
    double high = 1.0;

    bool holds(double share) const { return share >= low && share <= high; }
};

/// Between what a probability lies with 95 %, of \p successes in \p attempts; of successes that are known by
/// their probability alone their sum. Wilson, Journal of the American Statistical Association 22 (1927).
ShareInterval binomialInterval(double successes, int attempts);
