// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

struct ShareInterval
{
    double low = 0.0;
    double high = 1.0;

    bool holds(double share) const { return share >= low && share <= high; }
};

/// Returns the 95 % interval of a probability, given \p successes in \p attempts; for successes that are
/// known only by their probability, \p successes is the sum of the probabilities. Wilson, Journal of the
/// American Statistical Association 22 (1927).
ShareInterval binomialInterval(double successes, int attempts);
