// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "curve/posterior.h"
#include "strategy.h"
#include "trial_history.h"

#include <cstdint>
#include <vector>

namespace batchpeak::search {

/// Asks every draw of the curve what limits the speed of the recommended size, and takes their majority.
///
/// A draw is asked in this order: was a size near it flagged for thrashing; does one sample more than a
/// whole wave, or than an aligned size, lengthen the step by more than the tolerance; do samples/s fall by
/// more than that where memory ends; would twice the size gain more than that; else it is saturated. A fitted
/// constant is overhead; so is a wave that no measured size exceeds, since nothing tells the two apart.
///
/// It explains the recommendation and takes no part in it.
class SpeedLimitFinder
{
public:
    /// \param posterior  with a recommended size; it and \p history outlive this object
    SpeedLimitFinder(const Posterior& posterior, const TrialHistory& history);

    SpeedLimit find() const;

private:
    struct Verdict
    {
        SpeedLimit::Kind kind = SpeedLimit::Kind::Unknown;
        double overheadShare = 0.0;
        double doublingGain = 0.0;
        std::int64_t period = 0;
        double jump = 0.0;
    };
    Verdict ask(Eigen::Index path) const;
    void addTiles(Verdict& verdict, Eigen::Index path, double seconds) const;
    double overheadShare(Eigen::Index path, double seconds) const;
    double doublingGain(Eigen::Index path, double overheadShare) const;
    bool fallsAtTheEnd(Eigen::Index path) const;
    double fastestWithin(const std::vector<std::int64_t>& sizes, Eigen::Index path, double above,
                         double upTo) const;

    const Posterior& m_posterior;
    const TrialHistory& m_history;
    Eigen::Index m_best;
    double m_size;
    bool m_thrashes;
};

} // namespace batchpeak::search
